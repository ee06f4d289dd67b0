/* SPDX-License-Identifier: Apache-2.0 */
/* pad/G1: what was added is cut off, and what was cut off is zeros. */
#include "touchstone/ops/pad.h"
#include "grad/vjp.h"
#include "touchstone/ops/pad_glue.h"

ts_status tsi_vjp_pad(tsi_vjp *v)
{
    const ts_value *pad = &v->args[TS_PAD_PAD];
    int64_t back[2 * TS_MAX_DIMS];

    for (int64_t i = 0; i < pad->ints.n; i++)
        back[i] = -pad->ints.v[i];
    return ts_pad(v->grads[0], back, pad->ints.n, NULL, &v->out[TS_PAD_INPUT]);
}

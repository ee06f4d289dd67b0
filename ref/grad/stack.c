/* SPDX-License-Identifier: Apache-2.0 */
/* stack/G1. */
#include "grad/vjp.h"
#include "touchstone/ops/stack_glue.h"

ts_status tsi_vjp_stack(tsi_vjp *v)
{
    for (int64_t k = 0; k < v->list_n; k++)
        if (v->list_needs[k])
            TS_TRY(ts_select(v->grads[0], v->args[TS_STACK_DIM].i, k, &v->list_out[k]));
    return TS_OK;
}

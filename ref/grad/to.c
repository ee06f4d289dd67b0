/* SPDX-License-Identifier: Apache-2.0 */
/* to/G1. */
#include "touchstone/ops/to_glue.h"

#include "grad/vjp.h"

ts_status tsi_vjp__to_copy(tsi_vjp *v)
{
    ts_to_opts o = ts_to_defaults();

    o.dtype = v->arg_meta[TS__TO_COPY_SELF].dtype;
    o.device = v->arg_meta[TS__TO_COPY_SELF].device;
    return ts_to(v->grads[0], &o, &v->out[TS__TO_COPY_SELF]);
}

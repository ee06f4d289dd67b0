/* SPDX-License-Identifier: Apache-2.0 */
/* tril/G1. */
#include "touchstone/ops/tril_glue.h"

#include "grad/vjp.h"

ts_status tsi_vjp_tril(tsi_vjp *v)
{
    ts_tril_opts o = ts_tril_defaults();

    o.diagonal = v->args[TS_TRIL_DIAGONAL].i;
    return ts_tril(v->grads[0], &o, &v->out[TS_TRIL_SELF]);
}

ts_status tsi_vjp_triu(tsi_vjp *v)
{
    ts_triu_opts o = ts_triu_defaults();

    o.diagonal = v->args[TS_TRIU_DIAGONAL].i;
    return ts_triu(v->grads[0], &o, &v->out[TS_TRIU_SELF]);
}

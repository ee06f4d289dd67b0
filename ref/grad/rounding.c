/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients of floor, ceil, round, trunc and frac; spec/ops/rounding.md. */
#include "grad/vjp.h"
#include "touchstone/ops/factories.h"
#include "touchstone/ops/rounding_glue.h"

/* G1 */
static ts_status nothing(tsi_vjp *v)
{
    return ts_zeros_like(v->grads[0], NULL, &v->out[0]);
}

ts_status tsi_vjp_floor(tsi_vjp *v)
{
    return nothing(v);
}

ts_status tsi_vjp_ceil(tsi_vjp *v)
{
    return nothing(v);
}

ts_status tsi_vjp_round(tsi_vjp *v)
{
    return nothing(v);
}

ts_status tsi_vjp_trunc(tsi_vjp *v)
{
    return nothing(v);
}

ts_status tsi_vjp_frac(tsi_vjp *v) /* G2 */
{
    v->out[TS_FRAC_SELF] = ts_retain(v->grads[0]);
    return TS_OK;
}

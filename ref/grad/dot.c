/* SPDX-License-Identifier: Apache-2.0 */
/* dot/G1, dot/G2. */
#include "grad/product.h"
#include "touchstone/ops/dot_expr.h"
#include "touchstone/ops/dot_glue.h"

ts_status tsi_vjp_dot(tsi_vjp *v)
{
    if (v->needs[TS_DOT_SELF])
        TS_TRY(ts_mul(v->grads[0], v->args[TS_DOT_TENSOR].tensor, &v->out[TS_DOT_SELF]));
    if (v->needs[TS_DOT_TENSOR])
        TS_TRY(ts_mul(v->grads[0], v->args[TS_DOT_SELF].tensor, &v->out[TS_DOT_TENSOR]));
    return TS_OK;
}

ts_status tsi_vjp_mv(tsi_vjp *v)
{
    tsi_expr e = {0};

    if (v->needs[TS_MV_SELF])
        TS_TRY(ts_outer(v->grads[0], v->args[TS_MV_VEC].tensor, &v->out[TS_MV_SELF]));
    if (v->needs[TS_MV_VEC])
        TS_TRY(tsi_expr_give(
            &e, tsx_mv(&e, tsi_turned(&e, v->args[TS_MV_SELF].tensor), v->grads[0]),
            &v->out[TS_MV_VEC]));
    return TS_OK;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients of max, min and aminmax; spec/ops/max.md. */
#include "core/expr.h"
#include "grad/reduce.h"
#include "touchstone/ops/add_expr.h"
#include "touchstone/ops/compare_expr.h"
#include "touchstone/ops/div_expr.h"
#include "touchstone/ops/max_glue.h"
#include "touchstone/ops/mul_expr.h"

ts_status tsi_vjp_max(tsi_vjp *v) /* G1 */
{
    return tsi_share_among_equals(v);
}

ts_status tsi_vjp_min(tsi_vjp *v)
{
    return tsi_share_among_equals(v);
}

ts_status tsi_vjp_max_dim(tsi_vjp *v) /* G2 */
{
    return tsi_to_where_they_stood(v, v->args[TS_MAX_DIM_DIM].i,
                                   v->args[TS_MAX_DIM_KEEPDIM].b, v->results[1]);
}

ts_status tsi_vjp_min_dim(tsi_vjp *v)
{
    return tsi_to_where_they_stood(v, v->args[TS_MIN_DIM_DIM].i,
                                   v->args[TS_MIN_DIM_KEEPDIM].b, v->results[1]);
}

/* grad * (result == self) / how many those are */
static ts_tensor *shared(tsi_expr *e, tsi_vjp *v, int r)
{
    const ts_value *dim = &v->args[TS_AMINMAX_DIM];
    const bool named = dim->kind == TS_ARG_INT;
    ts_tensor *grad = TSI_EXPR(e, tsi_restore_dims(v, v->grads[r], &e->made));
    ts_tensor *result = TSI_EXPR(e, tsi_restore_dims(v, v->results[r], &e->made));
    ts_tensor *mask = tsx_eq(e, result, v->args[TS_AMINMAX_SELF].tensor);
    ts_tensor *count = tsi_sum(e, mask, named ? &dim->i : NULL, named, true);

    return tsx_div(e, tsx_mul(e, grad, mask), count, NULL);
}

ts_status tsi_vjp_aminmax(tsi_vjp *v) /* G3 */
{
    tsi_expr e = {0};
    ts_tensor *least = v->grads[0] ? shared(&e, v, 0) : NULL;
    ts_tensor *largest = v->grads[1] ? shared(&e, v, 1) : NULL;

    return tsi_expr_give(&e,
                         least && largest ? tsx_add(&e, least, largest, NULL)
                         : least          ? least
                                          : largest,
                         &v->out[TS_AMINMAX_SELF]);
}

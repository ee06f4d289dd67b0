/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients of the circular functions and their kin; spec/ops/trigonometry.md. */
#include "core/expr.h"
#include "grad/vjp.h"
#include "touchstone/ops/add_expr.h"
#include "touchstone/ops/div_expr.h"
#include "touchstone/ops/exponentials_expr.h"
#include "touchstone/ops/mul_expr.h"
#include "touchstone/ops/trigonometry_expr.h"
#include "touchstone/ops/trigonometry_glue.h"
#include "touchstone/ops/unary_expr.h"

ts_status tsi_vjp_sin(tsi_vjp *v) /* G1 */
{
    tsi_expr e = {0};
    ts_tensor *slope = tsx_cos(&e, v->args[TS_SIN_SELF].tensor);

    return tsi_expr_give(&e, tsx_mul(&e, v->grads[0], slope), &v->out[TS_SIN_SELF]);
}

ts_status tsi_vjp_cos(tsi_vjp *v) /* G2 */
{
    tsi_expr e = {0};
    ts_tensor *slope = tsx_neg(&e, tsx_sin(&e, v->args[TS_COS_SELF].tensor));

    return tsi_expr_give(&e, tsx_mul(&e, v->grads[0], slope), &v->out[TS_COS_SELF]);
}

ts_status tsi_vjp_tan(tsi_vjp *v) /* G3 */
{
    tsi_expr e = {0};
    ts_tensor *y = v->results[0];
    ts_tensor *slope = tsx_add_number(&e, tsx_mul(&e, y, y), ts_int(1), NULL);

    return tsi_expr_give(&e, tsx_mul(&e, v->grads[0], slope), &v->out[TS_TAN_SELF]);
}

/* rsqrt(1 - x * x) */
static ts_tensor *arc(tsi_expr *e, ts_tensor *x)
{
    return tsx_rsqrt(e, tsx_rsub_number(e, tsx_mul(e, x, x), ts_int(1), NULL));
}

ts_status tsi_vjp_asin(tsi_vjp *v) /* G4 */
{
    tsi_expr e = {0};
    ts_tensor *slope = arc(&e, v->args[TS_ASIN_SELF].tensor);

    return tsi_expr_give(&e, tsx_mul(&e, v->grads[0], slope), &v->out[TS_ASIN_SELF]);
}

ts_status tsi_vjp_acos(tsi_vjp *v) /* G5 */
{
    tsi_expr e = {0};
    ts_tensor *slope = tsx_neg(&e, arc(&e, v->args[TS_ACOS_SELF].tensor));

    return tsi_expr_give(&e, tsx_mul(&e, v->grads[0], slope), &v->out[TS_ACOS_SELF]);
}

ts_status tsi_vjp_atan(tsi_vjp *v) /* G6 */
{
    tsi_expr e = {0};
    ts_tensor *x = v->args[TS_ATAN_SELF].tensor;
    ts_tensor *steep = tsx_add_number(&e, tsx_mul(&e, x, x), ts_int(1), NULL);

    return tsi_expr_give(&e, tsx_div(&e, v->grads[0], steep, NULL),
                         &v->out[TS_ATAN_SELF]);
}

ts_status tsi_vjp_sinh(tsi_vjp *v) /* G7 */
{
    tsi_expr e = {0};
    ts_tensor *slope = tsx_cosh(&e, v->args[TS_SINH_SELF].tensor);

    return tsi_expr_give(&e, tsx_mul(&e, v->grads[0], slope), &v->out[TS_SINH_SELF]);
}

ts_status tsi_vjp_cosh(tsi_vjp *v) /* G8 */
{
    tsi_expr e = {0};
    ts_tensor *slope = tsx_sinh(&e, v->args[TS_COSH_SELF].tensor);

    return tsi_expr_give(&e, tsx_mul(&e, v->grads[0], slope), &v->out[TS_COSH_SELF]);
}

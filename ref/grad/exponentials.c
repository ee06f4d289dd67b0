/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients of powers, logarithms and rsqrt; spec/ops/exponentials.md. */
#include "core/expr.h"
#include "grad/vjp.h"
#include "touchstone/ops/add_expr.h"
#include "touchstone/ops/div_expr.h"
#include "touchstone/ops/exponentials_glue.h"
#include "touchstone/ops/mul_expr.h"

#define LN_2 0.69314718055994530942
#define LN_10 2.30258509299404568402

ts_status tsi_vjp_exp2(tsi_vjp *v) /* G1 */
{
    tsi_expr e = {0};
    ts_tensor *slope = tsx_mul(&e, v->grads[0], v->results[0]);

    return tsi_expr_give(&e, tsx_mul_number(&e, slope, ts_float(LN_2)),
                         &v->out[TS_EXP2_SELF]);
}

ts_status tsi_vjp_expm1(tsi_vjp *v) /* G2 */
{
    tsi_expr e = {0};
    ts_tensor *slope = tsx_add_number(&e, v->results[0], ts_int(1), NULL);

    return tsi_expr_give(&e, tsx_mul(&e, v->grads[0], slope), &v->out[TS_EXPM1_SELF]);
}

/* grad / (self * scale) */
static ts_status logarithm(tsi_vjp *v, double scale)
{
    tsi_expr e = {0};
    ts_tensor *steep = tsx_mul_number(&e, v->args[0].tensor, ts_float(scale));

    return tsi_expr_give(&e, tsx_div(&e, v->grads[0], steep, NULL), &v->out[0]);
}

ts_status tsi_vjp_log2(tsi_vjp *v) /* G3 */
{
    return logarithm(v, LN_2);
}

ts_status tsi_vjp_log10(tsi_vjp *v) /* G4 */
{
    return logarithm(v, LN_10);
}

ts_status tsi_vjp_log1p(tsi_vjp *v) /* G5 */
{
    tsi_expr e = {0};
    ts_tensor *steep = tsx_add_number(&e, v->args[TS_LOG1P_SELF].tensor, ts_int(1), NULL);

    return tsi_expr_give(&e, tsx_div(&e, v->grads[0], steep, NULL),
                         &v->out[TS_LOG1P_SELF]);
}

ts_status tsi_vjp_rsqrt(tsi_vjp *v) /* G6 */
{
    ts_tensor *y = v->results[0];
    tsi_expr e = {0};
    ts_tensor *half = tsx_mul_number(&e, v->grads[0], ts_float(-0.5));

    return tsi_expr_give(&e, tsx_mul(&e, half, tsx_mul(&e, tsx_mul(&e, y, y), y)),
                         &v->out[TS_RSQRT_SELF]);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients of the inverse hyperbolic functions; spec/ops/hyperbolic.md. */
#include "core/expr.h"
#include "grad/vjp.h"
#include "touchstone/ops/add_expr.h"
#include "touchstone/ops/div_expr.h"
#include "touchstone/ops/exponentials_expr.h"
#include "touchstone/ops/hyperbolic_expr.h"
#include "touchstone/ops/hyperbolic_glue.h"
#include "touchstone/ops/mul_expr.h"

/* grad * rsqrt(x * x + by) */
static ts_status over_root(tsi_vjp *v, int64_t by)
{
    tsi_expr e = {0};
    ts_tensor *x = v->args[0].tensor;
    ts_tensor *square = tsx_add_number(&e, tsx_mul(&e, x, x), ts_int(by), NULL);

    return tsi_expr_give(&e, tsx_mul(&e, v->grads[0], tsx_rsqrt(&e, square)), &v->out[0]);
}

ts_status tsi_vjp_asinh(tsi_vjp *v) /* G1 */
{
    return over_root(v, 1);
}

ts_status tsi_vjp_acosh(tsi_vjp *v) /* G2 */
{
    return over_root(v, -1);
}

ts_status tsi_vjp_atanh(tsi_vjp *v) /* G3 */
{
    tsi_expr e = {0};
    ts_tensor *x = v->args[TS_ATANH_SELF].tensor;
    ts_tensor *steep = tsx_rsub_number(&e, tsx_mul(&e, x, x), ts_int(1), NULL);

    return tsi_expr_give(&e, tsx_div(&e, v->grads[0], steep, NULL),
                         &v->out[TS_ATANH_SELF]);
}

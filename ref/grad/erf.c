/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients of the error functions; spec/ops/erf.md. */
#include "core/expr.h"
#include "grad/vjp.h"
#include "touchstone/ops/erf_expr.h"
#include "touchstone/ops/erf_glue.h"
#include "touchstone/ops/mul_expr.h"
#include "touchstone/ops/unary_expr.h"

static const double ROOT_PI = 1.77245385090551602730;

/* by * exp(exponent) * grad */
static ts_status scaled(tsi_vjp *v, tsi_expr *e, double by, ts_tensor *exponent)
{
    ts_tensor *slope = tsx_mul_number(e, tsx_exp(e, exponent), ts_float(by));

    return tsi_expr_give(e, tsx_mul(e, slope, v->grads[0]), &v->out[0]);
}

static ts_status bell(tsi_vjp *v, double by)
{
    tsi_expr e = {0};
    ts_tensor *x = v->args[0].tensor;

    return scaled(v, &e, by, tsx_neg(&e, tsx_mul(&e, x, x)));
}

ts_status tsi_vjp_erf(tsi_vjp *v) /* G1 */
{
    return bell(v, 2 / ROOT_PI);
}

ts_status tsi_vjp_erfc(tsi_vjp *v) /* G2 */
{
    return bell(v, -2 / ROOT_PI);
}

ts_status tsi_vjp_erfinv(tsi_vjp *v) /* G3 */
{
    tsi_expr e = {0};
    ts_tensor *y = tsx_erfinv(&e, v->args[TS_ERFINV_SELF].tensor);

    return scaled(v, &e, ROOT_PI / 2, tsx_mul(&e, y, y));
}

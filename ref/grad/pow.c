/* SPDX-License-Identifier: Apache-2.0 */
/* Gradient of pow; spec/ops/pow.md. */
#include "core/expr.h"
#include "grad/vjp.h"
#include "touchstone/element.h"
#include "touchstone/ops/add_expr.h"
#include "touchstone/ops/compare_expr.h"
#include "touchstone/ops/factories_expr.h"
#include "touchstone/ops/logical_expr.h"
#include "touchstone/ops/mul_expr.h"
#include "touchstone/ops/pow_expr.h"
#include "touchstone/ops/pow_glue.h"
#include "touchstone/ops/unary_expr.h"
#include "touchstone/ops/where_expr.h"

/* grad * (exponent * self ** (exponent - 1)) */
static ts_tensor *lowered(const tsi_vjp *v, tsi_expr *e, ts_tensor *less)
{
    ts_tensor *power = tsx_pow(e, v->args[TS_POW_SELF].tensor, less);

    return tsx_mul(e, v->grads[0], tsx_mul(e, power, v->args[TS_POW_EXPONENT].tensor));
}

static ts_status of_self(tsi_vjp *v) /* G1 */
{
    ts_tensor *x = v->args[TS_POW_SELF].tensor, *y = v->args[TS_POW_EXPONENT].tensor;
    tsi_expr e = {0};
    ts_tensor *slope;

    if (ts_is_wrapped_number(y)) {
        const double n = ts_load_f64(y->dtype, y->data);
        const ts_scalar less =
            y->dtype == TS_INT64 ? ts_int((int64_t)n - 1) : ts_float(n - 1);

        slope =
            n == 0 ? tsx_zeros_like(&e, x, NULL) : lowered(v, &e, tsi_number(&e, less));
    } else {
        slope = lowered(v, &e, tsx_sub_number(&e, y, ts_int(1), NULL));
        slope = tsx_where_number(&e, tsx_ne_number(&e, y, ts_int(0)), slope, ts_int(0));
    }
    return tsi_expr_give(&e, slope, &v->out[TS_POW_SELF]);
}

static ts_status of_exponent(tsi_vjp *v) /* G2 */
{
    ts_tensor *x = v->args[TS_POW_SELF].tensor, *y = v->args[TS_POW_EXPONENT].tensor;
    tsi_expr e = {0};
    ts_tensor *wide = tsi_cast(&e, x, v->results[0]->dtype);
    ts_tensor *flat = tsx_logical_and(&e, tsx_eq_number(&e, x, ts_int(0)),
                                      tsx_ge_number(&e, y, ts_int(0)));
    ts_tensor *slope = tsx_mul(&e, v->results[0], tsx_log(&e, wide));

    slope = tsx_where_number(&e, tsx_logical_not(&e, flat), slope, ts_int(0));
    return tsi_expr_give(&e, tsx_mul(&e, v->grads[0], slope), &v->out[TS_POW_EXPONENT]);
}

ts_status tsi_vjp_pow(tsi_vjp *v)
{
    if (v->needs[TS_POW_SELF])
        TS_TRY(of_self(v));
    return v->needs[TS_POW_EXPONENT] ? of_exponent(v) : TS_OK;
}

ts_status tsi_vjp_square(tsi_vjp *v) /* G1 */
{
    tsi_expr e = {0};
    ts_tensor *twice = tsx_mul_number(&e, v->args[TS_SQUARE_SELF].tensor, ts_int(2));

    return tsi_expr_give(&e, tsx_mul(&e, v->grads[0], twice), &v->out[0]);
}

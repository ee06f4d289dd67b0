/* SPDX-License-Identifier: Apache-2.0 */
/* What pow accepts beyond its family, and square; spec/ops/pow.md. */
#include "family/family.h"
#include "touchstone/element.h"
#include "touchstone/ops/pow_glue.h"

ts_status tsi_api_pow(ts_frame *f)
{
    ts_tensor *t[] = {tsi_tensor(f, TS_POW_SELF), tsi_tensor(f, TS_POW_EXPONENT)};
    const ts_dtype dtype = tsi_result_type(2, t);
    const bool number = ts_is_wrapped_number(t[1]);

    if (dtype == TS_BOOL && number) /* S4 */
        return tsi_pointwise(f, f->op->labels[TSI_REFUSES_SHAPE], 2, t, dtype, dtype);
    TS_TRY(tsi_family_binary(f));
    if (ts_is_wrapped_number(t[0])) /* S5 */
        f->meta[0].strided = false;
    TS_CHECK(!number || tse_is_real(dtype) || ts_load_f64(t[1]->dtype, t[1]->data) >= 0,
             TS_ERR_RUNTIME, "pow/C3", "pow: an integer to the negative power %g",
             ts_load_f64(t[1]->dtype, t[1]->data));
    return TS_OK;
}

ts_status tsi_api_square(ts_frame *f) /* S6 */
{
    ts_tensor *x = tsi_tensor(f, TS_SQUARE_SELF);

    return x->dtype == TS_BOOL ? tsi_pointwise(f, NULL, 1, &x, TS_INT64, TS_INT64)
                               : tsi_family_unary_same(f);
}

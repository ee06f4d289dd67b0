/* SPDX-License-Identifier: Apache-2.0 */
/* Pointwise families: functions of one, two and three elements, comparisons (T-12, T-16). */
#include "family/family.h"

static ts_status check_dtype(const ts_frame *f, ts_dtype dtype)
{
    const bool is_bool = dtype == TS_BOOL;

    return tsi_check_dtype(
        f, dtype,
        tsi_label(f, is_bool ? TSI_REFUSES_BOOL : TSI_REFUSES_DTYPE, TSI_REFUSES_DTYPE));
}

ts_status tsi_family_unary_float(ts_frame *f)
{
    ts_tensor *x = tsi_tensor(f, 0);
    const ts_dtype dtype = ts_dtype_is_floating(x->dtype) ? x->dtype : TS_FLOAT32;

    TS_TRY(check_dtype(f, x->dtype));
    return tsi_pointwise(f, NULL, 1, &x, dtype, dtype);
}

ts_status tsi_family_unary_same(ts_frame *f)
{
    ts_tensor *x = tsi_tensor(f, 0);

    TS_TRY(check_dtype(f, x->dtype));
    TS_TRY(tsi_check_out_dtype(f, x->dtype));
    return tsi_pointwise(f, NULL, 1, &x, x->dtype, x->dtype);
}

ts_status tsi_family_predicate(ts_frame *f)
{
    ts_tensor *x = tsi_tensor(f, 0);

    TS_TRY(check_dtype(f, x->dtype));
    if (f->op->labels[TSI_REFUSES_OUT_DTYPE])
        TS_TRY(tsi_check_out_dtype(f, TS_BOOL));
    return tsi_pointwise(f, NULL, 1, &x, x->dtype, TS_BOOL);
}

ts_status tsi_family_two(ts_frame *f, ts_tensor *a, ts_tensor *b, ts_dtype compute,
                         ts_dtype dtype)
{
    TS_TRY(tsi_pointwise(f, f->op->labels[TSI_REFUSES_SHAPE], 2, (ts_tensor *[]){a, b},
                         compute, dtype));
    return check_dtype(f, compute);
}

ts_status tsi_family_binary(ts_frame *f)
{
    ts_tensor *t[] = {tsi_tensor(f, 0), tsi_tensor(f, 1)};
    const ts_dtype dtype = tsi_result_type(2, t);

    return tsi_family_two(f, t[0], t[1], dtype, dtype);
}

ts_status tsi_family_binary_float(ts_frame *f)
{
    ts_tensor *t[] = {tsi_tensor(f, 0), tsi_tensor(f, 1)};
    ts_dtype dtype = tsi_result_type(2, t);

    if (dtype != TS_DTYPE_NONE && !ts_dtype_is_floating(dtype))
        dtype = TS_FLOAT32; /* the default dtype */
    return tsi_family_two(f, t[0], t[1], dtype, dtype);
}

ts_status tsi_family_three(ts_frame *f, ts_tensor *const *t, const ts_dtype *as,
                           ts_dtype dtype)
{
    TS_TRY(tsi_pointwise_as(f, f->op->labels[TSI_REFUSES_SHAPE], 3, t, as, dtype, dtype));
    TS_TRY(check_dtype(f, dtype));
    return tsi_check_out_dtype(f, dtype);
}

ts_status tsi_family_ternary(ts_frame *f)
{
    ts_tensor *t[] = {tsi_tensor(f, 0), tsi_tensor(f, 1), tsi_tensor(f, 2)};

    return tsi_family_three(f, t, NULL, tsi_result_type(3, t));
}

ts_status tsi_family_comparison(ts_frame *f)
{
    ts_tensor *t[] = {tsi_tensor(f, 0), tsi_tensor(f, 1)};

    return tsi_family_two(f, t[0], t[1], tsi_result_type(2, t), TS_BOOL);
}

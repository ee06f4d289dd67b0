/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>

#include "core/body.h"

static ts_tensor *make(ts_dtype d, int ndim, bool wrapped)
{
    ts_tensor *t;

    cr_assert_eq(ts_tensor_new((ts_device){TS_CPU, 0}, d, ndim, (int64_t[]){1, 1}, &t),
                 TS_OK);
    tsi_of(t)->wrapped_number = wrapped;
    return t;
}

static ts_dtype of(ts_dtype a, int na, bool wa, ts_dtype b, int nb, bool wb)
{
    ts_tensor *t[] = {make(a, na, wa), make(b, nb, wb)};
    const ts_dtype r = tsi_result_type(2, t);

    ts_release(t[0]);
    ts_release(t[1]);
    return r;
}

Test(promotion, s1_equal_standing)
{
    cr_assert_eq(of(TS_FLOAT16, 1, false, TS_BFLOAT16, 1, false), TS_FLOAT32);
    cr_assert_eq(of(TS_UINT8, 1, false, TS_INT8, 1, false), TS_INT16);
    cr_assert_eq(of(TS_INT64, 1, false, TS_FLOAT16, 1, false), TS_FLOAT16);
    cr_assert_eq(of(TS_BOOL, 1, false, TS_UINT8, 1, false), TS_UINT8);
    for (int a = 0; a < TS_DTYPE_COUNT; a++)
        for (int b = 0; b < TS_DTYPE_COUNT; b++)
            cr_assert_eq(ts_promote_types((ts_dtype)a, (ts_dtype)b),
                         ts_promote_types((ts_dtype)b, (ts_dtype)a));
}

Test(promotion, s2_zero_dims_raise_only_the_category)
{
    cr_assert_eq(of(TS_FLOAT16, 1, false, TS_FLOAT64, 0, false), TS_FLOAT16);
    cr_assert_eq(of(TS_INT32, 1, false, TS_FLOAT64, 0, false), TS_FLOAT64);
    cr_assert_eq(of(TS_INT8, 1, false, TS_INT64, 0, false), TS_INT8);
    cr_assert_eq(of(TS_BOOL, 1, false, TS_INT8, 0, false), TS_INT8);
}

Test(promotion, s3_numbers_raise_only_the_category)
{
    cr_assert_eq(of(TS_INT8, 1, false, TS_INT64, 0, true), TS_INT8);
    cr_assert_eq(of(TS_INT8, 0, false, TS_FLOAT64, 0, true), TS_FLOAT32);
    cr_assert_eq(of(TS_BOOL, 1, false, TS_INT64, 0, true), TS_INT64);
    cr_assert_eq(of(TS_BFLOAT16, 1, false, TS_FLOAT64, 0, true), TS_BFLOAT16);
}

Test(promotion, s6_can_cast)
{
    cr_assert(!ts_can_cast(TS_FLOAT32, TS_INT64));
    cr_assert(!ts_can_cast(TS_INT8, TS_BOOL));
    cr_assert(ts_can_cast(TS_FLOAT64, TS_FLOAT16));
    cr_assert(ts_can_cast(TS_INT64, TS_INT8));
    cr_assert(ts_can_cast(TS_BOOL, TS_BOOL));
}

Test(promotion, c2_float8_meets_nothing)
{
    cr_assert_eq(ts_promote_types(TS_FLOAT8_E5M2, TS_FLOAT32), TS_DTYPE_NONE);
    cr_assert_eq(ts_promote_types(TS_FLOAT8_E5M2, TS_FLOAT8_E5M2), TS_FLOAT8_E5M2);
}

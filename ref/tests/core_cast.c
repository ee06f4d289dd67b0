/* SPDX-License-Identifier: Apache-2.0 */
/* Conversions (T-11): every 16- and 8-bit pattern there and back,
 * and the roundings between. */
#include <criterion/criterion.h>
#include <math.h>

#include "core/core.h"

static const ts_dtype narrow[] = {TS_BFLOAT16, TS_FLOAT16, TS_FLOAT8_E4M3FN,
                                  TS_FLOAT8_E5M2};

static double decoded(ts_dtype d, unsigned bits)
{
    const uint16_t cell = (uint16_t)bits;

    return ts_load_f64(d, &cell);
}

Test(dtypes, every_pattern_survives_a_round_trip)
{
    for (size_t k = 0; k < sizeof narrow / sizeof *narrow; k++) {
        const unsigned n = 1u << ts_dtype_get(narrow[k])->bits;

        for (unsigned bits = 0; bits < n; bits++) {
            const double v = decoded(narrow[k], bits);
            uint16_t back = 0;

            ts_store_f64(narrow[k], &back, v);
            if (isnan(v))
                cr_assert(isnan(ts_load_f64(narrow[k], &back)));
            else
                cr_assert_eq(back, bits, "%s %#x came back as %#x",
                             ts_dtype_name(narrow[k]), bits, back);
        }
    }
}

/* Between neighbours: the midpoint goes to the even pattern,
 * a hair beside it to the nearer. */
Test(dtypes, s1_ties_go_to_even)
{
    for (size_t k = 0; k < sizeof narrow / sizeof *narrow; k++) {
        const ts_dtype d = narrow[k];
        const unsigned half = 1u << (ts_dtype_get(d)->bits - 1);

        for (unsigned bits = 0; bits + 1 < half; bits++) {
            const double lo = decoded(d, bits), hi = decoded(d, bits + 1);
            const double mid = lo + (hi - lo) / 2;

            if (!isfinite(lo) || !isfinite(hi))
                continue;
            cr_assert_eq(ts_dtype_round(d, mid), bits % 2 ? hi : lo,
                         "%s between %a and %a", ts_dtype_name(d), lo, hi);
            cr_assert_eq(ts_dtype_round(d, nextafter(mid, 0)), lo);
            cr_assert_eq(ts_dtype_round(d, nextafter(mid, INFINITY)), hi);
            cr_assert_eq(ts_dtype_round(d, -mid), bits % 2 ? -hi : -lo);
        }
    }
}

Test(dtypes, s2_overflow)
{
    cr_assert_eq(ts_dtype_round(TS_FLOAT16, 65519.9), 65504);
    cr_assert(isinf(ts_dtype_round(TS_FLOAT16, 65520)));
    cr_assert_eq(ts_dtype_round(TS_FLOAT8_E4M3FN, 464), 448);
    cr_assert_eq(ts_dtype_round(TS_FLOAT8_E4M3FN, 500), 448);
    cr_assert_eq(ts_dtype_round(TS_FLOAT8_E4M3FN, -INFINITY), -448);
    cr_assert(isinf(ts_dtype_round(TS_FLOAT8_E5M2, 61440)));
    cr_assert(isinf(ts_dtype_round(TS_BFLOAT16, 3.4e38)));
}

Test(dtypes, s5_float64_goes_through_float32)
{
    const double v =
        1 + 0x1p-11 + 0x1p-40; /* above the tie for float16, the tie in float32 */
    uint16_t twice, once;

    ts_cast(TS_FLOAT64, &v, TS_FLOAT16, &twice);
    ts_store_f64(TS_FLOAT16, &once, v);
    cr_assert_eq(twice, 0x3C00);
    cr_assert_eq(once, 0x3C01);
}

Test(dtypes, s6_s7_integers_truncate_and_wrap)
{
    unsigned char cell[8];

    ts_store_f64(TS_INT32, cell, -2.9);
    cr_assert_eq(ts_load_i64(TS_INT32, cell), -2);
    ts_store_i64(TS_UINT8, cell, 300);
    cr_assert_eq(ts_load_i64(TS_UINT8, cell), 44);
    ts_store_i64(TS_UINT8, cell, -1);
    cr_assert_eq(ts_load_i64(TS_UINT8, cell), 255);
    ts_store_i64(TS_INT16, cell, 40000);
    cr_assert_eq(ts_load_i64(TS_INT16, cell), 40000 - 65536);
    ts_store_f64(TS_INT64, cell, NAN);
    cr_assert_eq(ts_load_i64(TS_INT64, cell), INT64_MIN);
}

Test(dtypes, s8_nan_is_true)
{
    unsigned char cell[8];

    ts_store_f64(TS_BOOL, cell, NAN);
    cr_assert_eq(cell[0], 1);
    ts_store_f64(TS_BOOL, cell, -0.0);
    cr_assert_eq(cell[0], 0);
}

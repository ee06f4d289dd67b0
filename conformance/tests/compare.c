/* SPDX-License-Identifier: Apache-2.0 */
/* Answers against truth and bound: one test per rule of spec/areas/results.md. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "compare/compare.h"

/* A bound as it is stored. */
static uint16_t code(double v)
{
    uint64_t bits;

    memcpy(&bits, &v, sizeof(bits));
    return (uint16_t)(bits >> 47);
}

enum { N = 4 };

/* A float32 answer of N elements beside its truth, and what tsi_compare_answer says. */
static bool accepted(const double *truth, const float *bounds, const float *got,
                     tsi_comparison *c)
{
    static const int64_t size[] = {N}, stride[] = {1};
    uint16_t bound[N];

    for (int i = 0; i < N; i++)
        bound[i] = code(bounds[i]);
    const tsi_expected e = {.class_ = TSI_CLASS_BOUND,
                            .dtype = TS_FLOAT32,
                            .ndim = 1,
                            .numel = N,
                            .sizes = size,
                            .strides = stride,
                            .truth = (const unsigned char *)truth,
                            .bound = (const unsigned char *)bound};
    const tsi_answer a = {.dtype = TS_FLOAT32,
                          .ndim = 1,
                          .numel = N,
                          .sizes = size,
                          .strides = stride,
                          .elements = (const unsigned char *)got};

    tsi_compare_answer("y", &e, &a, c);
    return c->equal;
}

Test(compare, s2_within_the_bound_and_not_beyond)
{
    const double truth[N] = {1, 2, 3, 4};
    const float bound[N] = {0.5f, 0.5f, 0.5f, 0.5f};
    tsi_comparison c;

    cr_assert(accepted(truth, bound, (float[]){1.5f, 1.5f, 3, 4}, &c));
    cr_assert_eq(c.worst, 1);
    cr_assert_not(accepted(truth, bound, (float[]){1, 2, 3, 4.75f}, &c));
    cr_assert_eq(c.worst_at, 3);
    cr_assert_eq(c.wrong, 1);
    cr_assert(strstr(c.reason, "y[3]: expected 4 within 0.5, got 4.75"), "%s", c.reason);
}

/* results/S2 */
Test(compare, s2_nan_and_infinity_must_be_met)
{
    const double truth[N] = {NAN, INFINITY, -INFINITY, 0};
    const float bound[N] = {1, 1, 1, 1};
    tsi_comparison c;

    cr_assert(accepted(truth, bound, (float[]){-NAN, INFINITY, -INFINITY, -0.f}, &c));
    cr_assert_not(accepted(truth, bound, (float[]){0, INFINITY, -INFINITY, 0}, &c));
    cr_assert_not(accepted(truth, bound, (float[]){NAN, 3e38f, -INFINITY, 0}, &c));
    cr_assert_not(accepted(truth, bound, (float[]){NAN, INFINITY, INFINITY, 0}, &c));
    cr_assert_not(accepted(truth, bound, (float[]){NAN, INFINITY, -INFINITY, NAN}, &c));
}

/* results/S3 */
Test(compare, s3_infinity_is_right_where_rounding_gives_it)
{
    cr_assert(tsi_within(TS_FLOAT16, INFINITY, 65519, 2));
    cr_assert_not(tsi_within(TS_FLOAT16, INFINITY, 65519, 0.5));
    cr_assert_not(tsi_within(TS_FLOAT16, -INFINITY, 65519, 2));
    cr_assert_not(tsi_within(TS_FLOAT16, INFINITY, 1, 2));
    cr_assert_not(tsi_within(TS_FLOAT16, 65504, INFINITY, 2));
}

Test(compare, s4_exact_means_bits_but_any_nan)
{
    const float nan_a = NAN, nan_b = -NAN, zero = 0, minus = -0.f;

    cr_assert(tsi_same_element(TS_FLOAT32, &nan_a, &nan_b));
    cr_assert_not(tsi_same_element(TS_FLOAT32, &zero, &minus));
}

Test(compare, s1_dtype_then_shape_then_strides)
{
    static const int64_t a23[] = {2, 3}, a32[] = {3, 2}, rows[] = {3, 1},
                         columns[] = {1, 2};
    const double zeros[6] = {0};
    const tsi_expected e = {.class_ = TSI_CLASS_EXACT,
                            .dtype = TS_FLOAT64,
                            .ndim = 2,
                            .numel = 6,
                            .sizes = a23,
                            .strides = rows,
                            .bits = (const unsigned char *)zeros};
    tsi_answer a = {.dtype = TS_INT64,
                    .ndim = 2,
                    .numel = 6,
                    .sizes = a32,
                    .strides = columns,
                    .elements = (const unsigned char *)zeros};
    tsi_comparison c;

    tsi_compare_answer("y", &e, &a, &c);
    cr_assert_str_eq(c.reason, "y: expected dtype float64, got int64");
    a.dtype = TS_FLOAT64;
    tsi_compare_answer("y", &e, &a, &c);
    cr_assert_str_eq(c.reason, "y: expected shape [2, 3], got [3, 2]");
    a.sizes = a23;
    tsi_compare_answer("y", &e, &a, &c);
    cr_assert_str_eq(c.reason, "y: expected strides [3, 1], got [1, 2]");
    a.strides = rows;
    tsi_compare_answer("y", &e, &a, &c);
    cr_assert(c.equal);
}

Test(compare, s1_strides_of_one_element_do_not_count)
{
    cr_assert(
        tsi_same_strides(2, (int64_t[]){1, 3}, (int64_t[]){9, 1}, (int64_t[]){3, 1}));
    cr_assert(
        tsi_same_strides(2, (int64_t[]){2, 0}, (int64_t[]){9, 9}, (int64_t[]){3, 1}));
    cr_assert_not(
        tsi_same_strides(2, (int64_t[]){2, 3}, (int64_t[]){9, 1}, (int64_t[]){3, 1}));
}

Test(compare, s11_a_digest_stands_for_elements)
{
    /* of the bytes 00 00 c0 7f 00 00 80 3f: NaN and 1 */
    static const unsigned char golden[TSI_DIGEST_SIZE] = {
        0xD6, 0x52, 0xDA, 0xCF, 0x72, 0xAB, 0x4B, 0x74,
        0xA9, 0x8C, 0x9E, 0x96, 0xF8, 0x6F, 0xAC, 0x13};
    static const int64_t size[] = {2}, stride[] = {1};
    const float first[] = {NAN, 1}, second[] = {-NAN, 1}, third[] = {NAN, -1};
    unsigned char digest[TSI_DIGEST_SIZE], again[TSI_DIGEST_SIZE];
    tsi_expected e = {.class_ = TSI_CLASS_DIGEST,
                      .dtype = TS_FLOAT32,
                      .ndim = 1,
                      .numel = 2,
                      .sizes = size,
                      .strides = stride,
                      .digest = digest};
    tsi_answer a = {
        .dtype = TS_FLOAT32, .ndim = 1, .numel = 2, .sizes = size, .strides = stride};
    tsi_comparison c;

    tsi_digest(TS_FLOAT32, first, 2, digest);
    cr_assert_arr_eq(digest, golden, sizeof digest);
    tsi_digest(TS_FLOAT32, second, 2, again);
    cr_assert_arr_eq(digest, again, sizeof digest);
    a.elements = (const unsigned char *)first;
    tsi_compare_answer("y", &e, &a, &c);
    cr_assert(c.equal);
    a.elements = (const unsigned char *)third;
    tsi_compare_answer("y", &e, &a, &c);
    cr_assert_not(c.equal);
    cr_assert_neq(strstr(c.reason, "digest"), NULL);
    cr_assert(c.by_digest);
    a.elements = (const unsigned char *)first;
    a.strides = (const int64_t[]){3};
    tsi_compare_answer("y", &e, &a, &c);
    cr_assert_not(c.equal || c.by_digest);
    cr_assert_str_eq(c.reason, "y: expected strides [1], got [3]");
}

static tsi_fit fits(tsi_trivial kind, const int64_t *bits, const int64_t *input)
{
    static const int64_t size[] = {N}, stride[] = {1};
    const tsi_expected e = {.class_ = TSI_CLASS_EXACT,
                            .dtype = TS_INT64,
                            .ndim = 1,
                            .numel = N,
                            .sizes = size,
                            .strides = stride,
                            .bits = (const unsigned char *)bits};
    const tsi_answer a = {.dtype = TS_INT64,
                          .ndim = 1,
                          .numel = N,
                          .sizes = size,
                          .strides = stride,
                          .elements = (const unsigned char *)input};

    return tsi_trivial_fits(kind, &e, input ? &a : NULL);
}

Test(compare, s5_trivial_answers)
{
    const int64_t zeros[N] = {0}, same[N] = {3, 3, 3, 3}, rise[N] = {1, 2, 3, 4};
    const int64_t held[N] = {-1, -1, -1, -1}; /* TSI_POISON_FIRST in every byte */

    cr_assert_eq(fits(TSI_ZEROS, zeros, NULL), TSI_FIT_YES);
    cr_assert_eq(fits(TSI_ZEROS, rise, NULL), TSI_FIT_NO);
    cr_assert_eq(fits(TSI_SHIFT, same, NULL), TSI_FIT_NONE);
    cr_assert_eq(fits(TSI_SHIFT, rise, NULL), TSI_FIT_NO);
    cr_assert_eq(fits(TSI_INPUT, rise, rise), TSI_FIT_YES);
    cr_assert_eq(fits(TSI_INPUT, rise, same), TSI_FIT_NO);
    cr_assert_eq(fits(TSI_INPUT, rise, NULL), TSI_FIT_NONE);
    cr_assert_eq(fits(TSI_POISON, held, NULL), TSI_FIT_YES);
    cr_assert_eq(fits(TSI_POISON, rise, NULL), TSI_FIT_NO);
}

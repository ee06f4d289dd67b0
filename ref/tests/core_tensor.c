/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>

#include "core/core.h"
#include "core/overlap.h"

static const ts_device cpu = {TS_CPU, 0};

#define DIMS(...) \
    (int)(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t)), ((int64_t[]){__VA_ARGS__})

static ts_tensor *strided(int ndim, const int64_t *sizes, const int64_t *strides)
{
    ts_tensor *t;

    cr_assert_eq(ts_tensor_new_strided(cpu, TS_INT32, ndim, sizes, strides, &t), TS_OK);
    return t;
}

Test(tensors, everything_released_leaves_nothing)
{
    ts_tensor *t, *v;

    cr_assert_eq(ts_tensor_new(cpu, TS_FLOAT32, DIMS(3, 4), &t), TS_OK);
    cr_assert_eq(tsi_view_new(t, t->dtype, DIMS(2), (int64_t[]){4}, 1, &v), TS_OK);
    cr_assert_eq(ts_tensor_base(v), t);
    ts_release(t);
    cr_assert_eq(ts_live_now().tensors, 2, "a view keeps its base");
    cr_assert_eq(ts_live_now().bytes, 48);
    ts_release(v);
    cr_assert_eq(ts_live_now().tensors, 0);
    cr_assert_eq(ts_live_now().storages, 0);
    cr_assert_eq(ts_live_now().bytes, 0);
}

Test(tensors, s13_dims_beyond_the_inline_ones)
{
    int64_t sizes[64];
    ts_tensor *t;

    for (int d = 0; d < 64; d++)
        sizes[d] = d < 2 ? 3 : 1;
    cr_assert_eq(ts_tensor_new(cpu, TS_INT8, 64, sizes, &t), TS_OK);
    cr_assert_eq(t->numel, 9);
    cr_assert_eq(t->strides[0], 3);
    cr_assert_eq(tsi_resize(t, DIMS(2, 2)), TS_OK);
    cr_assert_eq(t->ndim, 2);
    ts_release(t);
    cr_assert_eq(ts_tensor_new(cpu, TS_INT8, 65, sizes, &t), TS_ERR_RUNTIME);
    cr_assert_str_eq(ts_error_label(), "tensors/C7");
}

Test(tensors, c6_c8_bounds)
{
    ts_storage *s;
    ts_tensor *t;

    cr_assert_eq(ts_storage_new(cpu, 32, &s), TS_OK);
    cr_assert_eq(ts_tensor_over(s, TS_INT32, DIMS(2, 4), (int64_t[]){4, 1}, 0, &t),
                 TS_OK);
    ts_release(t);
    cr_assert_eq(ts_tensor_over(s, TS_INT32, DIMS(2, 4), (int64_t[]){4, 1}, 1, &t),
                 TS_ERR_RUNTIME);
    cr_assert_str_eq(ts_error_label(), "tensors/C6");
    cr_assert_eq(ts_tensor_over(s, TS_INT32, DIMS(2), (int64_t[]){-1}, 4, &t),
                 TS_ERR_RUNTIME);
    cr_assert_eq(
        ts_tensor_over(s, TS_INT32, DIMS(2, 2), (int64_t[]){INT64_MAX, 1}, 0, &t),
        TS_ERR_RUNTIME);
    cr_assert_eq(ts_tensor_over(s, TS_INT32, DIMS(0, 9), (int64_t[]){9, 1}, 1000, &t),
                 TS_OK, "no element, no reach");
    ts_release(t);
    ts_storage_release(s);
    cr_assert_eq(ts_tensor_new(cpu, TS_INT8, DIMS(INT64_MAX, 3), &t), TS_ERR_RUNTIME);
    cr_assert_str_eq(ts_error_label(), "tensors/C8");
    cr_assert_eq(ts_tensor_new(cpu, TS_INT8, DIMS(-1), &t), TS_ERR_RUNTIME);
}

Test(tensors, view_strides_across_gaps)
{
    ts_tensor *t = strided(3, (int64_t[]){2, 3, 4}, (int64_t[]){24, 4, 1});
    int64_t s[4];

    cr_assert(tsi_view_strides(t, DIMS(2, 12), s));
    cr_assert(s[0] == 24 && s[1] == 1);
    cr_assert(!tsi_view_strides(t, DIMS(6, 4), s));
    cr_assert(tsi_view_strides(t, DIMS(2, 1, 3, 4), s));
    cr_assert(s[0] == 24 && s[2] == 4 && s[3] == 1);
    ts_release(t);
}

Test(tensors, dense_and_contiguous)
{
    static const struct {
        int ndim;
        int64_t sizes[3], strides[3];
        bool contiguous, dense;
    } rows[] = {
        {2, {2, 3}, {3, 1}, true, true},
        {2, {2, 3}, {1, 2}, false, true},
        {2, {2, 3}, {4, 1}, false, false},
        {2, {1, 3}, {77, 1}, true, true},
        {2, {2, 3}, {0, 1}, false, false},
        {3, {2, 1, 3}, {3, 99, 1}, true, true},
        {1, {4}, {2}, false, false},
        {2, {0, 3}, {5, 7}, true, false},
        {3, {2, 3, 4}, {1, 8, 2}, false, true},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ts_tensor *t = strided(rows[i].ndim, rows[i].sizes, rows[i].strides);

        cr_expect_eq(ts_is_contiguous(t), rows[i].contiguous, "row %zu", i);
        cr_expect_eq(ts_is_non_overlapping_and_dense(t), rows[i].dense, "row %zu", i);
        ts_release(t);
    }
}

Test(tensors, overlap)
{
    ts_tensor *t = strided(1, (int64_t[]){10}, (int64_t[]){1}), *a, *b, *c;

    cr_assert_eq(tsi_view_new(t, t->dtype, DIMS(6), (int64_t[]){1}, 0, &a), TS_OK);
    cr_assert_eq(tsi_view_new(t, t->dtype, DIMS(6), (int64_t[]){1}, 3, &b), TS_OK);
    cr_assert_eq(tsi_view_new(t, t->dtype, DIMS(6), (int64_t[]){1}, 0, &c), TS_OK);
    cr_assert_eq(tsi_overlap_of(a, b), TSI_OVERLAP_PARTIAL);
    cr_assert_eq(tsi_overlap_of(a, c), TSI_OVERLAP_FULL);
    ts_release(c);
    cr_assert_eq(tsi_view_new(t, t->dtype, DIMS(4), (int64_t[]){1}, 6, &c), TS_OK);
    cr_assert_eq(tsi_overlap_of(a, c), TSI_OVERLAP_NONE);
    ts_release(a);
    ts_release(b);
    ts_release(c);
    ts_release(t);
}

Test(errors, s3_subclasses)
{
    cr_assert(ts_status_is(TS_ERR_NOT_IMPLEMENTED, TS_ERR_RUNTIME));
    cr_assert(!ts_status_is(TS_ERR_RUNTIME, TS_ERR_NOT_IMPLEMENTED));
    cr_assert(!ts_status_is(TS_ERR_INDEX, TS_ERR_RUNTIME));
    cr_assert_eq(ts_status_from_name("OutOfMemoryError"), TS_ERR_OUT_OF_MEMORY);
    cr_assert_eq(ts_fail(TS_ERR_VALUE, "a/C1", "x %d", 3), TS_ERR_VALUE);
    cr_assert_str_eq(ts_error_message(), "[a/C1] x 3");
    cr_assert_str_eq(ts_error_label(), "a/C1");
}

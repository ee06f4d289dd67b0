/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>

#include "core/core.h"

static const ts_device cpu = {TS_CPU, 0};

/* Every index of `shape` once, each tensor at its own address for it. */
static void walk(ts_tensor *shape, ts_tensor *other)
{
    int64_t seen = 0;
    ts_lines it;

    for (ts_lines_pointwise(&it, shape, 2, (ts_tensor *[]){shape, other});
         ts_lines_next(&it);)
        for (int64_t i = 0; i < it.n; i++, seen++) {
            int64_t rest = seen, a = 0, b = 0;

            for (int d = shape->ndim - 1; d >= 0; d--) {
                const int64_t index = rest % shape->sizes[d];
                const int own = d - (shape->ndim - other->ndim);

                rest /= shape->sizes[d];
                a += index * shape->strides[d];
                if (own >= 0 && other->sizes[own] != 1)
                    b += index * other->strides[own];
            }
            cr_assert_eq(it.at[0] + i * it.step[0], a);
            cr_assert_eq(it.at[1] + i * it.step[1], b);
        }
    cr_assert_eq(seen, shape->numel);
}

Test(tensors, pointwise_lines_visit_each_index_once)
{
    static const struct {
        int ndim, odim;
        int64_t sizes[4], strides[4], osizes[4], ostrides[4];
    } rows[] = {
        {2, 2, {3, 4}, {4, 1}, {3, 4}, {1, 3}},
        {3, 1, {2, 3, 4}, {12, 4, 1}, {4}, {2}},
        {3, 2, {2, 3, 4}, {1, 2, 6}, {3, 1}, {1, 1}},
        {0, 0, {0}, {0}, {0}, {0}},
        {2, 0, {3, 2}, {5, 2}, {0}, {0}},
        {4, 4, {2, 1, 3, 2}, {6, 6, 2, 1}, {1, 1, 3, 2}, {9, 9, 4, 2}},
        {2, 2, {0, 3}, {3, 1}, {1, 3}, {3, 1}},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ts_tensor *a, *b;

        cr_assert_eq(ts_tensor_new_strided(cpu, TS_INT8, rows[i].ndim, rows[i].sizes,
                                           rows[i].strides, &a),
                     TS_OK);
        cr_assert_eq(ts_tensor_new_strided(cpu, TS_INT8, rows[i].odim, rows[i].osizes,
                                           rows[i].ostrides, &b),
                     TS_OK);
        walk(a, b);
        ts_release(a);
        ts_release(b);
    }
}

Test(tensors, lines_along_a_dim)
{
    ts_tensor *t;
    ts_lines it;
    int lines = 0;

    cr_assert_eq(ts_tensor_new(cpu, TS_INT8, 3, (int64_t[]){2, 0, 3}, &t), TS_OK);
    for (ts_lines_dim(&it, 1, 1, &t); ts_lines_next(&it); lines++)
        cr_assert_eq(it.n, 0);
    cr_assert_eq(lines, 6, "an empty line still comes, so that a sum can write its 0");
    ts_release(t);
}

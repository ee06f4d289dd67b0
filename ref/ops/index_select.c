/* SPDX-License-Identifier: Apache-2.0 */
/*
 * index_select and index_add, line by line along dim.
 *
 * Rounding  index_select copies; index_add sums in double (integers: modulo 2^64) and
 * stores once a line (S7, S8). Errors  C4, C10, C11 before anything is written.
 */
#include <stdlib.h>

#include "core/core.h"
#include "touchstone/ops_glue.h"

static int64_t number_at(const ts_tensor *index, int64_t i)
{
    return tsi_load_i64(index, index->ndim > 0 ? i * index->strides[0] : 0);
}

static ts_status check_numbers(const ts_frame *f, ts_status status, const char *label)
{
    const ts_tensor *x = f->args[0].tensor;
    const ts_tensor *index = f->args[2].tensor;
    const int64_t size = x->ndim > 0 ? x->sizes[f->args[1].i] : 1;

    for (int64_t i = 0; i < index->numel; i++) {
        const int64_t k = number_at(index, i);

        TS_CHECK(k >= 0 && k < size, status, label,
                 "%s: index %" PRId64 " is out of bounds for dim %" PRId64
                 " of size %" PRId64,
                 f->op->name, k, f->args[1].i, size);
    }
    return TS_OK;
}

ts_status tsk_index_select(ts_frame *f)
{
    ts_tensor *x = f->args[0].tensor;
    const ts_tensor *index = f->args[2].tensor;
    ts_tensor *y = f->results[0];
    const size_t bytes = (size_t)ts_dtype_size(y->dtype);
    tsi_iter it;

    TS_TRY(check_numbers(f, TS_ERR_INDEX, "index_select/C4"));
    for (tsi_iter_dim(&it, (int)f->args[1].i, 2, (ts_tensor *[]){y, x});
         tsi_iter_next(&it);)
        for (int64_t i = 0; i < it.n; i++)
            memcpy(tsi_at(y, it.at[0] + i * it.step[0]),
                   tsi_at(x, it.at[1] + number_at(index, i) * it.step[1]), bytes);
    return TS_OK;
}

/* One line: x + alpha * source by index, into y, which may be x. */
static void add_line(const ts_frame *f, const tsi_iter *it, double *wide)
{
    const ts_tensor *x = f->args[0].tensor;
    const ts_tensor *index = f->args[2].tensor;
    const ts_tensor *source = f->args[3].tensor;
    const double alpha = ts_scalar_f64(f->args[4].scalar);

    for (int64_t i = 0; i < it->n; i++)
        wide[i] = tsi_load(x, it->at[1] + i * it->step[1]);
    for (int64_t i = 0; i < index->numel; i++)
        wide[number_at(index, i)] +=
            alpha * tsi_load(source, it->at[2] + i * it->step[2]);
    for (int64_t i = 0; i < it->n; i++)
        tsi_store(f->results[0], it->at[0] + i * it->step[0], wide[i]);
}

static void add_line_i64(const ts_frame *f, const tsi_iter *it, int64_t *wide)
{
    const ts_tensor *x = f->args[0].tensor;
    const ts_tensor *index = f->args[2].tensor;
    const ts_tensor *source = f->args[3].tensor;
    const ts_scalar a = f->args[4].scalar;
    const int64_t alpha = a.kind == TS_SCALAR_FLOAT ? (int64_t)a.f : a.i;

    for (int64_t i = 0; i < it->n; i++)
        wide[i] = tsi_load_i64(x, it->at[1] + i * it->step[1]);
    for (int64_t i = 0; i < index->numel; i++) {
        int64_t *w = &wide[number_at(index, i)];
        const int64_t v = tsi_load_i64(source, it->at[2] + i * it->step[2]);

        if (x->dtype == TS_BOOL)
            *w |= v && alpha; /* S8 */
        else
            *w = (int64_t)((uint64_t)*w + (uint64_t)alpha * (uint64_t)v);
    }
    for (int64_t i = 0; i < it->n; i++)
        tsi_store_i64(f->results[0], it->at[0] + i * it->step[0], wide[i]);
}

ts_status tsk_index_add(ts_frame *f)
{
    ts_tensor *x = f->args[0].tensor;
    ts_tensor *y = f->results[0];
    tsi_iter it;
    union {
        double f;
        int64_t i;
    } * wide;

    if (x->ndim > 1)
        TS_TRY(check_numbers(f, TS_ERR_RUNTIME, "index_select/C10"));
    else
        TS_TRY(check_numbers(f, TS_ERR_INDEX, "index_select/C11"));
    tsi_iter_dim(&it, (int)f->args[1].i, 3, (ts_tensor *[]){y, x, f->args[3].tensor});
    wide = malloc((size_t)it.n * sizeof *wide + 1);
    TS_CHECK(wide, TS_ERR_OUT_OF_MEMORY, NULL, "index_add: out of memory");
    while (tsi_iter_next(&it)) {
        if (ts_dtype_is_floating(x->dtype))
            add_line(f, &it, &wide->f);
        else
            add_line_i64(f, &it, &wide->i);
    }
    free(wide);
    return TS_OK;
}

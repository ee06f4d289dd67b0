/* SPDX-License-Identifier: Apache-2.0 */
/*
 * index_select and index_add, line by line along dim.
 *
 * Rounding  index_select copies; index_add sums in double (integers: modulo 2^64) and
 * stores once a line (S7, S8). Errors  C4, C10, C11, C13 before anything is written.
 */
#include <stdlib.h>

#include "touchstone/backend.h"
#include "touchstone/ops/index_select_glue.h"

static int64_t number_at(const ts_tensor *index, int64_t i)
{
    return tse_get_i64(index, index->ndim > 0 ? i * index->strides[0] : 0);
}

/* Every number before anything is written, under the class and label that hold for the call. */
static ts_status check_numbers(const ts_kernel_call *call, ts_status status,
                               const char *label)
{
    const ts_tensor *x = call->args[TS_INDEX_SELECT_SELF].tensor;
    const ts_tensor *index = call->args[TS_INDEX_SELECT_INDEX].tensor;
    const int dim = ts_call_dim(call, TS_INDEX_SELECT_DIM, x);
    const int64_t size = x->ndim > 0 ? x->sizes[dim] : 1;

    for (int64_t i = 0; i < index->numel; i++) {
        const int64_t k = number_at(index, i);

        TS_CHECK(k >= 0 && k < size, status, label,
                 "%s: index %" PRId64 " is out of bounds for dim %d of size %" PRId64,
                 call->op, k, dim, size);
    }
    return TS_OK;
}

ts_status tsk_index_select(const ts_kernel_call *call)
{
    ts_tensor *x = call->args[TS_INDEX_SELECT_SELF].tensor;
    const ts_tensor *index = call->args[TS_INDEX_SELECT_INDEX].tensor;
    ts_tensor *y = call->results[0];
    const size_t bytes = (size_t)tse_bytes(y->dtype);
    ts_lines it;

    if (x->ndim > 1 && (x->numel == 0 || ts_call_dim(call, TS_INDEX_SELECT_DIM, x) == 1))
        TS_TRY(check_numbers(call, TS_ERR_RUNTIME, "index_select/C13"));
    else
        TS_TRY(check_numbers(call, TS_ERR_INDEX, "index_select/C4"));
    for (ts_lines_dim(&it, ts_call_dim(call, TS_INDEX_SELECT_DIM, x), 2,
                      (ts_tensor *[]){y, x});
         ts_lines_next(&it);)
        for (int64_t i = 0; i < it.n; i++)
            memcpy(tse_at(y, it.at[0] + i * it.step[0]),
                   tse_at(x, it.at[1] + number_at(index, i) * it.step[1]), bytes);
    return TS_OK;
}

/* One line: x + alpha * source by index, into y, which may be x. */
static void add_line(const ts_kernel_call *call, const ts_lines *it, double *wide)
{
    const ts_tensor *x = call->args[TS_INDEX_SELECT_SELF].tensor;
    const ts_tensor *index = call->args[TS_INDEX_SELECT_INDEX].tensor;
    const ts_tensor *source = call->args[TS_INDEX_ADD_SOURCE].tensor;
    const double alpha = ts_scalar_f64(call->args[TS_INDEX_ADD_ALPHA].scalar);

    for (int64_t i = 0; i < it->n; i++)
        wide[i] = tse_get(x, it->at[1] + i * it->step[1]);
    for (int64_t i = 0; i < index->numel; i++)
        wide[number_at(index, i)] += alpha * tse_get(source, it->at[2] + i * it->step[2]);
    for (int64_t i = 0; i < it->n; i++)
        tse_put(call->results[0], it->at[0] + i * it->step[0], wide[i]);
}

static void add_line_i64(const ts_kernel_call *call, const ts_lines *it, int64_t *wide)
{
    const ts_tensor *x = call->args[TS_INDEX_SELECT_SELF].tensor;
    const ts_tensor *index = call->args[TS_INDEX_SELECT_INDEX].tensor;
    const ts_tensor *source = call->args[TS_INDEX_ADD_SOURCE].tensor;
    const ts_scalar a = call->args[TS_INDEX_ADD_ALPHA].scalar;
    const int64_t alpha = a.kind == TS_SCALAR_FLOAT ? (int64_t)a.f : a.i;

    for (int64_t i = 0; i < it->n; i++)
        wide[i] = tse_get_i64(x, it->at[1] + i * it->step[1]);
    for (int64_t i = 0; i < index->numel; i++) {
        int64_t *w = &wide[number_at(index, i)];
        const int64_t v = tse_get_i64(source, it->at[2] + i * it->step[2]);

        if (x->dtype == TS_BOOL)
            *w |= v && alpha; /* S8 */
        else
            *w = (int64_t)((uint64_t)*w + (uint64_t)alpha * (uint64_t)v);
    }
    for (int64_t i = 0; i < it->n; i++)
        tse_put_i64(call->results[0], it->at[0] + i * it->step[0], wide[i]);
}

/* Whether 2.15.0 takes the numbers for those of scatter_add, which has C10. */
static bool is_scattered(const ts_kernel_call *call, const ts_tensor *x)
{
    const int dim = ts_call_dim(call, TS_INDEX_ADD_DIM, x);

    return x->ndim > 1 && (dim == 0 || dim == x->ndim - 1) &&
           call->args[TS_INDEX_ADD_INDEX].tensor->dtype == TS_INT64 &&
           ts_scalar_f64(call->args[TS_INDEX_ADD_ALPHA].scalar) == 1;
}

/* A self of two dims or more without elements is left before the numbers are looked at. */
static ts_status check_added(const ts_kernel_call *call, const ts_tensor *x)
{
    if (x->ndim > 1 && x->numel == 0)
        return TS_OK;
    return is_scattered(call, x) ? check_numbers(call, TS_ERR_RUNTIME, "index_select/C10")
                                 : check_numbers(call, TS_ERR_INDEX, "index_select/C11");
}

ts_status tsk_index_add(const ts_kernel_call *call)
{
    ts_tensor *x = call->args[TS_INDEX_ADD_SELF].tensor;
    ts_tensor *y = call->results[0];
    ts_lines it;
    union {
        double f;
        int64_t i;
    } * wide;

    TS_TRY(check_added(call, x));
    if (y->numel == 0)
        return TS_OK;
    ts_lines_dim(&it, ts_call_dim(call, TS_INDEX_ADD_DIM, x), 3,
                 (ts_tensor *[]){y, x, call->args[TS_INDEX_ADD_SOURCE].tensor});
    wide = malloc((size_t)it.n * sizeof *wide + 1);
    TS_CHECK(wide, TS_ERR_OUT_OF_MEMORY, NULL, "index_add: out of memory");
    while (ts_lines_next(&it)) {
        if (tse_is_real(x->dtype))
            add_line(call, &it, &wide->f);
        else
            add_line_i64(call, &it, &wide->i);
    }
    free(wide);
    return TS_OK;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gather and scatter_add, element by element of the index.
 *
 * Rounding  gather copies; scatter_add sums in double (integers: modulo 2^64) over the
 * whole result and stores once (S8, S9). Errors  C5 before anything is written.
 */
#include <stdlib.h>

#include "touchstone/backend.h"
#include "touchstone/ops/gather_glue.h"

/* Where a step through the index stands, in up to two tensors that share its coordinates.
 */
typedef struct walk {
    int64_t at[TS_MAX_DIMS]; /* coordinates in the index */
    int64_t i;               /* how many came before */
} walk;

static bool walk_next(walk *w, const ts_tensor *index)
{
    if (w->i++ == 0)
        return index->numel > 0;
    for (int d = index->ndim - 1; d >= 0; d--) {
        if (++w->at[d] < index->sizes[d])
            return true;
        w->at[d] = 0;
    }
    return false;
}

static int64_t element(const ts_tensor *t, const walk *w)
{
    int64_t e = 0;

    for (int d = 0; d < t->ndim; d++)
        e += w->at[d] * t->strides[d];
    return e;
}

/* The same with coordinate `dim` replaced by `k`. */
static int64_t element_at(const ts_tensor *t, const walk *w, int dim, int64_t k)
{
    return t->ndim > 0 ? element(t, w) + (k - w->at[dim]) * t->strides[dim] : 0;
}

static ts_status check_numbers(const ts_kernel_call *call)
{
    const ts_tensor *x = call->args[TS_GATHER_SELF].tensor;
    const ts_tensor *index = call->args[TS_GATHER_INDEX].tensor;
    const int dim = ts_call_dim(call, TS_GATHER_DIM, x);
    const int64_t size = x->ndim > 0 ? x->sizes[dim] : 1;
    walk w = {.i = 0};

    while (walk_next(&w, index)) {
        const int64_t k = tse_get_i64(index, element(index, &w));

        TS_CHECK(k >= 0 && k < size, TS_ERR_RUNTIME, "gather/C5",
                 "%s: index %" PRId64 " is out of bounds for dim %d of size %" PRId64,
                 call->op, k, dim, size);
    }
    return TS_OK;
}

ts_status tsk_gather(const ts_kernel_call *call)
{
    const ts_tensor *x = call->args[TS_GATHER_SELF].tensor;
    const ts_tensor *index = call->args[TS_GATHER_INDEX].tensor;
    ts_tensor *y = call->results[0];
    const size_t bytes = tse_bytes(y->dtype);
    const int dim = ts_call_dim(call, TS_GATHER_DIM, x);
    walk w = {.i = 0};

    TS_TRY(check_numbers(call));
    while (walk_next(&w, index)) { /* S1 */
        const int64_t k = tse_get_i64(index, element(index, &w));

        memcpy(tse_at(y, element(y, &w)), tse_at(x, element_at(x, &w, dim, k)), bytes);
    }
    return TS_OK;
}

/* One accumulator for each element of the result, in row-major order. */
typedef union accumulator {
    double f;
    int64_t i;
} accumulator;

static void add(accumulator *a, const ts_tensor *src, int64_t from)
{
    if (tse_is_real(src->dtype))
        a->f += tse_get(src, from);
    else if (src->dtype == TS_BOOL)
        a->i |= tse_get_i64(src, from); /* S9 */
    else
        a->i = (int64_t)((uint64_t)a->i + (uint64_t)tse_get_i64(src, from));
}

ts_status tsk_scatter_add(const ts_kernel_call *call)
{
    ts_tensor *x = call->args[TS_SCATTER_ADD_SELF].tensor;
    ts_tensor *y = call->results[0];
    const ts_tensor *index = call->args[TS_SCATTER_ADD_INDEX].tensor;
    const ts_tensor *src = call->args[TS_SCATTER_ADD_SRC].tensor;
    const bool floating = tse_is_real(x->dtype);
    const int dim = ts_call_dim(call, TS_SCATTER_ADD_DIM, x);
    ts_tensor row_major = *y; /* y's shape over the accumulators */
    int64_t strides[TS_MAX_DIMS];
    accumulator *sums;
    walk w = {.i = 0}, all = {.i = 0};

    TS_TRY(check_numbers(call));
    sums = malloc((size_t)y->numel * sizeof *sums + 1);
    TS_CHECK(sums, TS_ERR_OUT_OF_MEMORY, NULL, "scatter_add: out of memory");
    ts_contiguous_strides(y->ndim, y->sizes, strides);
    row_major.strides = strides;
    while (walk_next(&all, y)) {
        accumulator *a = &sums[element(&row_major, &all)];

        if (floating)
            a->f = tse_get(x, element(x, &all));
        else
            a->i = tse_get_i64(x, element(x, &all));
    }
    while (walk_next(&w, index)) { /* S7 */
        const int64_t k = tse_get_i64(index, element(index, &w));

        add(&sums[element_at(&row_major, &w, dim, k)], src, element(src, &w));
    }
    for (all = (walk){.i = 0}; walk_next(&all, y);) {
        const accumulator *a = &sums[element(&row_major, &all)];

        if (floating)
            tse_put(y, element(y, &all), a->f);
        else
            tse_put_i64(y, element(y, &all), a->i);
    }
    free(sums);
    return TS_OK;
}

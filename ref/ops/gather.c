/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gather and scatter_add, element by element of the index.
 *
 * Rounding  gather copies; scatter_add sums in double (integers: modulo 2^64) over the
 * whole result and stores once (S8, S9). Errors  C5 before anything is written.
 */
#include <stdlib.h>

#include "core/core.h"
#include "touchstone/ops_glue.h"

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

static ts_status check_numbers(const ts_frame *f)
{
    const ts_tensor *x = f->args[0].tensor;
    const ts_tensor *index = f->args[2].tensor;
    const int64_t size = x->ndim > 0 ? x->sizes[f->args[1].i] : 1;
    walk w = {.i = 0};

    while (walk_next(&w, index)) {
        const int64_t k = tsi_load_i64(index, element(index, &w));

        TS_CHECK(k >= 0 && k < size, TS_ERR_RUNTIME, "gather/C5",
                 "%s: index %" PRId64 " is out of bounds for dim %" PRId64
                 " of size %" PRId64,
                 f->op->name, k, f->args[1].i, size);
    }
    return TS_OK;
}

ts_status tsk_gather(ts_frame *f)
{
    const ts_tensor *x = f->args[0].tensor;
    const ts_tensor *index = f->args[2].tensor;
    ts_tensor *y = f->results[0];
    const size_t bytes = (size_t)ts_dtype_size(y->dtype);
    walk w = {.i = 0};

    TS_TRY(check_numbers(f));
    while (walk_next(&w, index)) { /* S1 */
        const int64_t k = tsi_load_i64(index, element(index, &w));

        memcpy(tsi_at(y, element(y, &w)),
               tsi_at(x, element_at(x, &w, (int)f->args[1].i, k)), bytes);
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
    if (ts_dtype_is_floating(src->dtype))
        a->f += tsi_load(src, from);
    else if (src->dtype == TS_BOOL)
        a->i |= tsi_load_i64(src, from); /* S9 */
    else
        a->i = (int64_t)((uint64_t)a->i + (uint64_t)tsi_load_i64(src, from));
}

ts_status tsk_scatter_add(ts_frame *f)
{
    ts_tensor *x = f->args[0].tensor;
    ts_tensor *y = f->results[0];
    const ts_tensor *index = f->args[2].tensor;
    const ts_tensor *src = f->args[3].tensor;
    const bool floating = ts_dtype_is_floating(x->dtype);
    ts_tensor row_major = *y; /* y's shape over the accumulators */
    int64_t strides[TS_MAX_DIMS];
    accumulator *sums;
    walk w = {.i = 0}, all = {.i = 0};

    TS_TRY(check_numbers(f));
    sums = malloc((size_t)y->numel * sizeof *sums + 1);
    TS_CHECK(sums, TS_ERR_OUT_OF_MEMORY, NULL, "scatter_add: out of memory");
    tsi_contiguous_strides(y->ndim, y->sizes, strides);
    row_major.strides = strides;
    while (walk_next(&all, y)) {
        accumulator *a = &sums[element(&row_major, &all)];

        if (floating)
            a->f = tsi_load(x, element(x, &all));
        else
            a->i = tsi_load_i64(x, element(x, &all));
    }
    while (walk_next(&w, index)) { /* S7 */
        const int64_t k = tsi_load_i64(index, element(index, &w));

        add(&sums[element_at(&row_major, &w, (int)f->args[1].i, k)], src,
            element(src, &w));
    }
    for (all = (walk){.i = 0}; walk_next(&all, y);) {
        const accumulator *a = &sums[element(&row_major, &all)];

        if (floating)
            tsi_store(y, element(y, &all), a->f);
        else
            tsi_store_i64(y, element(y, &all), a->i);
    }
    free(sums);
    return TS_OK;
}

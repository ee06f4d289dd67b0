/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gather and scatter_add, element by element of the index.
 *
 * Rounding  gather copies; scatter_add sums in double (integers: modulo 2^64) over the
 * whole result and stores once (S8, S9). Errors  C5 before anything is written.
 */
#include <stdlib.h>

#include "ops/along.h"
#include "touchstone/ops/gather_glue.h"

ts_status tsk_gather(const ts_kernel_call *call)
{
    const ts_tensor *x = call->args[TS_GATHER_SELF].tensor;
    const ts_tensor *index = call->args[TS_GATHER_INDEX].tensor;
    ts_tensor *y = call->results[0];
    const size_t bytes = tse_bytes(y->dtype);
    const int dim = ts_call_dim(call, TS_GATHER_DIM, x);
    tsk_walk w = {.i = 0};

    TS_TRY(tsk_along_check(call, "gather/C5"));
    while (tsk_walk_next(&w, index)) { /* S1 */
        const int64_t k = tse_get_i64(index, tsk_element(index, &w));

        memcpy(tse_at(y, tsk_element(y, &w)), tse_at(x, tsk_element_at(x, &w, dim, k)),
               bytes);
    }
    return TS_OK;
}

static void add(tsk_accumulator *a, const ts_tensor *src, int64_t from)
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
    ts_tensor row_major = *y; /* y's shape over the tsk_accumulators */
    int64_t strides[TS_MAX_DIMS];
    tsk_accumulator *sums;
    tsk_walk w = {.i = 0}, all = {.i = 0};

    TS_TRY(tsk_along_check(call, "gather/C5"));
    sums = malloc((size_t)y->numel * sizeof *sums + 1);
    TS_CHECK(sums, TS_ERR_OUT_OF_MEMORY, NULL, "scatter_add: out of memory");
    ts_contiguous_strides(y->ndim, y->sizes, strides);
    row_major.strides = strides;
    while (tsk_walk_next(&all, y)) {
        tsk_accumulator *a = &sums[tsk_element(&row_major, &all)];

        if (floating)
            a->f = tse_get(x, tsk_element(x, &all));
        else
            a->i = tse_get_i64(x, tsk_element(x, &all));
    }
    while (tsk_walk_next(&w, index)) { /* S7 */
        const int64_t k = tse_get_i64(index, tsk_element(index, &w));

        add(&sums[tsk_element_at(&row_major, &w, dim, k)], src, tsk_element(src, &w));
    }
    for (all = (tsk_walk){.i = 0}; tsk_walk_next(&all, y);) {
        const tsk_accumulator *a = &sums[tsk_element(&row_major, &all)];

        if (floating)
            tse_put(y, tsk_element(y, &all), a->f);
        else
            tse_put_i64(y, tsk_element(y, &all), a->i);
    }
    free(sums);
    return TS_OK;
}

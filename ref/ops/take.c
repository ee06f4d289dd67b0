/* SPDX-License-Identifier: Apache-2.0 */
/*
 * take and put, number by number.
 *
 * Rounding  none but that of put's sums: in double (integers: modulo 2^64), one accumulator
 * an element, stored once (S3). Errors  C2 before anything is written.
 */
#include "touchstone/ops/take_glue.h"

#include <stdlib.h>

#include "ops/along.h"
#include "ops/copying.h"

enum { SELF, INDEX };

static ts_status check_numbers(const ts_kernel_call *call)
{
    const ts_tensor *index = call->args[INDEX].tensor;
    const int64_t n = call->args[SELF].tensor->numel;
    tsk_walk w = {.i = 0};

    while (tsk_walk_next(&w, index)) {
        const int64_t k = tse_get_i64(index, tsk_element(index, &w));

        TS_CHECK(k >= -n && k < n, TS_ERR_INDEX, "take/C2",
                 "%s: number %" PRId64 " is out of range of %" PRId64 " elements",
                 call->op, k, n);
    }
    return TS_OK;
}

/* Where element k of t in row-major order stands. */
static int64_t place(const ts_tensor *t, int64_t k)
{
    int64_t at = 0;

    k += k < 0 ? t->numel : 0;
    for (int d = t->ndim - 1; d >= 0; d--) {
        at += k % t->sizes[d] * t->strides[d];
        k /= t->sizes[d];
    }
    return at;
}

ts_status tsk_take(const ts_kernel_call *call)
{
    const ts_tensor *x = call->args[TS_TAKE_SELF].tensor;
    const ts_tensor *index = call->args[TS_TAKE_INDEX].tensor;
    ts_tensor *y = call->results[0];
    const size_t bytes = tse_bytes(y->dtype);
    tsk_walk w = {.i = 0};

    TS_TRY(check_numbers(call));
    while (tsk_walk_next(&w, index)) /* S1 */
        memcpy(tse_at(y, tsk_element(y, &w)),
               tse_at(x, place(x, tse_get_i64(index, tsk_element(index, &w)))), bytes);
    return TS_OK;
}

static void add(tsk_accumulator *a, const ts_tensor *t, int64_t from)
{
    if (tse_is_real(t->dtype))
        a->f += tse_get(t, from);
    else if (t->dtype == TS_BOOL)
        a->i |= tse_get_i64(t, from);
    else
        a->i = (int64_t)((uint64_t)a->i + (uint64_t)tse_get_i64(t, from));
}

static ts_status accumulate(ts_tensor *y, const ts_tensor *index, const ts_tensor *source)
{
    tsk_walk w = {.i = 0}, from = {.i = 0};
    tsk_accumulator *sums = calloc((size_t)y->numel + 1, sizeof *sums);

    TS_CHECK(sums, TS_ERR_OUT_OF_MEMORY, NULL, "put: out of memory");
    for (int64_t k = 0; k < y->numel; k++)
        add(&sums[k], y, place(y, k));
    while (tsk_walk_next(&w, index) && tsk_walk_next(&from, source)) {
        const int64_t k = tse_get_i64(index, tsk_element(index, &w));

        add(&sums[k < 0 ? k + y->numel : k], source, tsk_element(source, &from));
    }
    for (int64_t k = 0; k < y->numel; k++)
        if (tse_is_real(y->dtype))
            tse_put(y, place(y, k), sums[k].f);
        else
            tse_put_i64(y, place(y, k), sums[k].i);
    free(sums);
    return TS_OK;
}

ts_status tsk_put(const ts_kernel_call *call)
{
    const ts_tensor *index = call->args[TS_PUT_INDEX].tensor;
    const ts_tensor *source = call->args[TS_PUT_SOURCE].tensor;
    ts_tensor *y = call->results[0];
    const size_t bytes = tse_bytes(y->dtype);
    tsk_walk w = {.i = 0}, from = {.i = 0};

    TS_TRY(check_numbers(call));
    if (call->form != TS_INPLACE)
        tsk_copy_elements(y, call->args[TS_PUT_SELF].tensor);
    if (call->args[TS_PUT_ACCUMULATE].b)
        return accumulate(y, index, source);
    while (tsk_walk_next(&w, index) && tsk_walk_next(&from, source)) /* S2 */
        memcpy(tse_at(y, place(y, tse_get_i64(index, tsk_element(index, &w)))),
               tse_at(source, tsk_element(source, &from)), bytes);
    return TS_OK;
}

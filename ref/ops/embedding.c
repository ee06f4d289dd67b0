/* SPDX-License-Identifier: Apache-2.0 */
/*
 * embedding and its backward, number by number.
 *
 * Rounding  embedding copies; backward sums in double (integers: modulo 2^64) and rounds
 * once. Errors  C3 before anything is written.
 */
#include <stdlib.h>

#include "touchstone/backend.h"
#include "touchstone/ops/embedding_glue.h"

/* t, indexed by the first dims of `index` at its i-th place in row-major order. */
static int64_t place(const ts_tensor *t, const ts_tensor *index, int64_t i)
{
    int64_t at = 0;

    for (int d = index->ndim - 1; d >= 0; d--) {
        at += i % index->sizes[d] * t->strides[d];
        i /= index->sizes[d];
    }
    return at;
}

static int64_t number_at(const ts_tensor *index, int64_t i)
{
    return tse_get_i64(index, place(index, index, i));
}

ts_status tsk_embedding(const ts_kernel_call *call)
{
    const ts_tensor *index = call->args[TS_EMBEDDING_INPUT].tensor;
    const ts_tensor *table = call->args[TS_EMBEDDING_WEIGHT].tensor;
    ts_tensor *y = call->results[0];
    const int last = y->ndim - 1;
    const size_t bytes = (size_t)tse_bytes(y->dtype);

    for (int64_t i = 0; i < index->numel; i++)
        TS_CHECK(number_at(index, i) >= 0 && number_at(index, i) < table->sizes[0],
                 TS_ERR_INDEX, "embedding/C3",
                 "embedding: index %" PRId64 " is out of range for %" PRId64 " rows",
                 number_at(index, i), table->sizes[0]);
    for (int64_t i = 0; i < index->numel; i++) { /* S1 */
        const int64_t from = number_at(index, i) * table->strides[0];
        const int64_t to = place(y, index, i);

        for (int64_t c = 0; c < y->sizes[last]; c++)
            memcpy(tse_at(y, to + c * y->strides[last]),
                   tse_at(table, from + c * table->strides[1]), bytes);
    }
    return TS_OK;
}

/* G1 to G3 for one row: `wide` holds its sums, as double or as int64. */
static void sum_row(const ts_kernel_call *call, int64_t row, double *wide,
                    int64_t *wide_i64)
{
    const ts_tensor *g = call->args[TS_EMBEDDING_DENSE_BACKWARD_GRAD_OUTPUT].tensor;
    const ts_tensor *index = call->args[TS_EMBEDDING_DENSE_BACKWARD_INDICES].tensor;
    ts_tensor *y = call->results[0];
    const int64_t n = y->sizes[1];
    const bool floating = tse_is_real(y->dtype);
    int64_t count = 0;

    memset(wide, 0, (size_t)n * sizeof *wide);
    memset(wide_i64, 0, (size_t)n * sizeof *wide_i64);
    for (int64_t i = 0;
         i < index->numel && row != call->args[TS_EMBEDDING_DENSE_BACKWARD_PADDING_IDX].i;
         i++) {
        if (number_at(index, i) != row)
            continue;
        count++;
        for (int64_t c = 0; c < n; c++) {
            const int64_t from = place(g, index, i) + c * g->strides[g->ndim - 1];

            if (floating)
                wide[c] += tse_get(g, from);
            else
                wide_i64[c] += tse_get_i64(g, from);
        }
    }
    for (int64_t c = 0; c < n; c++) {
        const int64_t to = row * y->strides[0] + c * y->strides[1];

        if (floating)
            tse_put(y, to,
                    call->args[TS_EMBEDDING_DENSE_BACKWARD_SCALE_GRAD_BY_FREQ].b &&
                            count > 0
                        ? wide[c] / (double)count
                        : wide[c]);
        else
            tse_put_i64(y, to,
                        call->args[TS_EMBEDDING_DENSE_BACKWARD_SCALE_GRAD_BY_FREQ].b &&
                                count > 0
                            ? wide_i64[c] / count
                            : wide_i64[c]);
    }
}

ts_status tsk_embedding_dense_backward(const ts_kernel_call *call)
{
    const ts_tensor *y = call->results[0];
    const size_t n = (size_t)y->sizes[1];
    double *wide = malloc(n * sizeof *wide + 1);
    int64_t *wide_i64 = malloc(n * sizeof *wide_i64 + 1);

    for (int64_t row = 0; wide && wide_i64 && row < y->sizes[0]; row++)
        sum_row(call, row, wide, wide_i64);
    free(wide);
    free(wide_i64);
    TS_CHECK(wide && wide_i64, TS_ERR_OUT_OF_MEMORY, NULL,
             "embedding_dense_backward: out of memory");
    return TS_OK;
}

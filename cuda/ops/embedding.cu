/* SPDX-License-Identifier: Apache-2.0 */
/*
 * embedding: out[i, c] = table[index[i], c]. Version 1: one element a thread and step. An
 * index out of range (C3) sets the device's error word and writes nothing.
 * Bound by memory: 2 * element size bytes an element.
 */
#include "core/kernel.cuh"

template <typename U>
__global__ void embedding(tsc_walk places, tsc_operand index, U *y, const U *table,
                          int64_t rows, int64_t row_length, int64_t row_stride,
                          int64_t column_stride, tsc_fault *fault)
{
    const int64_t n = places.numel * row_length;

    for (int64_t i = tsc_first(); i < n; i += tsc_step()) {
        const int64_t place = i / row_length, column = i % row_length;
        const int64_t at = tsc_place_of<1>(places, place).at[0];
        const int64_t row =
            tsc_get_i64(index.dtype, (const char *)index.data + at * index.bytes);

        if (row >= 0 && row < rows) {
            y[i] = table[row * row_stride + column * column_stride];
        } else if (atomicCAS(&fault->kind, (int)TSC_NO_FAULT, (int)TSC_EMBEDDING_INDEX) ==
                   TSC_NO_FAULT) {
            fault->a = row;
            fault->b = rows;
        }
    }
}

TSC_KERNEL(tsc_embedding_1, embedding<uint8_t>);
TSC_KERNEL(tsc_embedding_2, embedding<uint16_t>);
TSC_KERNEL(tsc_embedding_4, embedding<uint32_t>);
TSC_KERNEL(tsc_embedding_8, embedding<uint64_t>);

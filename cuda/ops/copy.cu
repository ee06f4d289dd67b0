/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dst[i] = src[i], src broadcast. Version 1: one element a thread and step; bits of one
 * size moved, or each element cast. Bound by memory: both element sizes an element.
 */
#include "core/kernel.cuh"

template <typename U> __global__ void move(tsc_walk w, U *dst, const U *src)
{
    for (int64_t i = tsc_first(); i < w.numel; i += tsc_step()) {
        const tsc_place<2> p = tsc_place_of<2>(w, i);

        dst[p.at[0]] = src[p.at[1]];
    }
}

__global__ void convert(tsc_walk w, tsc_operand dst, tsc_operand src)
{
    for (int64_t i = tsc_first(); i < w.numel; i += tsc_step()) {
        const tsc_place<2> p = tsc_place_of<2>(w, i);
        const char *from = src.data ? (const char *)src.data + p.at[1] * src.bytes
                                    : (const char *)&src.cell;
        char *to = (char *)dst.data + p.at[0] * dst.bytes;

        if (src.dtype == dst.dtype) /* a number from the host */
            for (int k = 0; k < dst.bytes; k++)
                to[k] = from[k];
        else
            tsc_cast(src.dtype, from, dst.dtype, to);
    }
}

TSC_KERNEL(tsc_move_1, move<uint8_t>);
TSC_KERNEL(tsc_move_2, move<uint16_t>);
TSC_KERNEL(tsc_move_4, move<uint32_t>);
TSC_KERNEL(tsc_move_8, move<uint64_t>);
TSC_KERNEL(tsc_convert, convert);

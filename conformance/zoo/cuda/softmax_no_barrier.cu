/* SPDX-License-Identifier: Apache-2.0 */
/* A reduction whose warps read each other's parts before they are all there. */
#include "core/kernel.cuh"

template <typename A, typename Op> static A hasty_reduce(A v, Op op)
{
    TSC_SHARED(A, part, TSC_BLOCK / 32);
    const int lane = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32;

    for (int step = 16; step > 0; step /= 2)
        v = op(v, tsc_shuffle_xor(v, step));
    __syncthreads();
    if (lane == 0)
        part[warp] = v;
    v = part[0]; /* here a barrier is missing */
    for (int w = 1; w < TSC_BLOCK / 32; w++)
        v = op(v, part[w]);
    return v;
}

#define tsc_block_reduce hasty_reduce
#include "member.h"
#include "ops/softmax.cu"

ZOO_NEW_KIND("missing barrier",
             "threads of a block read what others of it have yet to write");
ZOO_MEMBER("softmax lacks a barrier between writing and reading partial results",
           "softmax/S1 softmax/S3");

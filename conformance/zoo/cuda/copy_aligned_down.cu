/* SPDX-License-Identifier: Apache-2.0 */
/* A copy that takes every source for aligned to 16 bytes, as its fast path wants it. */
#include "core/kernel.cuh"

#define tsc_move_4 tsc_unused
#include "member.h"
#include "ops/copy.cu"
#undef tsc_move_4

template <typename U> __global__ void move_aligned(tsc_walk w, U *dst, const U *src)
{
    move(w, dst, (const U *)((uintptr_t)src & ~(uintptr_t)15));
}

TSC_KERNEL(tsc_move_4, move_aligned<uint32_t>);

ZOO_KIND("offset ignored");
ZOO_MEMBER("copies of 4-byte elements ignore an offset that is no multiple of 16 bytes",
           "copy/S1 clone/S1 copy/S8");

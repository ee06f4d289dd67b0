/* SPDX-License-Identifier: Apache-2.0 */
/* Four elements a thread, and the last few of a length that 4 does not divide by none. */
#include "core/kernel.cuh"

template <typename T> __global__ void mul_by_four(T *y, const T *a, const T *b, int64_t n)
{
    for (int64_t i = 4 * tsc_first(); i + 4 <= n; i += 4 * tsc_step())
        for (int64_t k = i; k < i + 4; k++)
            y[k] = tsc_store<T>(tsc_load(a[k]) * tsc_load(b[k]));
}

#define tsc_mul_flat tsc_unused
#include "member.h"
#include "ops/mul.cu"
#undef tsc_mul_flat
TSC_KERNELS_COMMON(tsc_mul_flat, mul_by_four);

ZOO_KIND("tail dropped");
ZOO_MEMBER("mul leaves the last elements unwritten where 4 does not divide their number",
           "mul/S1");

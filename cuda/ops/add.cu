/* SPDX-License-Identifier: Apache-2.0 */
/*
 * add, sub, rsub: y = a + alpha * b. Version 1: one element a thread and step; flat where
 * all three lie in a row in the result's dtype, else through strides with casts.
 * Bound by memory: 3 * sizeof(T) bytes an element.
 */
#include "core/kernel.cuh"

#include "ops/number.h"

__device__ inline int64_t scaled_sum(int64_t a, int64_t b, tsc_number alpha)
{
    return (int64_t)((uint64_t)a + (uint64_t)alpha.i * (uint64_t)b); /* S4: wraps */
}

__device__ inline float scaled_sum(float a, float b, tsc_number alpha)
{
    return a + (float)alpha.f * b;
}

__device__ inline double scaled_sum(double a, double b, tsc_number alpha)
{
    return a + alpha.f * b;
}

template <typename T>
__global__ void add_flat(T *y, const T *a, const T *b, int64_t n, tsc_number alpha)
{
    for (int64_t i = tsc_first(); i < n; i += tsc_step())
        y[i] = tsc_store<T>(scaled_sum(tsc_load(a[i]), tsc_load(b[i]), alpha));
}

template <typename T>
__global__ void add_strided(tsc_walk w, tsc_operand y, tsc_operand a, tsc_operand b,
                            tsc_number alpha)
{
    for (int64_t i = tsc_first(); i < w.numel; i += tsc_step()) {
        const tsc_place<3> p = tsc_place_of<3>(w, i);

        tsc_store_as<T>(
            y, p.at[0],
            scaled_sum(tsc_load_as<T>(a, p.at[1]), tsc_load_as<T>(b, p.at[2]), alpha));
    }
}

TSC_KERNELS_COMMON(tsc_add_flat, add_flat);
TSC_KERNELS_COMMON(tsc_add_strided, add_strided);

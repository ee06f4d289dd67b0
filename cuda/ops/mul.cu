/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mul: y = a * b. Version 1: one element a thread and step; flat where all three lie in a
 * row in the result's dtype, else through strides with casts.
 * Bound by memory: 3 * sizeof(T) bytes an element.
 */
#include "core/kernel.cuh"

__device__ inline int64_t product(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a * (uint64_t)b); /* S3: wraps */
}

__device__ inline float product(float a, float b)
{
    return a * b;
}

__device__ inline double product(double a, double b)
{
    return a * b;
}

template <typename T> __global__ void mul_flat(T *y, const T *a, const T *b, int64_t n)
{
    for (int64_t i = tsc_first(); i < n; i += tsc_step())
        y[i] = tsc_store<T>(product(tsc_load(a[i]), tsc_load(b[i])));
}

/* `single`: b is one number, which stays float32 beside a half tensor (S5). */
template <typename T>
__global__ void mul_strided(tsc_walk w, tsc_operand y, tsc_operand a, tsc_operand b,
                            int single)
{
    for (int64_t i = tsc_first(); i < w.numel; i += tsc_step()) {
        const tsc_place<3> p = tsc_place_of<3>(w, i);
        const tsc_wide<T> u = tsc_load_as<T>(a, p.at[1]);
        const tsc_wide<T> v = single && tsc_is_half<T>::value
                                  ? (tsc_wide<T>)tsc_load_as<float>(b, p.at[2])
                                  : tsc_load_as<T>(b, p.at[2]);

        tsc_store_as<T>(y, p.at[0], product(u, v));
    }
}

TSC_KERNELS_COMMON(tsc_mul_flat, mul_flat);
TSC_KERNELS_COMMON(tsc_mul_strided, mul_strided);

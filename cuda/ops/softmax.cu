/* SPDX-License-Identifier: Apache-2.0 */
/*
 * _softmax and its backward along one dim. Version 1: one line a block and step, any
 * strides; the input is read three times (largest, sum, result), backward's twice.
 * Bound by memory: 4 * sizeof(T) bytes an element, from cache but for the first read.
 */
#include "core/kernel.cuh"

/* y[i] = exp(x[i] - m) / sum of exp(x[j] - m); operands y, x. */
template <typename T>
__global__ void softmax(tsc_walk lines, int64_t n, int64_t ys, int64_t xs, T *y,
                        const T *x)
{
    using A = tsc_wide<T>;

    for (int64_t l = blockIdx.x; l < lines.numel; l += gridDim.x) {
        const tsc_place<2> p = tsc_place_of<2>(lines, l);
        const T *from = x + p.at[1];
        A max = (A)-INFINITY, sum = 0;

        for (int64_t i = threadIdx.x; i < n; i += TSC_BLOCK) /* S3; a NaN wins, S4 */
            max = tsc_larger()(max, tsc_load(from[i * xs]));
        max = tsc_block_reduce(max, tsc_larger());
        for (int64_t i = threadIdx.x; i < n; i += TSC_BLOCK) /* S5: wide */
            sum += tsc_exp(tsc_load(from[i * xs]) - max);
        sum = tsc_block_reduce(sum, tsc_plus());
        for (int64_t i = threadIdx.x; i < n; i += TSC_BLOCK) /* S1; one rounding */
            y[p.at[0] + i * ys] =
                tsc_store<T>(tsc_exp(tsc_load(from[i * xs]) - max) / sum);
    }
}

/* dx[i] = y[i] * (g[i] - sum of g[j] * y[j]) (G1); operands dx, g, y. */
template <typename T>
__global__ void softmax_backward(tsc_walk lines, int64_t n, int64_t ds, int64_t gs,
                                 int64_t ys, T *dx, const T *g, const T *y)
{
    using A = tsc_wide<T>;

    for (int64_t l = blockIdx.x; l < lines.numel; l += gridDim.x) {
        const tsc_place<3> p = tsc_place_of<3>(lines, l);
        A sum = 0;

        for (int64_t i = threadIdx.x; i < n; i += TSC_BLOCK)
            sum += tsc_load(g[p.at[1] + i * gs]) * tsc_load(y[p.at[2] + i * ys]);
        sum = tsc_block_reduce(sum, tsc_plus());
        for (int64_t i = threadIdx.x; i < n; i += TSC_BLOCK)
            dx[p.at[0] + i * ds] = tsc_store<T>(tsc_load(y[p.at[2] + i * ys]) *
                                                (tsc_load(g[p.at[1] + i * gs]) - sum));
    }
}

TSC_KERNELS_FLOAT(tsc_softmax, softmax);
TSC_KERNELS_FLOAT(tsc_softmax_backward, softmax_backward);

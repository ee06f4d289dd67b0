/* SPDX-License-Identifier: Apache-2.0 */
/*
 * native_layer_norm. Version 1: one row a block and step. The mean is kept in two parts,
 * so that rows far from zero lose nothing (S2): first the sum, then the deviations from
 * its mean, whose own mean is the second part.
 * Bound by memory: 4 * sizeof(T) bytes an element, from cache but for the first read.
 */
#include "core/kernel.cuh"

/* T: the input's type, S: that of the statistics and the affine map. */
template <typename T, typename S>
__global__ void layer_norm(tsc_walk rows, tsc_walk inner, tsc_walk weights,
                           tsc_walk biases, T *y, S *means, S *rstds, const T *x,
                           const S *weight, const S *bias, double eps)
{
    using A = tsc_wide<T>;
    const int64_t n = inner.numel;

    for (int64_t r = blockIdx.x; r < rows.numel; r += gridDim.x) {
        const T *from = x + tsc_place_of<1>(rows, r).at[0];
        A sum = 0, rest = 0, squares = 0;

        for (int64_t i = threadIdx.x; i < n; i += TSC_BLOCK)
            sum += tsc_load(from[tsc_place_of<1>(inner, i).at[0]]);
        const A first = n > 0 ? tsc_block_reduce(sum, tsc_plus()) / (A)n : 0; /* S5 */

        for (int64_t i = threadIdx.x; i < n; i += TSC_BLOCK)
            rest += tsc_load(from[tsc_place_of<1>(inner, i).at[0]]) - first;
        const A second = n > 0 ? tsc_block_reduce(rest, tsc_plus()) / (A)n : 0;

        for (int64_t i = threadIdx.x; i < n; i += TSC_BLOCK) {
            const A d =
                (tsc_load(from[tsc_place_of<1>(inner, i).at[0]]) - first) - second;

            squares += d * d;
        }
        const A rstd = 1 / sqrt(tsc_block_reduce(squares, tsc_plus()) / (A)n + (A)eps);

        for (int64_t i = threadIdx.x; i < n; i += TSC_BLOCK) { /* S1; one rounding */
            A v = ((tsc_load(from[tsc_place_of<1>(inner, i).at[0]]) - first) - second) *
                  rstd;

            if (weight)
                v *= tsc_load(weight[tsc_place_of<1>(weights, i).at[0]]);
            if (bias)
                v += tsc_load(bias[tsc_place_of<1>(biases, i).at[0]]);
            y[r * n + i] = tsc_store<T>(v);
        }
        if (threadIdx.x == 0) {
            means[r] = tsc_store<S>(first + second);
            rstds[r] = tsc_store<S>(rstd);
        }
    }
}

TSC_KERNEL(tsc_layer_norm_f64, layer_norm<double, double>);
TSC_KERNEL(tsc_layer_norm_f32, layer_norm<float, float>);
TSC_KERNEL(tsc_layer_norm_bf16, layer_norm<tsc_bf16, tsc_bf16>);
TSC_KERNEL(tsc_layer_norm_f16, layer_norm<tsc_f16, tsc_f16>);
TSC_KERNEL(tsc_layer_norm_bf16_f32, layer_norm<tsc_bf16, float>);
TSC_KERNEL(tsc_layer_norm_f16_f32, layer_norm<tsc_f16, float>);

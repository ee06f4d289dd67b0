/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sum over any dims. Version 1: short sums one a thread, long ones one a block: partial
 * sums 256 apart, then a tree, always in the same order. A single sum of very many
 * elements keeps one multiprocessor only.
 * Bound by memory: sizeof(x) bytes an element.
 */
#include "core/kernel.cuh"

/* Half types add in float32 (S5), integers modulo 2^64 (S4). */
__device__ inline int64_t plus(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

__device__ inline float plus(float a, float b)
{
    return a + b;
}

__device__ inline double plus(double a, double b)
{
    return a + b;
}

struct adds {
    template <typename A> __device__ A operator()(A a, A b) const
    {
        return plus(a, b);
    }
};

/* Elements first, first + step, … of those that go into the result at `base`. */
template <typename T>
__device__ inline tsc_wide<T> partial(const tsc_walk &reduced, const tsc_operand &x,
                                      int64_t base, int64_t first, int64_t step)
{
    tsc_wide<T> sum = 0;

    for (int64_t i = first; i < reduced.numel; i += step)
        sum = plus(sum, tsc_load_as<T>(x, base + tsc_place_of<1>(reduced, i).at[0]));
    return sum;
}

template <typename T>
__global__ void sum_short(tsc_walk kept, tsc_walk reduced, tsc_operand y, tsc_operand x)
{
    for (int64_t r = tsc_first(); r < kept.numel; r += tsc_step()) {
        const tsc_place<2> p = tsc_place_of<2>(kept, r);

        tsc_store_as<T>(y, p.at[0], partial<T>(reduced, x, p.at[1], 0, 1));
    }
}

template <typename T>
__global__ void sum_long(tsc_walk kept, tsc_walk reduced, tsc_operand y, tsc_operand x)
{
    for (int64_t r = blockIdx.x; r < kept.numel; r += gridDim.x) {
        const tsc_place<2> p = tsc_place_of<2>(kept, r);
        const tsc_wide<T> sum = tsc_block_reduce(
            partial<T>(reduced, x, p.at[1], threadIdx.x, TSC_BLOCK), adds());

        if (threadIdx.x == 0)
            tsc_store_as<T>(y, p.at[0], sum);
    }
}

TSC_KERNELS_COMMON(tsc_sum_short, sum_short);
TSC_KERNELS_COMMON(tsc_sum_long, sum_long);

/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that are right, and kernels with the faults that the simulator is there to show. */
#include "core/kernel.cuh"

/* y[i] = x[n - 1 - i] through shared memory; needs the barrier. */
__global__ void reverse(const int *x, int *y)
{
    TSC_SHARED(int, line, 256);

    line[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    y[threadIdx.x] = line[blockDim.x - 1 - threadIdx.x];
}

__global__ void reverse_unsynchronised(const int *x, int *y)
{
    TSC_SHARED(int, line, 256);

    line[threadIdx.x] = x[threadIdx.x];
    y[threadIdx.x] = line[blockDim.x - 1 - threadIdx.x];
}

/* y[i] = x[i - 1] + x[i]: in forward order the missing barrier does not show. */
__global__ void neighbours_unsynchronised(const int *x, int *y)
{
    TSC_SHARED(int, line, 256);

    line[threadIdx.x] = x[threadIdx.x];
    y[threadIdx.x] = line[threadIdx.x] + (threadIdx.x > 0 ? line[threadIdx.x - 1] : 0);
}

__global__ void shared_unwritten(float *y)
{
    TSC_SHARED(float, line, 32);

    if (threadIdx.x == 0)
        line[0] = 1;
    __syncthreads();
    y[threadIdx.x] = line[threadIdx.x];
    __syncthreads();
    line[threadIdx.x] = 5; /* must not be there for the next block */
}

/* Each warp's sum of its lanes' numbers, in every lane. */
__global__ void warp_sum(const int *x, int *y)
{
    int v = x[threadIdx.x];

    for (int step = 16; step > 0; step /= 2)
        v += __shfl_xor_sync(0xFFFFFFFFu, v, step);
    y[threadIdx.x] = v;
}

__global__ void warp_kinds(const int *x, int *y)
{
    const int lane = (int)threadIdx.x, v = x[threadIdx.x];

    y[lane] = __shfl_sync(0xFFFFFFFFu, v, 3);
    y[32 + lane] = __shfl_up_sync(0xFFFFFFFFu, v, 1);
    y[64 + lane] = __shfl_down_sync(0xFFFFFFFFu, v, 2);
    y[96 + lane] = (int)__ballot_sync(0xFFFFFFFFu, v & 1);
    __syncwarp();
    if (lane < 16) /* half a warp by itself */
        y[128 + lane] = __shfl_xor_sync(0xFFFFu, v, 8);
}

__global__ void divergent_barrier(int *y)
{
    if (threadIdx.x < 40)
        __syncthreads();
    y[threadIdx.x] = 1;
}

__global__ void two_barriers(int *y)
{
    if (threadIdx.x % 2)
        __syncthreads();
    else
        __syncthreads();
    y[threadIdx.x] = 1;
}

__global__ void divergent_shuffle(const int *x, int *y)
{
    int v = x[threadIdx.x];

    if (threadIdx.x < 20)
        v = __shfl_xor_sync(0xFFFFFFFFu, v, 1);
    else
        __syncthreads();
    y[threadIdx.x] = v;
}

__global__ void shuffle_from_outside(const int *x, int *y)
{
    if (threadIdx.x < 16)
        y[threadIdx.x] = __shfl_sync(0xFFFFu, x[threadIdx.x], 20);
}

__global__ void add_up(int *total)
{
    atomicAdd(total, 1);
}

__global__ void ids(int *y)
{
    const unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    const unsigned thread =
        threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);

    y[block * blockDim.x * blockDim.y * blockDim.z + thread] =
        (int)(block * 1000 + thread);
}

/* Both ways through the narrow formats. */
__global__ void narrow(const float *x, uint16_t *codes, float *back, int dtype, int n)
{
    const int i = (int)threadIdx.x;

    if (i < n) {
        codes[i] = tsc_encode(tsc_format(dtype), x[i]);
        back[i] = dtype == TS_BFLOAT16 ? tsc_bits_float((uint32_t)codes[i] << 16)
                                       : tsc_decode(tsc_format(dtype), codes[i]);
    }
}

TSC_KERNEL(k_reverse, reverse);
TSC_KERNEL(k_reverse_unsynchronised, reverse_unsynchronised);
TSC_KERNEL(k_neighbours_unsynchronised, neighbours_unsynchronised);
TSC_KERNEL(k_shared_unwritten, shared_unwritten);
TSC_KERNEL(k_warp_sum, warp_sum);
TSC_KERNEL(k_warp_kinds, warp_kinds);
TSC_KERNEL(k_divergent_barrier, divergent_barrier);
TSC_KERNEL(k_two_barriers, two_barriers);
TSC_KERNEL(k_divergent_shuffle, divergent_shuffle);
TSC_KERNEL(k_shuffle_from_outside, shuffle_from_outside);
TSC_KERNEL(k_add_up, add_up);
TSC_KERNEL(k_ids, ids);
TSC_KERNEL(k_narrow, narrow);

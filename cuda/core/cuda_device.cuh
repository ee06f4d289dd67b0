/* SPDX-License-Identifier: Apache-2.0 */
/* The device language as nvcc has it; sim/device.cuh is the other one. */
#ifndef TSC_CUDA_DEVICE_CUH
#define TSC_CUDA_DEVICE_CUH

#include <cuda_fp16.h>
#include <cuda_runtime.h>

#define TSC_ENTRY(NAME, ...) (const void *)(__VA_ARGS__)
#define TSC_SHARED(type, name, n) __shared__ type name[n]

#define tsc_shuffle_xor(v, lanes) __shfl_xor_sync(0xFFFFFFFFu, v, lanes)
#define tsc_exp(v) exp(v)

__device__ inline uint32_t tsc_float_bits(float v)
{
    return __float_as_uint(v);
}

__device__ inline float tsc_bits_float(uint32_t u)
{
    return __uint_as_float(u);
}

__device__ inline float tsc_half_float(uint16_t bits)
{
    return __half2float(__ushort_as_half(bits));
}

__device__ inline uint16_t tsc_float_half(float v)
{
    return __half_as_ushort(__float2half_rn(v));
}

__device__ inline uint16_t tsc_float_bfloat(float v) /* to nearest even; one NaN */
{
    const uint32_t u = __float_as_uint(v);

    if (v != v)
        return 0x7FC0;
    return (uint16_t)((u + 0x7FFFu + (u >> 16 & 1)) >> 16);
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What every .cu includes: the device language of both compilers, element types, loads
 * and stores, reductions of a block. nvcc makes GPU code of it, g++ code for the host
 * simulator (sim/).
 */
#ifndef TSC_KERNEL_CUH
#define TSC_KERNEL_CUH

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "core/kernel.h"

#ifdef __CUDACC__
#include "core/cuda_device.cuh"
#else
#include "sim/device.cuh"
#endif

/* --- descriptors --- */

/* TSC_KERNEL(tsc_zero, zero_kernel<float>): one descriptor, C linkage. */
#define TSC_KERNEL(NAME, ...)         \
    extern "C" const tsc_kernel NAME; \
    extern "C" const tsc_kernel NAME = {#NAME, TSC_ENTRY(#NAME, __VA_ARGS__)}

/* One descriptor per dtype, in the order of dtypes.def, of a template over the element
 * type. */
#define TSC_ROW_(NAME, K, T, dtype)                        \
    {                                                      \
#NAME "/" dtype, TSC_ENTRY(#NAME "/" dtype, K <T>) \
    }
#define TSC_FLOATS_(NAME, K)                                                   \
    TSC_ROW_(NAME, K, double, "float64"), TSC_ROW_(NAME, K, float, "float32"), \
        TSC_ROW_(NAME, K, tsc_bf16, "bfloat16"), TSC_ROW_(NAME, K, tsc_f16, "float16")

#define TSC_KERNELS_FLOAT(NAME, K)                    \
    extern "C" const tsc_kernel NAME[TS_DTYPE_COUNT]; \
    extern "C" const tsc_kernel NAME[TS_DTYPE_COUNT] = {TSC_FLOATS_(NAME, K)}

#define TSC_KERNELS_COMMON(NAME, K)                      \
    extern "C" const tsc_kernel NAME[TS_DTYPE_COUNT];    \
    extern "C" const tsc_kernel NAME[TS_DTYPE_COUNT] = { \
        TSC_FLOATS_(NAME, K),                            \
        {NULL, NULL},                                    \
        {NULL, NULL},                                    \
        TSC_ROW_(NAME, K, int64_t, "int64"),             \
        TSC_ROW_(NAME, K, int32_t, "int32"),             \
        TSC_ROW_(NAME, K, int16_t, "int16"),             \
        TSC_ROW_(NAME, K, int8_t, "int8"),               \
        TSC_ROW_(NAME, K, uint8_t, "uint8"),             \
        TSC_ROW_(NAME, K, bool, "bool")}

/* --- element types --- */

struct tsc_f16 {
    uint16_t bits;
};
struct tsc_bf16 {
    uint16_t bits;
};

/* A binary format narrower than float32: significand bits with the hidden one, exponent
 * of the smallest normal, largest number, codes of infinity and NaN (without sign). */
struct tsc_narrow {
    int precision, emin, width;
    float max;
    bool infinite;          /* else overflow and infinity give max */
    uint16_t infinity, nan; /* without infinities: the code of max */
};

__host__ __device__ inline tsc_narrow tsc_format(int dtype)
{
    switch (dtype) {
    case TS_BFLOAT16:
        return {8, -126, 16, 0x1.FEp127f, true, 0x7F80, 0x7FC0};
    case TS_FLOAT16:
        return {11, -14, 16, 65504.f, true, 0x7C00, 0x7E00};
    case TS_FLOAT8_E4M3FN:
        return {4, -6, 8, 448.f, false, 0x7E, 0x7F};
    default:
        return {3, -14, 8, 57344.f, true, 0x7C, 0x7F}; /* TS_FLOAT8_E5M2 */
    }
}

__device__ inline uint16_t tsc_encode(const tsc_narrow &f, float v)
{
    const int m = f.precision - 1;
    const uint32_t u = tsc_float_bits(v), magnitude = u & 0x7FFFFFFFu;
    const uint16_t sign = (uint16_t)(u >> 31 << (f.width - 1));
    const int e = (int)(magnitude >> 23) - 127;
    uint32_t q;

    if (magnitude > 0x7F800000u)
        return (uint16_t)(sign | f.nan);
    if (e >= f.emin) { /* round in place; a carry moves into the exponent */
        const int shift = 23 - m;

        q = magnitude + (1u << (shift - 1)) - 1 + (magnitude >> shift & 1);
        if (tsc_bits_float(q >> shift << shift) > f.max)
            return (uint16_t)(sign | f.infinity);
        return (uint16_t)(sign | ((q >> shift) - ((uint32_t)(127 + f.emin - 1) << m)));
    }
    if (f.emin <= -126) /* float's own subnormals: the same quantum, cut */
        return (uint16_t)(sign | ((magnitude + (1u << (22 - m)) - 1 +
                                   (magnitude >> (23 - m) & 1)) >>
                                  (23 - m)));
    /* a whole number of quanta, by adding a number whose last place is one quantum */
    const float big = tsc_bits_float((uint32_t)(f.emin - m + 23 + 127) << 23);

    return (uint16_t)(sign | (tsc_float_bits(tsc_bits_float(magnitude) + big) -
                              tsc_float_bits(big)));
}

/* Not for bfloat16, whose subnormals are float's own: its bits are a float's upper half. */
__device__ inline float tsc_decode(const tsc_narrow &f, uint16_t bits)
{
    const int m = f.precision - 1;
    const uint32_t magnitude = bits & ((1u << (f.width - 1)) - 1);
    const uint32_t sign = (uint32_t)(bits >> (f.width - 1)) << 31;
    uint32_t u;

    if (f.infinite ? magnitude > f.infinity : magnitude == f.nan)
        u = 0x7FC00000u;
    else if (f.infinite && magnitude == f.infinity)
        u = 0x7F800000u;
    else if (magnitude >> m == 0)
        u = tsc_float_bits((float)magnitude *
                           tsc_bits_float((uint32_t)(f.emin - m + 127) << 23));
    else
        u = (magnitude << (23 - m)) + ((uint32_t)(f.emin - 1 + 127) << 23);
    return tsc_bits_float(u | sign);
}

#ifndef __CUDACC__
__device__ inline float tsc_half_float(uint16_t bits)
{
    return tsc_decode(tsc_format(TS_FLOAT16), bits);
}

__device__ inline uint16_t tsc_float_half(float v)
{
    return tsc_encode(tsc_format(TS_FLOAT16), v);
}

__device__ inline uint16_t tsc_float_bfloat(float v)
{
    return tsc_encode(tsc_format(TS_BFLOAT16), v);
}
#endif

/* What a dtype's elements are computed in. */
template <typename T> struct tsc_wide_of {
    using type = int64_t;
};
template <> struct tsc_wide_of<double> {
    using type = double;
};
template <> struct tsc_wide_of<float> {
    using type = float;
};
template <> struct tsc_wide_of<tsc_f16> {
    using type = float;
};
template <> struct tsc_wide_of<tsc_bf16> {
    using type = float;
};
template <typename T> using tsc_wide = typename tsc_wide_of<T>::type;

template <typename T> struct tsc_is_half {
    static const bool value = false;
};
template <> struct tsc_is_half<tsc_f16> {
    static const bool value = true;
};
template <> struct tsc_is_half<tsc_bf16> {
    static const bool value = true;
};

template <typename T> struct tsc_dtype_of;
#define TSC_DTYPE_OF_(T, ID)              \
    template <> struct tsc_dtype_of<T> {  \
        static const int value = TS_##ID; \
    }
TSC_DTYPE_OF_(double, FLOAT64);
TSC_DTYPE_OF_(float, FLOAT32);
TSC_DTYPE_OF_(tsc_bf16, BFLOAT16);
TSC_DTYPE_OF_(tsc_f16, FLOAT16);
TSC_DTYPE_OF_(int64_t, INT64);
TSC_DTYPE_OF_(int32_t, INT32);
TSC_DTYPE_OF_(int16_t, INT16);
TSC_DTYPE_OF_(int8_t, INT8);
TSC_DTYPE_OF_(uint8_t, UINT8);
TSC_DTYPE_OF_(bool, BOOL);

/* An element to what it is computed in, exactly; and back, rounded or wrapped once. */
template <typename T> __device__ inline tsc_wide<T> tsc_load(T v)
{
    return (tsc_wide<T>)v;
}
template <> __device__ inline float tsc_load(tsc_f16 v)
{
    return tsc_half_float(v.bits);
}
template <> __device__ inline float tsc_load(tsc_bf16 v)
{
    return tsc_bits_float((uint32_t)v.bits << 16);
}

template <typename T> __device__ inline T tsc_store(tsc_wide<T> v)
{
    return (T)v;
}
template <> __device__ inline bool tsc_store<bool>(int64_t v)
{
    return v != 0;
}
template <> __device__ inline tsc_f16 tsc_store<tsc_f16>(float v)
{
    return {tsc_float_half(v)};
}
template <> __device__ inline tsc_bf16 tsc_store<tsc_bf16>(float v)
{
    return {tsc_float_bfloat(v)};
}

/* Toward zero; NaN and what int64 can't hold give its smallest, on every device. */
__device__ inline int64_t tsc_truncate(double v)
{
    return v >= -0x1p63 && v < 0x1p63 ? (int64_t)v : INT64_MIN;
}

__host__ __device__ inline bool tsc_is_float(int dtype)
{
    return dtype <= TS_FLOAT8_E5M2;
}

/* --- elements of a dtype known at run time --- */

__device__ inline int64_t tsc_get_i64(int dtype, const void *p)
{
    switch (dtype) {
    case TS_INT64:
        return *(const int64_t *)p;
    case TS_INT32:
        return *(const int32_t *)p;
    case TS_INT16:
        return *(const int16_t *)p;
    case TS_INT8:
        return *(const int8_t *)p;
    case TS_BOOL:
        return *(const uint8_t *)p != 0;
    default:
        return *(const uint8_t *)p;
    }
}

__device__ inline double tsc_get_float(int dtype, const void *p)
{
    switch (dtype) {
    case TS_FLOAT64:
        return *(const double *)p;
    case TS_FLOAT32:
        return *(const float *)p;
    case TS_BFLOAT16:
        return tsc_load(*(const tsc_bf16 *)p);
    case TS_FLOAT16:
        return tsc_load(*(const tsc_f16 *)p);
    default:
        return tsc_decode(tsc_format(dtype), *(const uint8_t *)p);
    }
}

__device__ inline void tsc_put_i64(int dtype, void *p, int64_t v)
{
    switch (dtype) {
    case TS_INT64:
        *(int64_t *)p = v;
        break;
    case TS_INT32:
        *(int32_t *)p = (int32_t)v;
        break;
    case TS_INT16:
        *(int16_t *)p = (int16_t)v;
        break;
    case TS_BOOL:
        *(uint8_t *)p = v != 0;
        break;
    default:
        *(uint8_t *)p = (uint8_t)v;
    }
}

/* v has been rounded to float32 where dtype is narrower than that. */
__device__ inline void tsc_put_float(int dtype, void *p, double v)
{
    switch (dtype) {
    case TS_FLOAT64:
        *(double *)p = v;
        break;
    case TS_FLOAT32:
        *(float *)p = (float)v;
        break;
    case TS_BFLOAT16:
        *(tsc_bf16 *)p = tsc_store<tsc_bf16>((float)v);
        break;
    case TS_FLOAT16:
        *(tsc_f16 *)p = tsc_store<tsc_f16>((float)v);
        break;
    case TS_FLOAT8_E4M3FN:
    case TS_FLOAT8_E5M2:
        *(uint8_t *)p = (uint8_t)tsc_encode(tsc_format(dtype), (float)v);
        break;
    case TS_BOOL:
        *(uint8_t *)p = v != 0; /* NaN is true */
        break;
    default:
        tsc_put_i64(dtype, p, tsc_truncate(v));
    }
}

/* One element cast as PyTorch casts (dtypes page): what is narrower than float32 is
 * reached through it, from float64 and integers alike. */
__device__ inline void tsc_cast(int from, const void *src, int to, void *dst)
{
    if (tsc_is_float(from))
        tsc_put_float(to, dst, tsc_get_float(from, src));
    else if (to == TS_FLOAT64)
        *(double *)dst = (double)tsc_get_i64(from, src);
    else if (tsc_is_float(to))
        tsc_put_float(to, dst, (float)tsc_get_i64(from, src));
    else
        tsc_put_i64(to, dst, tsc_get_i64(from, src));
}

/* Element `at` of an operand, cast to T first as a pointwise op of dtype T takes it. */
template <typename T>
__device__ inline tsc_wide<T> tsc_load_as(const tsc_operand &o, int64_t at)
{
    const void *p = o.data ? (const char *)o.data + at * o.bytes : (const char *)&o.cell;
    T v;

    if (o.dtype == tsc_dtype_of<T>::value)
        return tsc_load(*(const T *)p);
    tsc_cast(o.dtype, p, tsc_dtype_of<T>::value, &v);
    return tsc_load(v);
}

/* v rounded or wrapped to T, then cast to the operand's dtype. */
template <typename T>
__device__ inline void tsc_store_as(const tsc_operand &o, int64_t at, tsc_wide<T> v)
{
    void *p = (char *)o.data + at * o.bytes;
    const T rounded = tsc_store<T>(v);

    if (o.dtype == tsc_dtype_of<T>::value)
        *(T *)p = rounded;
    else
        tsc_cast(tsc_dtype_of<T>::value, &rounded, o.dtype, p);
}

/* --- places --- */

/* Where element i, in row-major order, of operands 0 to N - 1 stands. */
template <int N> struct tsc_place {
    int64_t at[N];
};

template <int N> __device__ inline tsc_place<N> tsc_place_of(const tsc_walk &w, int64_t i)
{
    tsc_place<N> p = {};

    if (w.numel <= 0x7FFFFFFF) { /* 32-bit division is several times faster */
        uint32_t left = (uint32_t)i;

        for (int d = w.ndim - 1; d >= 0; d--) {
            const uint32_t size = (uint32_t)w.sizes[d], k = left % size;

            left /= size;
            for (int o = 0; o < N; o++)
                p.at[o] += k * w.strides[o][d];
        }
        return p;
    }
    for (int d = w.ndim - 1; d >= 0; d--) {
        const int64_t k = i % w.sizes[d];

        i /= w.sizes[d];
        for (int o = 0; o < N; o++)
            p.at[o] += k * w.strides[o][d];
    }
    return p;
}

__device__ inline int64_t tsc_first(void)
{
    return blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
}

__device__ inline int64_t tsc_step(void)
{
    return (int64_t)gridDim.x * blockDim.x;
}

/* --- reductions of a block of TSC_BLOCK threads, in one fixed order --- */

#define TSC_BLOCK 256

struct tsc_plus {
    template <typename A> __device__ A operator()(A a, A b) const
    {
        return a + b;
    }
};

struct tsc_larger { /* a NaN wins */
    template <typename A> __device__ A operator()(A a, A b) const
    {
        return a > b || a != a ? a : b;
    }
};

/* Every thread gives v and gets the whole block's. All threads must come. */
template <typename A, typename Op> __device__ inline A tsc_block_reduce(A v, Op op)
{
    TSC_SHARED(A, part, TSC_BLOCK / 32);
    const int lane = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32;

    for (int step = 16; step > 0; step /= 2)
        v = op(v, tsc_shuffle_xor(v, step));
    __syncthreads(); /* the last call's readers are done with `part` */
    if (lane == 0)
        part[warp] = v;
    __syncthreads();
    v = part[0];
    for (int w = 1; w < TSC_BLOCK / 32; w++)
        v = op(v, part[w]);
    return v;
}

#endif

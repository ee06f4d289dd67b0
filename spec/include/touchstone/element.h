/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Elements as numbers, for kernels on host memory: load exactly, compute wide, round once
 * on store (T-11). Everything is inline, so that a loop over elements calls nothing.
 */
#ifndef TOUCHSTONE_ELEMENT_H
#define TOUCHSTONE_ELEMENT_H

#include <math.h>
#include <string.h>

#include "touchstone/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- one encoded element --- */

/* A binary format narrower than float32; all have IEEE 754's encoding of subnormals. */
typedef struct tse_format {
    int precision; /* significand bits, the hidden one included */
    int emin;      /* exponent of the smallest normal */
    int bias, width;
    double max;
    bool infinite; /* has infinities; else overflow and infinity become max */
    unsigned infinity, nan;
} tse_format;

static inline bool tse_is_narrow(ts_dtype dtype)
{
    return dtype == TS_BFLOAT16 || dtype == TS_FLOAT16 || dtype == TS_FLOAT8_E4M3FN ||
           dtype == TS_FLOAT8_E5M2;
}

/* The half types, for which PyTorch's CPU computes in float32. */
static inline bool tse_is_half(ts_dtype dtype)
{
    return dtype == TS_FLOAT16 || dtype == TS_BFLOAT16;
}

static inline bool tse_is_real(ts_dtype dtype)
{
    return dtype == TS_FLOAT64 || dtype == TS_FLOAT32 || tse_is_narrow(dtype);
}

static inline size_t tse_bytes(ts_dtype dtype)
{
    switch (dtype) {
    case TS_FLOAT64:
    case TS_INT64:
        return 8;
    case TS_FLOAT32:
    case TS_INT32:
        return 4;
    case TS_BFLOAT16:
    case TS_FLOAT16:
    case TS_INT16:
        return 2;
    default:
        return 1;
    }
}

static inline tse_format tse_format_of(ts_dtype dtype)
{
    static const tse_format bfloat16 = {8,          -126, 127,    16,
                                        0x1.FEp127, true, 0x7F80, 0x7FC0};
    static const tse_format float16 = {11, -14, 15, 16, 65504, true, 0x7C00, 0x7E00};
    static const tse_format e4m3fn = {4, -6, 7, 8, 448, false, 0x7F, 0x7F};
    static const tse_format e5m2 = {3, -14, 15, 8, 57344, true, 0x7C, 0x7F};

    return dtype == TS_BFLOAT16        ? bfloat16
           : dtype == TS_FLOAT16       ? float16
           : dtype == TS_FLOAT8_E4M3FN ? e4m3fn
                                       : e5m2;
}

static inline uint64_t tse_bits(double v)
{
    uint64_t u;

    memcpy(&u, &v, sizeof u);
    return u;
}

static inline double tse_double(uint64_t u)
{
    double v;

    memcpy(&v, &u, sizeof v);
    return v;
}

/* 2^e for the exponents of normal doubles. */
static inline double tse_power_of_two(int e)
{
    return tse_double((uint64_t)(e + 1023) << 52);
}

static inline double tse_round_narrow(tse_format f, double v)
{
    uint64_t u = tse_bits(v);
    const int e = (int)(u >> 52 & 0x7FF) - 1023;

    if (e == 1024) /* NaN and infinities */
        return (u << 12) == 0 && !f.infinite ? copysign(f.max, v) : v;
    if (v == 0)
        return v;
    if (e >= f.emin) { /* cut the significand in place; a carry moves into the exponent */
        const int shift = 53 - f.precision;

        u += (UINT64_C(1) << (shift - 1)) - 1 + (u >> shift & 1);
        v = tse_double(u >> shift << shift);
    } else { /* subnormal: a whole number of quanta */
        const int quantum = f.emin - f.precision + 1;

        v = copysign(rint(v * tse_power_of_two(-quantum)) * tse_power_of_two(quantum), v);
    }
    if (fabs(v) > f.max)
        v = copysign(f.infinite ? (double)INFINITY : f.max, v);
    return v;
}

static inline unsigned tse_encode(tse_format f, double v)
{
    const int mantissa = f.precision - 1;
    uint64_t u;
    unsigned sign;
    int e;

    v = tse_round_narrow(f, v);
    u = tse_bits(v);
    sign = (unsigned)(u >> 63) << (f.width - 1);
    e = (int)(u >> 52 & 0x7FF) - 1023;
    if (e == 1024 && u << 12 != 0) /* bfloat16's NaN has no sign in PyTorch */
        return f.bias == 127 ? f.nan : (sign | f.nan);
    if (e == 1024)
        return sign | f.infinity;
    if (e < f.emin)
        return sign | (unsigned)(fabs(v) * tse_power_of_two(mantissa - f.emin));
    return sign | (unsigned)(e + f.bias) << mantissa |
           (unsigned)(u >> (52 - mantissa) & ((1u << mantissa) - 1));
}

static inline double tse_decode(tse_format f, unsigned bits)
{
    const int mantissa = f.precision - 1;
    const unsigned magnitude = bits & ((1u << (f.width - 1)) - 1);
    const bool negative = bits >> (f.width - 1) & 1;
    const int e = (int)(magnitude >> mantissa);
    const unsigned fraction = magnitude & ((1u << mantissa) - 1);
    double v;

    if (f.infinite ? magnitude > f.infinity : magnitude == f.nan)
        v = (double)NAN;
    else if (f.infinite && magnitude == f.infinity)
        v = (double)INFINITY;
    else if (e == 0)
        v = fraction * tse_power_of_two(f.emin - mantissa);
    else
        return tse_double((uint64_t)negative << 63 | (uint64_t)(e - f.bias + 1023) << 52 |
                          (uint64_t)fraction << (52 - mantissa));
    return negative ? -v : v;
}

/* value rounded once to `dtype`; touchstone/dtype.h's ts_dtype_round, inline. */
static inline double tse_round(ts_dtype dtype, double value)
{
    if (dtype == TS_FLOAT64)
        return value;
    return dtype == TS_FLOAT32 ? (double)(float)value
                               : tse_round_narrow(tse_format_of(dtype), value);
}

/* NaN and what int64 cannot hold are undefined in PyTorch; here they give INT64_MIN. */
static inline int64_t tse_truncate(double v)
{
    return v >= -0x1p63 && v < 0x1p63 ? (int64_t)v : INT64_MIN;
}

static inline int64_t tse_read_i64(ts_dtype dtype, const void *element);

static inline double tse_read(ts_dtype dtype, const void *element)
{
    switch (dtype) {
    case TS_FLOAT64:
        return *(const double *)element;
    case TS_FLOAT32:
        return (double)*(const float *)element;
    case TS_BFLOAT16:
    case TS_FLOAT16:
        return tse_decode(tse_format_of(dtype), *(const uint16_t *)element);
    case TS_FLOAT8_E4M3FN:
    case TS_FLOAT8_E5M2:
        return tse_decode(tse_format_of(dtype), *(const uint8_t *)element);
    default:
        return (double)tse_read_i64(dtype, element);
    }
}

static inline int64_t tse_read_i64(ts_dtype dtype, const void *element)
{
    switch (dtype) {
    case TS_INT64:
        return *(const int64_t *)element;
    case TS_INT32:
        return *(const int32_t *)element;
    case TS_INT16:
        return *(const int16_t *)element;
    case TS_INT8:
        return *(const int8_t *)element;
    case TS_UINT8:
        return *(const uint8_t *)element;
    case TS_BOOL:
        return *(const uint8_t *)element != 0;
    default:
        return tse_truncate(tse_read(dtype, element));
    }
}

static inline void tse_write_i64(ts_dtype dtype, void *element, int64_t value);

static inline void tse_write(ts_dtype dtype, void *element, double value)
{
    switch (dtype) {
    case TS_FLOAT64:
        *(double *)element = value;
        break;
    case TS_FLOAT32:
        *(float *)element = (float)value;
        break;
    case TS_BFLOAT16:
    case TS_FLOAT16:
        *(uint16_t *)element = (uint16_t)tse_encode(tse_format_of(dtype), value);
        break;
    case TS_FLOAT8_E4M3FN:
    case TS_FLOAT8_E5M2:
        *(uint8_t *)element = (uint8_t)tse_encode(tse_format_of(dtype), value);
        break;
    case TS_BOOL:
        *(uint8_t *)element = value != 0; /* NaN is true */
        break;
    default:
        tse_write_i64(dtype, element, tse_truncate(value));
    }
}

static inline void tse_write_i64(ts_dtype dtype, void *element, int64_t value)
{
    switch (dtype) {
    case TS_INT64:
        *(int64_t *)element = value;
        break;
    case TS_INT32:
        *(int32_t *)element = (int32_t)(uint32_t)(uint64_t)value;
        break;
    case TS_INT16:
        *(int16_t *)element = (int16_t)(uint16_t)(uint64_t)value;
        break;
    case TS_INT8:
        *(int8_t *)element = (int8_t)(uint8_t)(uint64_t)value;
        break;
    case TS_UINT8:
        *(uint8_t *)element = (uint8_t)(uint64_t)value;
        break;
    case TS_BOOL:
        *(uint8_t *)element = value != 0;
        break;
    case TS_FLOAT32:
        *(float *)element = (float)value;
        break;
    case TS_FLOAT64:
        *(double *)element = (double)value;
        break;
    default: /* PyTorch converts an integer to float32 first */
        tse_write(dtype, element, (double)(float)value);
    }
}

/* One element from dtype to dtype exactly as PyTorch casts: float64 reaches the 16- and
 * 8-bit floats through float32, rounding twice. */
static inline void tse_convert(ts_dtype from, const void *src, ts_dtype to, void *dst)
{
    if (from == to) {
        memcpy(dst, src, tse_bytes(to));
    } else if (!tse_is_real(from)) {
        tse_write_i64(to, dst, tse_read_i64(from, src));
    } else {
        const double v = tse_read(from, src);

        tse_write(to, dst,
                  from == TS_FLOAT64 && tse_is_narrow(to) ? (double)(float)v : v);
    }
}

/* --- elements of a tensor on the host; `element` counts from data --- */

static inline void *tse_at(const ts_tensor *t, int64_t element)
{
    return (char *)t->data + element * (int64_t)tse_bytes(t->dtype);
}

/* Floats exactly; integers beyond 2^53 through tse_get_i64. */
static inline double tse_get(const ts_tensor *t, int64_t element)
{
    return tse_read(t->dtype, tse_at(t, element));
}

static inline int64_t tse_get_i64(const ts_tensor *t, int64_t element)
{
    return tse_read_i64(t->dtype, tse_at(t, element));
}

static inline void tse_put(const ts_tensor *t, int64_t element, double v)
{
    tse_write(t->dtype, tse_at(t, element), v);
}

static inline void tse_put_i64(const ts_tensor *t, int64_t element, int64_t v)
{
    tse_write_i64(t->dtype, tse_at(t, element), v);
}

/* Whether the one element of `number`, taken for a Python number, lies within `dtype`'s
 * range, by which fills refuse (copy/C3). */
static inline bool tse_number_fits(ts_dtype dtype, const ts_tensor *number)
{
    const ts_dtype_info *info = ts_dtype_get(dtype);
    const double v = tse_get(number, 0);

    if (info->class_ == TS_CLASS_BOOL)
        return true;
    if (info->class_ == TS_CLASS_FLOAT)
        return isnan(v) || (isinf(v) && dtype != TS_FLOAT8_E4M3FN) ||
               fabs(v) <= info->max;
    if (tse_is_real(number->dtype)) /* its truncation is in range; NaN compares false */
        return v >= (double)info->int_min &&
               v < ldexp(1, info->bits - (dtype != TS_UINT8));
    if (dtype == TS_UINT8) /* a negative int wraps */
        return tse_get_i64(number, 0) >= -info->int_max &&
               tse_get_i64(number, 0) <= info->int_max;
    return tse_get_i64(number, 0) >= info->int_min &&
           tse_get_i64(number, 0) <= info->int_max;
}

/* Element cast to `compute` first, as PyTorch does before a pointwise op of that dtype. */
static inline double tse_get_as(ts_dtype compute, const ts_tensor *t, int64_t element)
{
    const void *p = tse_at(t, element);

    if (t->dtype == compute)
        return tse_read(compute, p);
    if (!tse_is_real(t->dtype)) {
        const int64_t v = tse_read_i64(t->dtype, p);

        return tse_round(compute, tse_is_narrow(compute) ? (double)(float)v : (double)v);
    }
    return tse_round(compute, t->dtype == TS_FLOAT64 && tse_is_narrow(compute)
                                  ? (double)(float)tse_read(t->dtype, p)
                                  : tse_read(t->dtype, p));
}

static inline int64_t tse_get_i64_as(ts_dtype compute, const ts_tensor *t,
                                     int64_t element)
{
    const int64_t wide = tse_get_i64(t, element);
    uint64_t cell = 0;

    if (t->dtype == compute)
        return wide;
    if (compute == TS_BOOL && tse_is_real(t->dtype)) /* 0.5 is true */
        return tse_get(t, element) != 0;
    tse_write_i64(compute, &cell, wide);
    return tse_read_i64(compute, &cell);
}

/* v rounded (wrapped) to `compute`, then cast to t's dtype. */
static inline void tse_put_as(ts_dtype compute, const ts_tensor *t, int64_t element,
                              double v)
{
    uint64_t cell = 0;

    if (t->dtype == compute) {
        tse_write(compute, tse_at(t, element), v);
        return;
    }
    tse_write(compute, &cell, v);
    tse_convert(compute, &cell, t->dtype, tse_at(t, element));
}

static inline void tse_put_i64_as(ts_dtype compute, const ts_tensor *t, int64_t element,
                                  int64_t v)
{
    uint64_t cell = 0;

    if (t->dtype == compute) {
        tse_write_i64(compute, tse_at(t, element), v);
        return;
    }
    tse_write_i64(compute, &cell, v);
    tse_convert(compute, &cell, t->dtype, tse_at(t, element));
}

#ifdef __cplusplus
}
#endif
#endif

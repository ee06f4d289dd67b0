/* SPDX-License-Identifier: Apache-2.0 */
/* Elements to numbers and back, one rounding each way (T-11). */
#include "core/core.h"

#include <math.h>

/* A binary floating format narrower than float32, all with IEEE 754's encoding of
 * subnormals. */
typedef struct narrow {
    int precision; /* significand bits, the hidden one included */
    int emin;      /* exponent of the smallest normal */
    int bias;
    double max;
    bool infinite; /* has infinities; else overflow and infinity become max */
    uint16_t infinity, nan;
} narrow;

static const narrow formats[TS_DTYPE_COUNT] = {
    [TS_BFLOAT16] = {8, -126, 127, 0x1.FEp127, true, 0x7F80, 0x7FC0},
    [TS_FLOAT16] = {11, -14, 15, 65504, true, 0x7C00, 0x7E00},
    [TS_FLOAT8_E4M3FN] = {4, -6, 7, 448, false, 0x7F, 0x7F},
    [TS_FLOAT8_E5M2] = {3, -14, 15, 57344, true, 0x7C, 0x7F},
};

static uint64_t bits_of(double v)
{
    uint64_t u;

    memcpy(&u, &v, sizeof u);
    return u;
}

static double of_bits(uint64_t u)
{
    double v;

    memcpy(&v, &u, sizeof v);
    return v;
}

/* 2^e for the exponents of normal doubles. */
static double power_of_two(int e)
{
    return of_bits((uint64_t)(e + 1023) << 52);
}

static double round_narrow(const narrow *f, double v)
{
    uint64_t u = bits_of(v);
    const int e = (int)(u >> 52 & 0x7FF) - 1023;

    if (e == 1024 || v == 0)
        return isinf(v) && !f->infinite ? copysign(f->max, v) : v;
    if (e >=
        f->emin) { /* cut the significand in place; a carry moves into the exponent */
        const int shift = 53 - f->precision;

        u += (UINT64_C(1) << (shift - 1)) - 1 + (u >> shift & 1);
        v = of_bits(u >> shift << shift);
    } else { /* subnormal: a whole number of quanta */
        const int quantum = f->emin - f->precision + 1;

        v = copysign(rint(v * power_of_two(-quantum)) * power_of_two(quantum), v);
    }
    if (fabs(v) > f->max)
        v = copysign(f->infinite ? INFINITY : f->max, v);
    return v;
}

double ts_round(ts_dtype dtype, double value)
{
    switch (dtype) {
    case TS_FLOAT64:
        return value;
    case TS_FLOAT32:
        return (double)(float)value;
    default:
        return round_narrow(&formats[dtype], value);
    }
}

static uint16_t encode(const narrow *f, double v)
{
    const int mantissa = f->precision - 1;
    const int width = f->bias > 100 || mantissa > 8 ? 16 : 8;
    uint64_t u;
    uint16_t sign;
    int e;

    v = round_narrow(f, v);
    u = bits_of(v);
    sign = (uint16_t)((u >> 63) << (width - 1));
    if (isnan(v)) /* bfloat16's NaN has no sign in PyTorch */
        return f->bias == 127 ? f->nan : (uint16_t)(sign | f->nan);
    if (isinf(v))
        return sign | f->infinity;
    e = (int)(u >> 52 & 0x7FF) - 1023;
    if (e < f->emin)
        return (uint16_t)(sign | (uint16_t)(fabs(v) * power_of_two(mantissa - f->emin)));
    return (uint16_t)(sign | (uint16_t)((e + f->bias) << mantissa) |
                      (uint16_t)(u >> (52 - mantissa) & ((1u << mantissa) - 1)));
}

static double decode(const narrow *f, uint16_t bits)
{
    const int mantissa = f->precision - 1;
    const int width = f->bias > 100 || mantissa > 8 ? 16 : 8;
    const uint16_t magnitude = bits & (uint16_t)((1u << (width - 1)) - 1);
    const bool negative = bits >> (width - 1);
    const int e = magnitude >> mantissa;
    const int fraction = magnitude & ((1 << mantissa) - 1);
    double v;

    if (f->infinite ? magnitude > f->infinity : magnitude == f->nan)
        v = NAN;
    else if (f->infinite && magnitude == f->infinity)
        v = INFINITY;
    else if (e == 0)
        v = fraction * power_of_two(f->emin - mantissa);
    else
        return of_bits((uint64_t)negative << 63 | (uint64_t)(e - f->bias + 1023) << 52 |
                       (uint64_t)fraction << (52 - mantissa));
    return negative ? -v : v;
}

double ts_load_f64(ts_dtype dtype, const void *element)
{
    switch (dtype) {
    case TS_FLOAT64:
        return *(const double *)element;
    case TS_FLOAT32:
        return *(const float *)element;
    case TS_BFLOAT16:
    case TS_FLOAT16:
        return decode(&formats[dtype], *(const uint16_t *)element);
    case TS_FLOAT8_E4M3FN:
    case TS_FLOAT8_E5M2:
        return decode(&formats[dtype], *(const uint8_t *)element);
    default:
        return (double)ts_load_i64(dtype, element);
    }
}

static int64_t truncate(double v)
{
    return v >= -0x1p63 && v < 0x1p63 ? (int64_t)v : INT64_MIN;
}

int64_t ts_load_i64(ts_dtype dtype, const void *element)
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
        return truncate(ts_load_f64(dtype, element));
    }
}

void ts_store_f64(ts_dtype dtype, void *element, double value)
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
        *(uint16_t *)element = encode(&formats[dtype], value);
        break;
    case TS_FLOAT8_E4M3FN:
    case TS_FLOAT8_E5M2:
        *(uint8_t *)element = (uint8_t)encode(&formats[dtype], value);
        break;
    case TS_BOOL:
        *(uint8_t *)element = value != 0; /* NaN is true */
        break;
    default:
        ts_store_i64(dtype, element, truncate(value));
    }
}

void ts_store_i64(ts_dtype dtype, void *element, int64_t value)
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
        ts_store_f64(dtype, element, (float)value);
    }
}

void ts_cast(ts_dtype from, const void *src, ts_dtype to, void *dst)
{
    if (from == to) {
        memcpy(dst, src, (size_t)ts_dtype_size(to));
    } else if (!ts_dtype_is_floating(from)) {
        ts_store_i64(to, dst, ts_load_i64(from, src));
    } else {
        const double v = ts_load_f64(from, src);

        ts_store_f64(to, dst, from == TS_FLOAT64 && formats[to].precision ? (float)v : v);
    }
}

double tsi_load_as(ts_dtype compute, const ts_tensor *t, int64_t element)
{
    const void *p = tsi_at(t, element);

    if (t->dtype == compute)
        return ts_load_f64(t->dtype, p);
    if (!ts_dtype_is_floating(t->dtype)) {
        const int64_t v = ts_load_i64(t->dtype, p);

        return formats[compute].precision ? ts_round(compute, (float)v)
                                          : ts_round(compute, (double)v);
    }
    return ts_round(compute, t->dtype == TS_FLOAT64 && formats[compute].precision
                                 ? (float)ts_load_f64(t->dtype, p)
                                 : ts_load_f64(t->dtype, p));
}

int64_t tsi_load_i64_as(ts_dtype compute, const ts_tensor *t, int64_t element)
{
    int64_t wide = tsi_load_i64(t, element);
    unsigned char cell[8];

    if (t->dtype == compute)
        return wide;
    ts_store_i64(compute, cell, wide);
    return ts_load_i64(compute, cell);
}

void tsi_store_as(ts_dtype compute, ts_tensor *t, int64_t element, double v)
{
    if (t->dtype == compute) {
        tsi_store(t, element, v);
    } else {
        unsigned char cell[8];

        ts_store_f64(compute, cell, v);
        ts_cast(compute, cell, t->dtype, tsi_at(t, element));
    }
}

void tsi_store_i64_as(ts_dtype compute, ts_tensor *t, int64_t element, int64_t v)
{
    if (t->dtype == compute) {
        tsi_store_i64(t, element, v);
    } else {
        unsigned char cell[8];

        ts_store_i64(compute, cell, v);
        ts_cast(compute, cell, t->dtype, tsi_at(t, element));
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Element types (T-10), what is known of each,
 * and the conversions between them (T-11). */
#ifndef TOUCHSTONE_DTYPE_H
#define TOUCHSTONE_DTYPE_H

#include <stdbool.h>
#include <stdint.h>

#include "touchstone/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum ts_dtype {
#define TS_DTYPE(ID, name, st, bytes, class_) TS_##ID,
#include "touchstone/dtypes.def"
#undef TS_DTYPE
    TS_DTYPE_COUNT
} ts_dtype;

/* No dtype given: the argument's default applies. */
#define TS_DTYPE_NONE TS_DTYPE_COUNT

typedef enum ts_dtype_class {
    TS_CLASS_BOOL,
    TS_CLASS_UNSIGNED,
    TS_CLASS_SIGNED,
    TS_CLASS_FLOAT
} ts_dtype_class;

/* torch.finfo and torch.iinfo of one dtype; the float fields are zero for integers. */
typedef struct ts_dtype_info {
    const char *name;        /* "float16" */
    const char *safetensors; /* "F16" */
    int bytes;
    ts_dtype_class class_;
    int bits;
    double max, min, eps, tiny, smallest_normal, smallest_subnormal, resolution;
    int64_t int_max, int_min;
    double unit_roundoff; /* half of eps; 0 for integers */
} ts_dtype_info;

TS_API const ts_dtype_info *ts_dtype_get(ts_dtype dtype);
TS_API const char *ts_dtype_name(ts_dtype dtype);     /* "float16" */
TS_API ts_dtype ts_dtype_from_name(const char *name); /* TS_DTYPE_NONE when unknown */

/* Bit masks of dtypes, as the op table holds them. */
#define TS_DTYPE_BIT(dtype) (1u << (dtype))

TS_API int ts_dtype_size(ts_dtype dtype);
TS_API bool ts_dtype_is_floating(ts_dtype dtype);
TS_API bool ts_dtype_is_integral(ts_dtype dtype); /* signed, unsigned; not bool */

/* Promotion of two dtypes of the same standing (T-12); see spec/areas/promotion.md. */
TS_API ts_dtype ts_promote_types(ts_dtype a, ts_dtype b);
TS_API bool ts_can_cast(ts_dtype from, ts_dtype to);

/*
 * Round a real number to a floating dtype, once, to nearest, ties to even, and return the
 * value as a double. float8_e4m3fn has no infinity: overflow
 * gives its largest number (T-11).
 */
TS_API double ts_dtype_round(ts_dtype dtype, double value);

/* Encoded elements to numbers and back. An integer dtype truncates toward zero and wraps;
 * NaN and values out of int64's range are undefined in PyTorch and give INT64_MIN here.
 * bool is value != 0. */
TS_API double ts_load_f64(ts_dtype dtype, const void *element);
TS_API int64_t ts_load_i64(ts_dtype dtype, const void *element);
TS_API void ts_store_f64(ts_dtype dtype, void *element, double value);
TS_API void ts_store_i64(ts_dtype dtype, void *element, int64_t value);

/* One element from dtype to dtype exactly as PyTorch casts (float64 reaches the 16- and
 * 8-bit floats through float32, rounding twice). */
TS_API void ts_cast(ts_dtype from, const void *src, ts_dtype to, void *dst);

#ifdef __cplusplus
}
#endif
#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* What is known of each dtype (T-10): torch.finfo and torch.iinfo as PyTorch 2.15.0
 * prints them. */
#include "touchstone/dtype.h"

#include <float.h>
#include <string.h>

#define COMMON(ID, name_, st_, bytes_, class_id)                                       \
    .name = name_, .safetensors = st_, .bytes = bytes_, .class_ = TS_CLASS_##class_id, \
    .bits = 8 * (bytes_)

static const ts_dtype_info infos[TS_DTYPE_COUNT] = {
    [TS_FLOAT64] = {COMMON(FLOAT64, "float64", "F64", 8, FLOAT), .max = DBL_MAX,
                    .min = -DBL_MAX, .eps = DBL_EPSILON, .tiny = DBL_MIN,
                    .smallest_normal = DBL_MIN, .smallest_subnormal = 0x1p-1074,
                    .resolution = 1e-15, .unit_roundoff = 0x1p-53},
    [TS_FLOAT32] = {COMMON(FLOAT32, "float32", "F32", 4, FLOAT), .max = FLT_MAX,
                    .min = -FLT_MAX, .eps = FLT_EPSILON, .tiny = FLT_MIN,
                    .smallest_normal = FLT_MIN, .smallest_subnormal = 0x1p-149,
                    .resolution = 1e-6, .unit_roundoff = 0x1p-24},
    [TS_BFLOAT16] = {COMMON(BFLOAT16, "bfloat16", "BF16", 2, FLOAT), .max = 0x1.FEp127,
                     .min = -0x1.FEp127, .eps = 0x1p-7, .tiny = 0x1p-126,
                     .smallest_normal = 0x1p-126, .smallest_subnormal = 0x1p-133,
                     .resolution = 0.01, .unit_roundoff = 0x1p-8},
    [TS_FLOAT16] = {COMMON(FLOAT16, "float16", "F16", 2, FLOAT), .max = 65504,
                    .min = -65504, .eps = 0x1p-10, .tiny = 0x1p-14,
                    .smallest_normal = 0x1p-14, .smallest_subnormal = 0x1p-24,
                    .resolution = 0.001, .unit_roundoff = 0x1p-11},
    [TS_FLOAT8_E4M3FN] = {COMMON(FLOAT8_E4M3FN, "float8_e4m3fn", "F8_E4M3", 1, FLOAT),
                          .max = 448, .min = -448, .eps = 0x1p-3, .tiny = 0x1p-6,
                          .smallest_normal = 0x1p-6, .smallest_subnormal = 0x1p-9,
                          .resolution = 1, .unit_roundoff = 0x1p-4},
    [TS_FLOAT8_E5M2] = {COMMON(FLOAT8_E5M2, "float8_e5m2", "F8_E5M2", 1, FLOAT),
                        .max = 57344, .min = -57344, .eps = 0x1p-2, .tiny = 0x1p-14,
                        .smallest_normal = 0x1p-14, .smallest_subnormal = 0x1p-16,
                        .resolution = 1, .unit_roundoff = 0x1p-3},
    [TS_INT64] = {COMMON(INT64, "int64", "I64", 8, SIGNED), .int_max = INT64_MAX,
                  .int_min = INT64_MIN},
    [TS_INT32] = {COMMON(INT32, "int32", "I32", 4, SIGNED), .int_max = INT32_MAX,
                  .int_min = INT32_MIN},
    [TS_INT16] = {COMMON(INT16, "int16", "I16", 2, SIGNED), .int_max = INT16_MAX,
                  .int_min = INT16_MIN},
    [TS_INT8] = {COMMON(INT8, "int8", "I8", 1, SIGNED), .int_max = INT8_MAX,
                 .int_min = INT8_MIN},
    [TS_UINT8] = {COMMON(UINT8, "uint8", "U8", 1, UNSIGNED), .int_max = UINT8_MAX},
    [TS_BOOL] = {COMMON(BOOL, "bool", "BOOL", 1, BOOL), .int_max = 1},
};

const ts_dtype_info *ts_dtype_get(ts_dtype dtype)
{
    return &infos[dtype];
}

const char *ts_dtype_name(ts_dtype dtype)
{
    return (unsigned)dtype < TS_DTYPE_COUNT ? infos[dtype].name : "none";
}

ts_dtype ts_dtype_from_name(const char *name)
{
    for (int i = 0; i < TS_DTYPE_COUNT; i++)
        if (strcmp(infos[i].name, name) == 0)
            return (ts_dtype)i;
    return TS_DTYPE_NONE;
}

int ts_dtype_size(ts_dtype dtype)
{
    return infos[dtype].bytes;
}

bool ts_dtype_is_floating(ts_dtype dtype)
{
    return infos[dtype].class_ == TS_CLASS_FLOAT;
}

bool ts_dtype_is_integral(ts_dtype dtype)
{
    return infos[dtype].class_ == TS_CLASS_SIGNED ||
           infos[dtype].class_ == TS_CLASS_UNSIGNED;
}

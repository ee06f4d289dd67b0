/* SPDX-License-Identifier: Apache-2.0 */
/* Elements to numbers and back (T-11), for callers outside of loops; the arithmetic is in
 * touchstone/element.h. */
#include "core/core.h"

double ts_dtype_round(ts_dtype dtype, double value)
{
    return tse_round(dtype, value);
}

double ts_load_f64(ts_dtype dtype, const void *element)
{
    return tse_read(dtype, element);
}

int64_t ts_load_i64(ts_dtype dtype, const void *element)
{
    return tse_read_i64(dtype, element);
}

void ts_store_f64(ts_dtype dtype, void *element, double value)
{
    tse_write(dtype, element, value);
}

void ts_store_i64(ts_dtype dtype, void *element, int64_t value)
{
    tse_write_i64(dtype, element, value);
}

void ts_cast(ts_dtype from, const void *src, ts_dtype to, void *dst)
{
    tse_convert(from, src, to, dst);
}

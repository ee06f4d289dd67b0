/* SPDX-License-Identifier: Apache-2.0 */
/*
 * linspace: y[i] = start + i * step in the first half, end - (n - 1 - i) * step in the
 * other (S4): in the dtype, in float32 for the 16-bit floats, in float64 for integers,
 * which then are cut off (S5).
 */
#include "touchstone/ops/linspace_glue.h"

#include "touchstone/backend.h"

/* S3: a number as the dtype holds it. */
static double held(ts_dtype dtype, ts_scalar s)
{
    int64_t element;

    if (dtype == TS_BOOL)
        return ts_scalar_f64(s) != 0;
    if (tse_is_real(dtype))
        return tse_round(dtype, s.kind == TS_SCALAR_FLOAT ? s.f : (double)s.i);
    tse_write_i64(dtype, &element, s.kind == TS_SCALAR_FLOAT ? tse_truncate(s.f) : s.i);
    return tse_read(dtype, &element);
}

/* The i-th element in row-major order: an `out` of n elements may have any shape (S7). */
static int64_t place(const ts_tensor *y, int64_t i)
{
    int64_t at = 0;

    for (int d = y->ndim - 1; d >= 0; d--) {
        at += i % y->sizes[d] * y->strides[d];
        i /= y->sizes[d];
    }
    return at;
}

ts_status tsk_linspace(const ts_kernel_call *call)
{
    ts_tensor *y = call->results[0];
    const int64_t n = y->numel;
    const ts_dtype wide = !tse_is_real(y->dtype)     ? TS_FLOAT64
                          : tse_bytes(y->dtype) <= 4 ? TS_FLOAT32
                                                     : TS_FLOAT64;
    const double a = held(y->dtype, call->args[TS_LINSPACE_START].scalar);
    const double b = n > 1 ? held(y->dtype, call->args[TS_LINSPACE_END].scalar) : 0;
    const double step =
        n > 1 ? tse_round(wide, tse_round(wide, b - a) / (double)(n - 1)) : 0;

    for (int64_t i = 0; i < n; i++) {
        double v = a;

        if (n > 1)
            v = i < n / 2 ? a + tse_round(wide, step * (double)i)
                          : b - tse_round(wide, step * (double)(n - 1 - i));
        if (!tse_is_real(y->dtype))
            tse_put_i64(y, place(y, i), tse_truncate(v));
        else
            tse_put(y, place(y, i), tse_round(wide, v));
    }
    return TS_OK;
}

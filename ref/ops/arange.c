/* SPDX-License-Identifier: Apache-2.0 */
/*
 * arange: y[i] = start + i * step (S4): in int64 for integer dtypes, the numbers
 * truncated first; in float32 for the 16-bit floats; in double for float32 and float64.
 */
#include "touchstone/ops/arange_glue.h"

#include "touchstone/backend.h"

static int64_t integer(ts_scalar s)
{
    return s.kind == TS_SCALAR_FLOAT ? (int64_t)s.f : s.i;
}

/* The i-th element in row-major order: an `out` of n elements may have any shape (S6). */
static int64_t place(const ts_tensor *y, int64_t i)
{
    int64_t at = 0;

    for (int d = y->ndim - 1; d >= 0; d--) {
        at += i % y->sizes[d] * y->strides[d];
        i /= y->sizes[d];
    }
    return at;
}

ts_status tsk_arange(const ts_kernel_call *call)
{
    ts_tensor *y = call->results[0];
    const ts_scalar start = call->args[TS_ARANGE_END].kind == TS_ARG_NONE
                                ? ts_int(0)
                                : call->args[TS_ARANGE_START].scalar;
    const ts_scalar step = call->args[TS_ARANGE_STEP].kind == TS_ARG_NONE
                               ? ts_int(1)
                               : call->args[TS_ARANGE_STEP].scalar;
    const ts_dtype wide = tse_bytes(y->dtype) < 4 ? TS_FLOAT32 : TS_FLOAT64;
    const double a = tse_round(wide, ts_scalar_f64(start));
    const double s = tse_round(wide, ts_scalar_f64(step));

    for (int64_t i = 0; i < y->numel; i++) {
        const int64_t at = place(y, i);

        if (tse_is_real(y->dtype))
            tse_put(y, at, tse_round(wide, a + tse_round(wide, s * (double)i)));
        else /* unsigned, so that wrapping is defined */
            tse_put_i64(y, at,
                        (int64_t)((uint64_t)integer(start) +
                                  (uint64_t)integer(step) * (uint64_t)i));
    }
    return TS_OK;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * arange: y[i] = start + i * step (S4): in int64 for integer dtypes, the numbers
 * truncated first; in float32 for the 16-bit floats; in double for float32 and float64.
 */
#include "touchstone/ops_glue.h"

#include "core/core.h"

static int64_t integer(ts_scalar s)
{
    return s.kind == TS_SCALAR_FLOAT ? (int64_t)s.f : s.i;
}

ts_status tsk_arange(ts_frame *f)
{
    ts_tensor *y = f->results[0];
    const ts_scalar start =
        f->args[1].kind == TS_ARG_NONE ? ts_int(0) : f->args[0].scalar;
    const ts_scalar step = f->args[2].kind == TS_ARG_NONE ? ts_int(1) : f->args[2].scalar;
    const ts_dtype wide = ts_dtype_size(y->dtype) < 4 ? TS_FLOAT32 : TS_FLOAT64;
    const double a = ts_round(wide, ts_scalar_f64(start));
    const double s = ts_round(wide, ts_scalar_f64(step));

    for (int64_t i = 0; i < y->numel; i++) {
        const int64_t at = i * y->strides[0];

        if (ts_dtype_is_floating(y->dtype))
            tsi_store(y, at, ts_round(wide, a + ts_round(wide, s * (double)i)));
        else /* unsigned, so that wrapping is defined */
            tsi_store_i64(y, at,
                          (int64_t)((uint64_t)integer(start) +
                                    (uint64_t)integer(step) * (uint64_t)i));
    }
    return TS_OK;
}

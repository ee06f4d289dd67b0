/* SPDX-License-Identifier: Apache-2.0 */
/* arange: its three arities, dtype and length. */
#include "touchstone/ops/arange_glue.h"

#include <math.h>

#include "core/core.h"

/* S3 in integers: ceil((end - start) / step), step leading towards end. */
static ts_status integer_length(int64_t start, int64_t end, int64_t step, int64_t *n)
{
    const uint64_t span =
        step > 0 ? (uint64_t)end - (uint64_t)start : (uint64_t)start - (uint64_t)end;
    const uint64_t by = step > 0 ? (uint64_t)step : -(uint64_t)step;
    const uint64_t length = span / by + (span % by != 0);

    TS_CHECK(length <= INT64_MAX, TS_ERR_RUNTIME, "arange/C6",
             "arange: %" PRIu64 " elements are more than int64 counts", length);
    *n = (int64_t)length;
    return TS_OK;
}

static bool in_int64(double v)
{
    return v >= -0x1p63 && v < 0x1p63;
}

ts_status tsi_api_arange(ts_frame *f)
{
    const bool alone =
        f->args[TS_ARANGE_END].kind == TS_ARG_NONE; /* S1: the one number is the end */
    const bool stepped = f->args[TS_ARANGE_STEP].kind != TS_ARG_NONE;
    const ts_scalar start = alone ? ts_int(0) : f->args[TS_ARANGE_START].scalar;
    const ts_scalar end =
        alone ? f->args[TS_ARANGE_START].scalar : f->args[TS_ARANGE_END].scalar;
    const ts_scalar step = stepped ? f->args[TS_ARANGE_STEP].scalar : ts_int(1);
    const double a = ts_scalar_f64(start), b = ts_scalar_f64(end),
                 s = ts_scalar_f64(step);
    const bool integers = start.kind != TS_SCALAR_FLOAT && end.kind != TS_SCALAR_FLOAT &&
                          step.kind != TS_SCALAR_FLOAT;
    ts_dtype dtype = integers ? TS_INT64 : TS_FLOAT32; /* S2 */
    int64_t n;

    TS_CHECK(!alone || !stepped, TS_ERR_TYPE, "arange/C1",
             "arange: step needs both start and end");
    if (f->form == TS_OUT)
        dtype = f->out[0]->dtype; /* S6 */
    if (f->args[TS_ARANGE_DTYPE].kind == TS_ARG_DTYPE) {
        TS_CHECK(f->form != TS_OUT || f->args[TS_ARANGE_DTYPE].dtype == dtype,
                 TS_ERR_RUNTIME, "arange/C7", "arange: dtype %s does not match out's %s",
                 ts_dtype_name(f->args[TS_ARANGE_DTYPE].dtype), ts_dtype_name(dtype));
        dtype = f->args[TS_ARANGE_DTYPE].dtype;
    }
    TS_TRY(tsi_check_dtype(f, dtype, "arange/C5"));
    TS_CHECK(s != 0, TS_ERR_RUNTIME, "arange/C2", "arange: step is 0");
    TS_CHECK(isfinite(a) && isfinite(b) && isfinite(s), TS_ERR_RUNTIME, "arange/C4",
             "arange: unsupported range %g to %g by %g", a, b, s);
    TS_CHECK(s > 0 ? b >= a : b <= a, TS_ERR_RUNTIME, "arange/C3",
             "arange: step %g leads away from end %g, starting at %g", s, b, a);
    TS_CHECK(ts_dtype_is_floating(dtype) || (in_int64(a) && in_int64(s)) || integers,
             TS_ERR_RUNTIME, "arange/C8",
             "arange: start %g or step %g cannot be converted to int64 without overflow",
             a, s);
    if (integers && dtype == TS_INT64) {
        TS_TRY(integer_length(start.i, end.i, step.i, &n));
    } else {
        const double length = ceil((b - a) / s);

        TS_CHECK(length < 0x1p63, TS_ERR_RUNTIME, "arange/C6",
                 "arange: %g elements are more than int64 counts", length);
        n = (int64_t)length;
    }
    const bool fits = f->form == TS_OUT && f->out[0]->numel == n; /* S6 */

    return tsi_result(f, 0,
                      f->args[TS_ARANGE_DEVICE].kind == TS_ARG_DEVICE
                          ? tsi_device_settle(f->args[TS_ARANGE_DEVICE].device)
                      : f->form == TS_OUT ? f->out[0]->device
                                          : ts_default_device(),
                      dtype, fits ? f->out[0]->ndim : 1, fits ? f->out[0]->sizes : &n);
}

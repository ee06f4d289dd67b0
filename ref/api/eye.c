/* SPDX-License-Identifier: Apache-2.0 */
/* eye: sizes, dtype and device; see spec/ops/eye.md. */
#include "touchstone/ops/eye_glue.h"

#include "core/core.h"

ts_status tsi_api_eye(ts_frame *f)
{
    const int64_t n = f->args[TS_EYE_N].i;
    const int64_t m = f->args[TS_EYE_M].kind == TS_ARG_INT ? f->args[TS_EYE_M].i : n;
    const ts_tensor *out = f->out[0];
    ts_dtype dtype = out ? out->dtype : TS_FLOAT32;

    TS_CHECK(n >= 0 && m >= 0, TS_ERR_RUNTIME, "eye/C1",
             "eye: sizes must not be negative, got %" PRId64 " and %" PRId64, n, m);
    if (f->args[TS_EYE_DTYPE].kind == TS_ARG_DTYPE) {
        TS_CHECK(!out || f->args[TS_EYE_DTYPE].dtype == dtype, TS_ERR_RUNTIME, "eye/C2",
                 "eye: dtype %s does not match out's %s",
                 ts_dtype_name(f->args[TS_EYE_DTYPE].dtype), ts_dtype_name(dtype));
        dtype = f->args[TS_EYE_DTYPE].dtype;
    }
    f->flags |= TS_FRAME_QUIET | TS_FRAME_OVERLAP_OK; /* S5 */
    return tsi_result(f, 0,
                      f->args[TS_EYE_DEVICE].kind == TS_ARG_DEVICE
                          ? tsi_device_settle(f->args[TS_EYE_DEVICE].device)
                      : out ? out->device
                            : ts_default_device(),
                      dtype, 2, (int64_t[]){n, m});
}

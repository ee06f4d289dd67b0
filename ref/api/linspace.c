/* SPDX-License-Identifier: Apache-2.0 */
/* linspace: its length, dtype and which numbers that holds; see spec/ops/linspace.md. */
#include "touchstone/ops/linspace_glue.h"

#include "core/core.h"

/* C3: of one step the half types take any number. */
static ts_status check_numbers(const ts_frame *f, ts_dtype dtype, int64_t steps)
{
    const bool any =
        steps == 1 && ts_dtype_size(dtype) < 4 && ts_dtype_is_floating(dtype);

    if (steps > 0 && !any)
        TS_TRY(
            tsi_check_number(f, "linspace/C3", dtype, f->args[TS_LINSPACE_START].scalar));
    return steps > 1 ? tsi_check_number(f, "linspace/C3", dtype,
                                        f->args[TS_LINSPACE_END].scalar)
                     : TS_OK;
}

ts_status tsi_api_linspace(ts_frame *f)
{
    const int64_t steps = f->args[TS_LINSPACE_STEPS].i;
    const ts_tensor *out = f->out[0];
    const ts_device device = f->args[TS_LINSPACE_DEVICE].kind == TS_ARG_DEVICE
                                 ? tsi_device_settle(f->args[TS_LINSPACE_DEVICE].device)
                             : out ? out->device
                                   : ts_default_device();
    const bool fits = out && out->numel == steps; /* S7 */
    ts_dtype dtype = out ? out->dtype : TS_FLOAT32;

    if (f->args[TS_LINSPACE_DTYPE].kind == TS_ARG_DTYPE) {
        TS_CHECK(!out || f->args[TS_LINSPACE_DTYPE].dtype == dtype, TS_ERR_RUNTIME,
                 "linspace/C4", "linspace: dtype %s does not match out's %s",
                 ts_dtype_name(f->args[TS_LINSPACE_DTYPE].dtype), ts_dtype_name(dtype));
        dtype = f->args[TS_LINSPACE_DTYPE].dtype;
    }
    TS_CHECK(steps >= 0, TS_ERR_RUNTIME, "linspace/C1",
             "linspace: the number of steps must not be negative, got %" PRId64, steps);
    if (device.type != TS_META) { /* S8 */
        if (steps > 1)
            TS_TRY(tsi_check_dtype(f, dtype, "linspace/C2"));
        TS_TRY(check_numbers(f, dtype, steps));
    }
    f->flags |= TS_FRAME_QUIET;
    return tsi_result(f, 0, device, dtype, fits ? out->ndim : 1,
                      fits ? out->sizes : &steps);
}

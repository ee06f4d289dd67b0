/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel for a tensor on accel: as work of the current stream, or on the host for it. */
#include "core/backend.h"
#include "core/dispatch.h"
#include "core/rooms.h"
#include "device/device.h"
#include "touchstone/graph.h"

static ts_status launch_here(ts_frame *f, ts_kernel kernel, bool assist)
{
    const bool unknown = f->flags & TS_FRAME_UNKNOWN;
    const ts_driver *driver = ts_accel_driver();
    ts_kernel_call call;

    if (f->op->synchronizing || unknown) /* of index with a mask */
        TS_TRY(ts_sync_point(f->op->name));
    if (tsi_checking && !unknown)
        TS_TRY(tsi_check_launch(f, ts_stream_current()));
    tsi_backend_count(TS_ACCEL, assist);
    if (driver && !driver->launch && assist) { /* a host kernel beside a device's own */
        TS_CHECK(unknown || !ts_stream_is_capturing(), TS_ERR_UNSUPPORTED, NULL,
                 "%s: a capture can't hold a kernel of the host", f->op->name);
        return tsi_run_on_host(f, kernel);
    }
    tsi_call_of(&call, f);
    if (!driver || !driver->launch) {
        call.stream = ts_stream_handle(ts_stream_current());
        return tsi_kernel_status(f, TS_ACCEL, kernel(&call));
    }
    if (unknown)
        return tsi_run_on_host(f, kernel);
    return driver->launch(ts_accel_device(), kernel, &call,
                          ts_stream_handle(ts_stream_current()));
}

/* The accelerator that a call works on: its result's, else its first argument's there. */
static int device_of(const ts_frame *f)
{
    if (f->nresults > 0 && f->results[0] && f->results[0]->device.type == TS_ACCEL)
        return f->results[0]->device.index;
    for (int i = 0; i < f->nargs; i++) {
        const ts_value *v = &f->args[i];
        const ts_tensor *t = v->kind == TS_ARG_TENSOR ? v->tensor
                             : v->kind == TS_ARG_TENSORS && v->tensors.n > 0
                                 ? v->tensors.v[0]
                                 : NULL;

        if (t && t->device.type == TS_ACCEL)
            return t->device.index;
    }
    return ts_accel_device();
}

/* A kernel runs with its tensors' device as the current one, on that one's current
 * stream. */
static ts_status launch(ts_frame *f, ts_kernel kernel, bool assist)
{
    const int before = tsi_device_swap(device_of(f));
    const ts_status s = launch_here(f, kernel, assist);

    (void)tsi_device_swap(before);
    return s;
}

static void copy_bytes(int device, void *to, const void *from, int64_t bytes)
{
    (void)ts_accel_driver()->copy(device, to, from, (size_t)bytes, TS_DEVICE_TO_DEVICE,
                                  ts_stream_handle(ts_stream_current_of(device)));
}

TSI_BEFORE_MAIN(enter)
{
    tsi_rooms.accel_device_count = ts_accel_device_count;
    tsi_rooms.accel_device = ts_accel_device;
    tsi_rooms.accel_alloc = tsi_accel_storage_alloc;
    tsi_rooms.accel_free = tsi_accel_storage_free;
    tsi_rooms.accel_copy = copy_bytes;
    tsi_rooms.accel_transfer = tsi_copy_bytes;
    tsi_rooms.accel_launch = launch;
    tsi_rooms.transfer = tsi_transfer;
    tsi_rooms.sync_point = ts_sync_point;
}

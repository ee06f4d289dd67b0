/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes and tensors between the host and the accelerator. */
#include <stdlib.h>

#include "core/body.h"
#include "core/dispatch.h"
#include "device/device.h"
#include "touchstone/ops.h"

static bool capturing(int device)
{
    const ts_driver *d = ts_accel_driver();
    uint64_t id = 0;

    return d->capture_id &&
           d->capture_id(device, ts_stream_handle(ts_stream_current_of(device)), &id) ==
               TS_OK &&
           id != 0;
}

ts_status tsi_copy_bytes(int device, void *dst, const void *src, int64_t bytes,
                         ts_copy_kind kind)
{
    const ts_driver *d = ts_accel_driver();
    ts_stream *stream = ts_stream_current_of(device);
    tsd_stream *s = ts_stream_handle(stream);

    TS_CHECK(!capturing(device), TS_ERR_RUNTIME, "graph/C12",
             "a copy between host and device memory can't be captured");
    if (tsi_checking)
        TS_TRY(tsi_check_copy("a copy", kind == TS_HOST_TO_DEVICE ? dst : src, bytes,
                              kind == TS_HOST_TO_DEVICE, stream));
    TS_TRY(d->copy(device, dst, src, (size_t)bytes, kind, s));
    /* pageable memory: done when the call returns */
    TS_TRY(d->stream_synchronize(device, s));
    if (tsi_checking)
        tsi_check_stream_done(stream);
    return TS_OK;
}

/* Bytes from t's first element to the end of its last. */
static int64_t reach(const ts_tensor *t)
{
    int64_t last = 0;

    if (t->numel == 0)
        return 0;
    for (int d = 0; d < t->ndim; d++)
        last += (t->sizes[d] - 1) * t->strides[d];
    return (last + 1) * ts_dtype_size(t->dtype);
}

ts_status tsi_move(ts_tensor *src, ts_device device, ts_tensor **out)
{
    const int64_t at = src->offset * ts_dtype_size(src->dtype), bytes = reach(src);
    ts_tensor *t;
    ts_status s;

    TS_TRY(ts_tensor_new_strided(device, src->dtype, src->ndim, src->sizes, src->strides,
                                 &t));
    s = bytes == 0 ? TS_OK
        : device.type == TS_ACCEL
            ? ts_storage_write(ts_tensor_storage(t), 0, bytes, src->data)
            : ts_storage_read(ts_tensor_storage(src), at, bytes, t->data);
    if (s != TS_OK) {
        ts_release(t);
        return s;
    }
    *out = t;
    return TS_OK;
}

ts_status ts_tensor_to_host(ts_tensor *t, ts_tensor **out)
{
    TS_CHECK(t->device.type != TS_META, TS_ERR_NOT_IMPLEMENTED, "errors/C4",
             "a meta tensor has no data");
    if (t->device.type == TS_CPU) {
        tsi_settle_data(t);
        *out = ts_retain(t);
        return TS_OK;
    }
    return tsi_move(t, (ts_device){TS_CPU, 0}, out);
}

/* Where dst can't take raw bytes: through a dense tensor beside it. */
static ts_status by_way_of(ts_tensor *dst, ts_tensor *src, ts_device device)
{
    ts_tensor *dense, *there;
    ts_status s;

    TS_TRY(ts_contiguous(src, NULL, &dense));
    s = tsi_move(dense, device, &there);
    ts_release(dense);
    TS_TRY(s);
    s = ts_copy_(dst, there, NULL);
    ts_release(there);
    return s;
}

/* --- from one accelerator to another --- */

/* All of `from` into `to`, both dense and alike, on other devices: work of the source's
 * current stream, between what the target's current stream has and what it gets. */
static ts_status peer_bytes(const ts_tensor *to, const ts_tensor *from)
{
    const ts_driver *d = ts_accel_driver();
    const int64_t bytes = from->numel * ts_dtype_size(from->dtype);
    ts_stream *source = ts_stream_current_of(from->device.index);
    ts_stream *target = ts_stream_current_of(to->device.index);

    TS_TRY(ts_stream_wait_stream(source, target));
    if (tsi_checking) {
        TS_TRY(tsi_check_copy("a copy", from->data, bytes, false, source));
        TS_TRY(tsi_check_copy("a copy", to->data, bytes, true, source));
    }
    TS_TRY(d->peer_copy(to->device.index, (ts_devptr)(uintptr_t)to->data,
                        from->device.index, (ts_devptr)(uintptr_t)from->data,
                        (size_t)bytes, ts_stream_handle(source)));
    return ts_stream_wait_stream(target, source);
}

static ts_status host_bytes(const ts_tensor *to, const ts_tensor *from)
{
    const int64_t bytes = from->numel * ts_dtype_size(from->dtype);
    void *between = malloc((size_t)bytes);
    ts_status s;

    TS_CHECK(between, TS_ERR_OUT_OF_MEMORY, "tensors/C10",
             "no host memory for a copy between devices");
    s = tsi_copy_bytes(from->device.index, between, from->data, bytes, TS_DEVICE_TO_HOST);
    if (s == TS_OK)
        s = tsi_copy_bytes(to->device.index, to->data, between, bytes, TS_HOST_TO_DEVICE);
    free(between);
    return s;
}

/* src as dst's dtype and sizes, dense, on its own device; New reference. */
static ts_status prepare(const ts_tensor *dst, ts_tensor *src, ts_tensor **out)
{
    ts_to_opts o = ts_to_defaults();
    ts_tensor *same, *wide;
    ts_status s;

    o.dtype = dst->dtype;
    TS_TRY(ts_to(src, &o, &same));
    s = ts_expand(same, dst->sizes, dst->ndim, NULL, &wide);
    ts_release(same);
    TS_TRY(s);
    s = ts_contiguous(wide, NULL, out);
    ts_release(wide);
    return s;
}

static ts_status between_accels(ts_tensor *dst, ts_tensor *src)
{
    const ts_driver *d = ts_accel_driver();
    ts_status (*bytes)(const ts_tensor *, const ts_tensor *) =
        d->peer_copy ? peer_bytes : host_bytes;
    ts_tensor *from, *to = NULL;
    ts_status s;

    TS_TRY(prepare(dst, src, &from));
    if (ts_is_contiguous(dst)) {
        s = bytes(dst, from);
    } else {
        s = ts_tensor_new(dst->device, dst->dtype, dst->ndim, dst->sizes, &to);
        if (s == TS_OK)
            s = bytes(to, from);
        if (s == TS_OK)
            s = ts_copy_(dst, to, NULL);
        ts_release(to);
    }
    ts_release(from);
    return s;
}

ts_status tsi_transfer(ts_tensor *dst, ts_tensor *src)
{
    if (dst->device.type == TS_META || src->numel == 0)
        return TS_OK;
    TS_CHECK(src->device.type != TS_META, TS_ERR_NOT_IMPLEMENTED, "errors/C4",
             "a meta tensor has no data to copy");
    if (dst->device.type == TS_ACCEL && src->device.type == TS_ACCEL)
        return between_accels(dst, src);
    return by_way_of(dst, src, dst->device);
}

/* Results that are there already, on the host with their gaps: what is around the elements
 * must come back as it was. In place, the result is the argument. */
static ts_status results_to_host(const ts_frame *f, ts_frame *host)
{
    for (int i = 0; i < f->nresults; i++) {
        if (!f->results[i])
            continue;
        for (int a = 0; a < f->nargs && !host->results[i]; a++)
            if (f->args[a].kind == TS_ARG_TENSOR && f->args[a].tensor == f->results[i])
                host->results[i] = ts_retain(host->args[a].tensor);
        if (!host->results[i])
            TS_TRY(ts_tensor_to_host(f->results[i], &host->results[i]));
    }
    return TS_OK;
}

static ts_status results_from_host(ts_frame *f, const ts_frame *host, ts_device device)
{
    for (int i = 0; i < f->nresults; i++) {
        ts_tensor *to = f->results[i], *from = host->results[i];

        if (to)
            TS_TRY(ts_storage_write(ts_tensor_storage(to),
                                    to->offset * ts_dtype_size(to->dtype), reach(from),
                                    from->data));
        else if (f->op->scalar_result)
            f->results[i] = ts_retain(from);
        else
            TS_TRY(tsi_move(from, device, &f->results[i]));
    }
    return TS_OK;
}

/* Every tensor among the arguments, from `held` on. */
static ts_status args_to_host(const ts_frame *f, ts_frame *host, ts_tensor **held)
{
    int64_t n = 0;

    for (int i = 0; i < f->nargs; i++) {
        host->args[i] = f->args[i];
        if (f->args[i].kind == TS_ARG_TENSOR) {
            TS_TRY(ts_tensor_to_host(f->args[i].tensor, &held[n]));
            host->args[i].tensor = held[n++];
        }
        if (f->args[i].kind != TS_ARG_TENSORS)
            continue;
        host->args[i].tensors.v = held + n;
        for (int64_t k = 0; k < f->args[i].tensors.n; k++, n++)
            if (f->args[i].tensors.v[k])
                TS_TRY(ts_tensor_to_host(f->args[i].tensors.v[k], &held[n]));
    }
    return TS_OK;
}

static int64_t count_tensors(const ts_frame *f)
{
    int64_t n = 0;

    for (int i = 0; i < f->nargs; i++)
        n += f->args[i].kind == TS_ARG_TENSOR    ? 1
             : f->args[i].kind == TS_ARG_TENSORS ? f->args[i].tensors.n
                                                 : 0;
    return n;
}

static ts_status run_copies(ts_frame *f, ts_frame *host, ts_tensor **held,
                            ts_kernel kernel)
{
    const ts_device device = {TS_ACCEL, ts_accel_device()}; /* where the call works */
    ts_kernel_call call;

    TS_TRY(args_to_host(f, host, held));
    TS_TRY(results_to_host(f, host));
    host->flags = f->flags;
    host->compute = f->compute;
    tsi_call_of(&call, host);
    call.device = (ts_device){TS_CPU, 0};
    TS_TRY(kernel(&call));
    return results_from_host(f, host, device);
}

ts_status tsi_run_on_host(ts_frame *f, ts_kernel kernel)
{
    const int64_t n = count_tensors(f);
    ts_tensor **held;
    ts_frame host;
    ts_status s;

    if (capturing(ts_accel_device())) /* the host would wait: for the driver to refuse */
        TS_TRY(ts_accel_driver()->stream_synchronize(
            ts_accel_device(), ts_stream_handle(ts_stream_current())));
    held = calloc((size_t)n + 1, sizeof *held);
    TS_CHECK(held, TS_ERR_OUT_OF_MEMORY, NULL, "no memory for a list of tensors");
    s = ts_frame_open(&host, f->op, f->form);
    if (s == TS_OK && f->op->list_result)
        s = tsi_results(&host, f->nresults);
    if (s == TS_OK) {
        s = run_copies(f, &host, held, kernel);
        for (int i = 0; i < host.nresults; i++)
            ts_release(host.results[i]);
        ts_frame_close(&host);
    }
    for (int64_t k = 0; k < n; k++)
        ts_release(held[k]);
    free(held);
    return s;
}

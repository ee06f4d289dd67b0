/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of accel storages: the caching allocator over the open driver. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

#include "device/device.h"
#include "touchstone/alloc.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static ts_alloc *allocators[TS_ACCEL_MAX_DEVICES];

ts_alloc *ts_accel_allocator_of(int device)
{
    const ts_driver *d = ts_accel_driver();
    ts_alloc *a;

    pthread_mutex_lock(&lock);
    if (!allocators[device] && d && ts_alloc_new(d, device, &allocators[device]) != TS_OK)
        allocators[device] = NULL;
    a = allocators[device];
    pthread_mutex_unlock(&lock);
    return a;
}

ts_alloc *ts_accel_allocator(void)
{
    return ts_accel_allocator_of(ts_accel_device());
}

/* For a tensor it is the refusal that every device has. */
static ts_status tensor_refused(void)
{
    const char *text = strstr(ts_error_message(), "] ");
    char copy[512];

    snprintf(copy, sizeof copy, "%s", text ? text + 2 : ts_error_message());
    return ts_fail(TS_ERR_OUT_OF_MEMORY, "tensors/C10", "%s", copy);
}

static _Atomic int fresh = -1; /* the byte that new storages are full of */

void ts_accel_fill_fresh(int byte)
{
    fresh = byte;
}

/* A capture would take the fill for the program's. */
static ts_status fill_fresh(int device, ts_devptr p, size_t bytes, ts_stream *stream)
{
    const ts_driver *d = ts_accel_driver();
    uint64_t capture = 0;

    if (bytes == 0)
        return TS_OK;
    if (TS_HAS(d, capture_id) && d->capture_id)
        TS_TRY(d->capture_id(device, ts_stream_handle(stream), &capture));
    return capture == 0 ? d->fill(device, p, fresh, bytes, ts_stream_handle(stream))
                        : TS_OK;
}

ts_status tsi_accel_storage_alloc(int device, int64_t bytes, void **out)
{
    ts_alloc *a = ts_accel_allocator_of(device);
    ts_stream *stream = ts_stream_current_of(device);
    ts_devptr p;
    ts_status s;

    TS_CHECK(a, TS_ERR_RUNTIME, "tensors/C9", "there is no accelerator with memory");
    TS_CHECK(bytes < (int64_t)1 << 60, TS_ERR_OUT_OF_MEMORY, "tensors/C10",
             "%lld bytes are more than any device has", (long long)bytes);
    s = ts_alloc_malloc(a, (size_t)bytes, stream, &p);
    if (s != TS_OK)
        return s == TS_ERR_OUT_OF_MEMORY ? tensor_refused() : s;
    s = fresh >= 0 ? fill_fresh(device, p, (size_t)bytes, stream) : TS_OK;
    if (s != TS_OK) {
        (void)ts_alloc_free(a, p);
        return s;
    }
    *out = (void *)(uintptr_t)p;
    if (tsi_checking)
        tsi_check_alloc(*out, bytes, stream);
    return TS_OK;
}

void tsi_accel_storage_free(int device, void *p, int64_t bytes)
{
    (void)bytes;
    if (tsi_checking)
        tsi_check_free(p);
    /* A storage that outlives its driver finds none: its memory went with it. */
    if (allocators[device])
        (void)ts_alloc_free(allocators[device], (ts_devptr)(uintptr_t)p);
}

void tsi_accel_storage_close(void)
{
    pthread_mutex_lock(&lock);
    for (int i = 0; i < TS_ACCEL_MAX_DEVICES; i++) {
        ts_alloc_destroy(allocators[i]);
        allocators[i] = NULL;
    }
    pthread_mutex_unlock(&lock);
}

ts_status ts_tensor_record_stream(ts_tensor *t, ts_stream *stream)
{
    TS_CHECK(t->device.type == TS_ACCEL, TS_ERR_NOT_IMPLEMENTED, "allocator/C7",
             "record_stream: the tensor is not on an accelerator");
    if (tsi_checking)
        tsi_check_record_stream(ts_storage_data(ts_tensor_storage(t)), stream);
    return ts_alloc_record_stream(
        ts_accel_allocator_of(t->device.index),
        (ts_devptr)(uintptr_t)ts_storage_data(ts_tensor_storage(t)), stream);
}

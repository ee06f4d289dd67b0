/* SPDX-License-Identifier: Apache-2.0 */
/* Untyped bytes with a count of their holders, and the allocator under them. */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/observe.h"
#include "core/storage.h"
#include "device/device.h"

static void *default_alloc(void *self, size_t bytes)
{
    (void)self;
    return aligned_alloc(64, (bytes + 63) / 64 * 64 + (bytes == 0) * 64);
}

static void default_free(void *self, void *p, size_t bytes)
{
    (void)self;
    (void)bytes;
    free(p);
}

static ts_allocator allocator = {default_alloc, default_free, NULL};
static _Atomic int64_t live_storages, live_bytes;

void ts_set_allocator(const ts_allocator *a)
{
    allocator = a ? *a : (ts_allocator){default_alloc, default_free, NULL};
}

void tsi_storage_live(int64_t *storages, int64_t *bytes)
{
    *storages = atomic_load_explicit(&live_storages, memory_order_relaxed);
    *bytes = atomic_load_explicit(&live_bytes, memory_order_relaxed);
}

/* `bytes` of memory on `device`, counted; NULL on meta. */
static ts_status obtain(ts_device device, int64_t bytes, void **out)
{
    *out = NULL;
    if (device.type == TS_META)
        return TS_OK;
    if (device.type == TS_ACCEL) {
        TS_TRY(tsi_accel_storage_alloc(device.index, bytes, out));
    } else {
        *out = allocator.alloc(allocator.self, (size_t)bytes);
        TS_CHECK(*out, TS_ERR_OUT_OF_MEMORY, "tensors/C10",
                 "not enough memory: tried to allocate %lld bytes", (long long)bytes);
    }
    atomic_fetch_add_explicit(&live_bytes, bytes, memory_order_relaxed);
    if (tsi_profiling)
        tsi_profile_memory(tsi_profiling, device, *out, bytes);
    return TS_OK;
}

static void give_back(ts_device device, void *data, int64_t bytes)
{
    if (device.type == TS_META)
        return;
    if (tsi_profiling)
        tsi_profile_memory(tsi_profiling, device, data, -bytes);
    if (device.type == TS_ACCEL)
        tsi_accel_storage_free(device.index, data, bytes);
    else
        allocator.free(allocator.self, data, (size_t)bytes);
    atomic_fetch_sub_explicit(&live_bytes, bytes, memory_order_relaxed);
}

ts_status ts_storage_new(ts_device device, int64_t bytes, ts_storage **out)
{
    ts_storage *s;
    ts_status st;
    char text[TSI_DEVICE_TEXT];

    device = tsi_device_settle(device);
    TS_CHECK(device.type == TS_CPU || device.type == TS_META ||
                 (device.type == TS_ACCEL && device.index < ts_accel_device_count()),
             TS_ERR_RUNTIME, "tensors/C9",
             "no such device here: %s, there are %d accelerators",
             tsi_device_text(text, device), ts_accel_device_count());
    s = malloc(sizeof *s);
    TS_CHECK(s, TS_ERR_OUT_OF_MEMORY, "tensors/C10", "no memory for a storage header");
    *s = (ts_storage){.refs = 1, .device = device, .bytes = bytes};
    st = obtain(device, bytes, &s->data);
    if (st != TS_OK) {
        free(s);
        return st;
    }
    atomic_fetch_add_explicit(&live_storages, 1, memory_order_relaxed);
    *out = s;
    return TS_OK;
}

ts_status tsi_storage_alias(ts_storage *of, ts_storage **out)
{
    ts_storage *s = malloc(sizeof *s);

    TS_CHECK(s, TS_ERR_OUT_OF_MEMORY, "tensors/C10", "no memory for a storage header");
    *s = (ts_storage){
        .refs = 1, .device = of->device, .bytes = of->bytes, .data = of->data};
    s->parent = ts_storage_retain(of->parent ? of->parent : of);
    atomic_fetch_add_explicit(&live_storages, 1, memory_order_relaxed);
    *out = s;
    return TS_OK;
}

ts_status tsi_storage_grow(ts_storage *s, int64_t bytes)
{
    void *data;

    if (bytes <= s->bytes)
        return TS_OK;
    TS_CHECK(!s->parent, TS_ERR_RUNTIME, NULL,
             "a storage shared through .data can't grow from %lld to %lld bytes",
             (long long)s->bytes, (long long)bytes);
    TS_TRY(obtain(s->device, bytes, &data));
    if (s->device.type == TS_ACCEL)
        (void)ts_accel_driver()->copy(
            s->device.index, data, s->data, (size_t)s->bytes, TS_DEVICE_TO_DEVICE,
            ts_stream_handle(ts_stream_current_of(s->device.index)));
    else if (data)
        memcpy(data, s->data, (size_t)s->bytes);
    give_back(s->device, s->data, s->bytes);
    s->data = data;
    s->bytes = bytes;
    return TS_OK;
}

ts_storage *ts_storage_retain(ts_storage *s)
{
    if (s)
        atomic_fetch_add_explicit(&s->refs, 1, memory_order_relaxed);
    return s;
}

void ts_storage_release(ts_storage *s)
{
    if (!s || atomic_fetch_sub_explicit(&s->refs, 1, memory_order_acq_rel) != 1)
        return;
    if (s->parent)
        ts_storage_release(s->parent);
    else
        give_back(s->device, s->data, s->bytes);
    atomic_fetch_sub_explicit(&live_storages, 1, memory_order_relaxed);
    free(s);
}

void *ts_storage_data(const ts_storage *s)
{
    return s->data;
}

int64_t ts_storage_bytes(const ts_storage *s)
{
    return s->bytes;
}

int64_t ts_storage_id(const ts_storage *s)
{
    return (int64_t)(intptr_t)(s->parent ? s->parent : s);
}

ts_device tsi_storage_device(const ts_storage *s)
{
    return s->device;
}

const char *tsi_device_text(char text[TSI_DEVICE_TEXT], ts_device device)
{
    if (device.type == TS_ACCEL)
        snprintf(text, TSI_DEVICE_TEXT, "accel:%d", device.index);
    else
        snprintf(text, TSI_DEVICE_TEXT, "%s", device.type == TS_META ? "meta" : "cpu");
    return text;
}

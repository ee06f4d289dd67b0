/* SPDX-License-Identifier: Apache-2.0 */
/* Untyped bytes with a count of their holders, and the allocator under them. */
#include <stdio.h>
#include <stdlib.h>

#include "core/body.h"
#include "core/observe.h"
#include "core/rooms.h"
#include "core/thread.h"

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

void ts_set_allocator(const ts_allocator *a)
{
    allocator = a ? *a : (ts_allocator){default_alloc, default_free, NULL};
}

/* `bytes` of memory on `device`, counted; NULL on meta. */
static ts_status obtain(ts_device device, int64_t bytes, void **out)
{
    tsi_thread *t = tsi_self();

    *out = NULL;
    if (device.type == TS_META)
        return TS_OK;
    if (device.type == TS_ACCEL) {
        TS_TRY(tsi_rooms.accel_alloc(device.index, bytes, out));
    } else {
        *out = allocator.alloc(allocator.self, (size_t)bytes);
        TS_CHECK(*out, TS_ERR_OUT_OF_MEMORY, "tensors/C10",
                 "not enough memory: tried to allocate %lld bytes", (long long)bytes);
    }
    tsi_live_add(&t->live.bytes, bytes);
    if (t->profiling)
        tsi_rooms.profile_memory(t->profiling, device, *out, bytes);
    return TS_OK;
}

/* Tensors that were made over the old memory look at the storage again at their next call
 * (tsi_look_again); until then what they point to stays there. */
struct tsi_outgrown {
    struct tsi_outgrown *next;
    void *data;
    int64_t bytes;
};

bool tsi_storages_grew;

static void free_outgrown(ts_storage *s)
{
    while (s->outgrown) {
        struct tsi_outgrown *o = s->outgrown;

        s->outgrown = o->next;
        allocator.free(allocator.self, o->data, (size_t)o->bytes);
        tsi_live_add(&tsi_self()->live.bytes, -o->bytes);
        free(o);
    }
}

static void give_back(const ts_storage *s)
{
    tsi_thread *t = tsi_self();

    if (s->device.type == TS_META)
        return;
    if (t->profiling)
        tsi_rooms.profile_memory(t->profiling, s->device, s->data, -s->bytes);
    if (s->device.type == TS_ACCEL)
        tsi_rooms.accel_free(s->device.index, s->data, s->bytes);
    else if (!s->inside)
        allocator.free(allocator.self, s->data, (size_t)s->bytes);
    tsi_live_add(&t->live.bytes, -s->bytes);
}

ts_device tsi_device_settle(ts_device device)
{
    if (device.type == TS_ACCEL && device.index < 0)
        device.index = tsi_rooms.accel_device ? tsi_rooms.accel_device() : 0;
    return device;
}

const char *tsi_device_text(char text[TSI_DEVICE_TEXT], ts_device device)
{
    if (device.type == TS_ACCEL)
        snprintf(text, TSI_DEVICE_TEXT, "accel:%d", device.index);
    else
        snprintf(text, TSI_DEVICE_TEXT, "%s", device.type == TS_META ? "meta" : "cpu");
    return text;
}

static ts_status check_device(ts_device device)
{
    char text[TSI_DEVICE_TEXT];

    TS_CHECK(device.type == TS_CPU || device.type == TS_META ||
                 (device.type == TS_ACCEL && tsi_rooms.accel_device_count &&
                  device.index < tsi_rooms.accel_device_count()),
             TS_ERR_RUNTIME, "tensors/C9", "no such device here: %s",
             tsi_device_text(text, device));
    return TS_OK;
}

ts_status tsi_storage_init(ts_storage *s, ts_device device, int64_t bytes, void *room)
{
    tsi_thread *t = tsi_self();

    device = tsi_device_settle(device);
    TS_TRY(check_device(device));
    *s = (ts_storage){.refs = 1, .device = device, .bytes = bytes};
    if (room && device.type == TS_CPU && allocator.alloc == default_alloc &&
        !t->profiling) {
        s->data = room;
        s->inside = true;
        tsi_live_add(&t->live.bytes, bytes);
    } else {
        TS_TRY(obtain(device, bytes, &s->data));
    }
    tsi_live_add(&t->live.storages, 1);
    return TS_OK;
}

ts_status ts_storage_new(ts_device device, int64_t bytes, ts_storage **out)
{
    ts_storage *s = malloc(sizeof *s);
    ts_status st;

    TS_CHECK(s, TS_ERR_OUT_OF_MEMORY, "tensors/C10", "no memory for a storage header");
    st = tsi_storage_init(s, device, bytes, NULL);
    if (st != TS_OK) {
        free(s);
        return st;
    }
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
    tsi_live_add(&tsi_self()->live.storages, 1);
    *out = s;
    return TS_OK;
}

ts_status tsi_storage_grow(ts_storage *s, int64_t bytes)
{
    struct tsi_outgrown *old = NULL;
    ts_status status;
    void *data;

    if (bytes <= s->bytes)
        return TS_OK;
    TS_CHECK(!s->parent, TS_ERR_RUNTIME, NULL,
             "a storage shared through .data can't grow from %lld to %lld bytes",
             (long long)s->bytes, (long long)bytes);
    if (s->device.type == TS_CPU && !s->inside) {
        old = malloc(sizeof *old);
        TS_CHECK(old, TS_ERR_OUT_OF_MEMORY, "tensors/C10",
                 "no memory for a storage to grow");
    }
    status = obtain(s->device, bytes, &data);
    if (status != TS_OK) {
        free(old);
        return status;
    }
    if (s->device.type == TS_ACCEL)
        tsi_rooms.accel_copy(s->device.index, data, s->data, s->bytes);
    else if (data)
        memcpy(data, s->data, (size_t)s->bytes);
    if (old) {
        *old = (struct tsi_outgrown){s->outgrown, s->data, s->bytes};
        s->outgrown = old;
    } else {
        give_back(s);
    }
    __atomic_store_n(&tsi_storages_grew, true, __ATOMIC_RELAXED);
    s->data = data;
    s->bytes = bytes;
    s->inside = false;
    return TS_OK;
}

ts_storage *ts_storage_retain(ts_storage *s)
{
    if (s)
        tsi_count_up(&s->refs);
    return s;
}

void ts_storage_release(ts_storage *s)
{
    if (!s || tsi_count_down(&s->refs) > 0)
        return;
    if (s->parent)
        ts_storage_release(s->parent);
    else
        give_back(s);
    free_outgrown(s);
    tsi_live_add(&tsi_self()->live.storages, -1);
    if (s->pair)
        tsi_pair_drop(s->pair);
    else
        free(s);
}

int64_t ts_storage_references(const ts_storage *s)
{
    return atomic_load_explicit(&s->refs, memory_order_relaxed);
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

static ts_status check_span(const ts_storage *s, int64_t at, int64_t bytes)
{
    TS_CHECK(at >= 0 && bytes >= 0 && at <= s->bytes - bytes, TS_ERR_RUNTIME, NULL,
             "bytes %" PRId64 " to %" PRId64 " of a storage of %" PRId64, at, at + bytes,
             s->bytes);
    return TS_OK;
}

ts_status ts_storage_read(ts_storage *s, int64_t at, int64_t bytes, void *to)
{
    TS_TRY(check_span(s, at, bytes));
    TS_CHECK(s->data || bytes == 0, TS_ERR_NOT_IMPLEMENTED, "errors/C4",
             "a meta storage has no bytes to read");
    if (bytes == 0)
        return TS_OK;
    if (s->device.type == TS_ACCEL)
        return tsi_rooms.accel_transfer(s->device.index, to, (char *)s->data + at, bytes,
                                        TS_DEVICE_TO_HOST);
    memcpy(to, (char *)s->data + at, (size_t)bytes);
    return TS_OK;
}

ts_status ts_storage_write(ts_storage *s, int64_t at, int64_t bytes, const void *from)
{
    TS_TRY(check_span(s, at, bytes));
    if (!s->data || bytes == 0)
        return TS_OK;
    if (s->device.type == TS_ACCEL)
        return tsi_rooms.accel_transfer(s->device.index, (char *)s->data + at, from,
                                        bytes, TS_HOST_TO_DEVICE);
    memcpy((char *)s->data + at, from, (size_t)bytes);
    return TS_OK;
}

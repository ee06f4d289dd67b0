/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A collective from its launch to its wait: the way of the elements into a cargo through
 * any strides, and back when the others have come. A tensor is written at the wait, by its
 * own thread, and only after success. On an accelerator all of it is work of streams: the
 * rank's stream for the group waits for the current one at the launch, and the then
 * current one for it at the wait.
 */
#include <stdlib.h>

#include "device/device.h"
#include "dist/dist.h"
#include "touchstone/alloc.h"

struct ts_work {
    int refs;
    bool waited;
    ts_status status;
    ts_group *group;
    tsi_slot *slot;
    tsi_call call;
    bool direct;   /* the collective works on the tensors themselves */
    ts_tensor *in; /* NULL where nobody may touch it before the wait */
    int64_t version;
    void *before; /* what it held at the launch, on the host */
    int nouts;
    ts_tensor *outs[];
};

/* --- elements --- */

/* Elements in row-major order between t, on the host, and memory. */
static void move(ts_tensor *t, unsigned char *at, bool out)
{
    const size_t size = (size_t)ts_dtype_size(t->dtype);
    ts_lines it;

    for (ts_lines_pointwise(&it, t, 1, &t); ts_lines_next(&it);)
        for (int64_t i = 0; i < it.n; i++, at += size) {
            void *element = tse_at(t, it.at[0] + i * it.step[0]);

            if (out)
                memcpy(at, element, size);
            else
                memcpy(element, at, size);
        }
}

/* t's elements to host memory, and back. */
static ts_status pack(ts_tensor *t, void *to)
{
    ts_tensor *host;

    if (t->device.type == TS_META || t->numel == 0)
        return TS_OK;
    TS_TRY(ts_tensor_to_host(t, &host));
    move(host, to, true);
    ts_release(host);
    return TS_OK;
}

static ts_status unpack(ts_tensor *t, const void *from)
{
    ts_tensor *host;
    ts_status s = TS_OK;

    if (t->device.type == TS_META || t->numel == 0)
        return TS_OK;
    TS_TRY(ts_tensor_to_host(t, &host));
    move(host, (unsigned char *)(uintptr_t)from, false);
    if (host != t) /* gaps between the strides go back as they came */
        s = ts_storage_write(ts_tensor_storage(t), t->offset * ts_dtype_size(t->dtype),
                             ts_storage_bytes(ts_tensor_storage(host)), host->data);
    ts_release(host);
    return s;
}

/* Bytes of a device, as work of its current stream. */
static ts_status copy(void *dst, const void *src, size_t bytes, ts_device device)
{
    const ts_driver *d = ts_accel_driver();
    ts_stream *s = ts_stream_current_of(device.index);

    if (bytes == 0)
        return TS_OK;
    if (tsi_checking) {
        TS_TRY(tsi_check_copy("a collective", src, (int64_t)bytes, false, s));
        TS_TRY(tsi_check_copy("a collective", dst, (int64_t)bytes, true, s));
    }
    return d->copy(device.index, dst, src, bytes, TS_DEVICE_TO_DEVICE,
                   ts_stream_handle(s));
}

/* t's elements into bytes [at, …) of a device buffer, and back. */
static ts_status pack_on_device(ts_tensor *t, ts_tensor *buffer, size_t at)
{
    const size_t bytes = tsi_bytes_of(t);
    void *host;
    ts_status s;

    if (ts_is_contiguous(t))
        return copy((char *)buffer->data + at, t->data, bytes, t->device);
    host = malloc(bytes + 1);
    if (!host)
        return tsi_dist_no_memory("a collective");
    s = pack(t, host);
    if (s == TS_OK)
        s = ts_storage_write(ts_tensor_storage(buffer), (int64_t)at, (int64_t)bytes,
                             host);
    free(host);
    return s;
}

static ts_status unpack_on_device(ts_tensor *t, ts_tensor *buffer, size_t at)
{
    const size_t bytes = tsi_bytes_of(t);
    void *host;
    ts_status s;

    if (ts_is_contiguous(t))
        return copy(t->data, (char *)buffer->data + at, bytes, t->device);
    host = malloc(bytes + 1);
    if (!host)
        return tsi_dist_no_memory("a collective");
    s = ts_storage_read(ts_tensor_storage(buffer), (int64_t)at, (int64_t)bytes, host);
    if (s == TS_OK)
        s = unpack(t, host);
    free(host);
    return s;
}

/* --- works --- */

static ts_status work_new(ts_group *g, const tsi_call *call, int nouts,
                          ts_tensor *const *outs, ts_work **out)
{
    ts_work *w = calloc(1, sizeof *w + (size_t)nouts * sizeof *w->outs);

    if (!w)
        return tsi_dist_no_memory(tsi_collective_name(call->kind));
    w->refs = 1;
    w->group = g;
    w->call = *call;
    w->nouts = nouts;
    for (int i = 0; i < nouts; i++)
        w->outs[i] = ts_retain(outs[i]);
    *out = w;
    return TS_OK;
}

ts_work *ts_work_retain(ts_work *w)
{
    w->refs++;
    return w;
}

void ts_work_release(ts_work *w)
{
    if (!w || --w->refs > 0)
        return;
    if (w->slot)
        tsi_slot_release(w->slot, w->group);
    for (int i = 0; i < w->nouts; i++)
        ts_release(w->outs[i]);
    ts_release(w->in);
    free(w->before);
    free(w);
}

bool ts_work_is_completed(ts_work *w)
{
    const tsi_cargo *l;
    bool done = true;

    if (w->waited || !tsi_slot_settled(w->slot, w->group))
        return w->waited;
    l = tsi_slot_cargo(w->slot, w->group);
    return !l->done || (ts_event_query(l->done, &done) == TS_OK && done);
}

/* What t held at the launch: in memory of the host, or in the cargo. */
static ts_status held(const ts_work *w, const tsi_cargo *l, void **out)
{
    ts_status s;

    *out = malloc(tsi_bytes_of(w->in) + 1);
    if (!*out)
        return tsi_dist_no_memory(tsi_collective_name(w->call.kind));
    if (w->before) {
        memcpy(*out, w->before, tsi_bytes_of(w->in));
        return TS_OK;
    }
    s = ts_storage_read(ts_tensor_storage(l->in_own), 0, (int64_t)tsi_bytes_of(w->in),
                        *out);
    if (s != TS_OK)
        free(*out);
    return s;
}

/* The tensor given holds what it held at the launch (dist/C13). On a device, where looking
 * makes the host wait, only if there may have been a write. */
static ts_status check_untouched(const ts_work *w, const tsi_cargo *l)
{
    void *now, *then;
    ts_status s;

    if (!w->in || w->in->numel == 0 || (!w->before && ts_version(w->in) == w->version))
        return TS_OK;
    TS_TRY(held(w, l, &then));
    now = malloc(tsi_bytes_of(w->in));
    s = now ? pack(w->in, now) : tsi_dist_no_memory(tsi_collective_name(w->call.kind));
    if (s == TS_OK && memcmp(now, then, tsi_bytes_of(w->in)) != 0)
        s = ts_fail(TS_ERR_RUNTIME, "dist/C13",
                    "%s number %" PRId64 ": its tensor was written to between the launch "
                    "and the wait",
                    tsi_collective_name(w->call.kind), tsi_slot_sequence(w->slot));
    free(now);
    free(then);
    return s;
}

static ts_status finish(ts_work *w)
{
    const tsi_cargo *l;
    size_t at = 0;

    TS_TRY(tsi_slot_wait(w->slot, w->group));
    l = tsi_slot_cargo(w->slot, w->group);
    TS_TRY(check_untouched(w, l));
    if (l->done)
        TS_TRY(ts_event_wait(l->done, ts_stream_current_of(l->device.index)));
    if (l->out_own)
        TS_TRY(
            ts_tensor_record_stream(l->out_own, ts_stream_current_of(l->device.index)));
    for (int i = 0; !w->direct && i < w->nouts; i++) {
        if (l->out_own)
            TS_TRY(unpack_on_device(w->outs[i], l->out_own, at));
        else
            TS_TRY(unpack(w->outs[i], (const char *)l->out + at));
        at += tsi_bytes_of(w->outs[i]);
    }
    return TS_OK;
}

ts_status ts_work_wait(ts_work *w)
{
    if (!w->waited) {
        w->status = finish(w);
        w->waited = true;
        tsi_slot_release(w->slot, w->group);
        w->slot = NULL;
    }
    return w->status;
}

/* --- launching --- */

static ts_status load_host(tsi_cargo *l, int nins, ts_tensor *const *ins, bool in_place)
{
    size_t at = 0;

    l->heap = true;
    l->in = malloc(l->in_bytes + 1); /* a rank without elements has buffers too */
    l->out = in_place ? l->in : malloc(l->out_bytes + 1);
    if (!l->in || !l->out)
        return tsi_dist_no_memory("a collective");
    for (int i = 0; i < nins; i++) {
        TS_TRY(pack(ins[i], (char *)l->in + at));
        at += tsi_bytes_of(ins[i]);
    }
    return TS_OK;
}

/* A buffer of the current stream that the group's stream uses as well. */
static ts_status buffer_new(tsi_cargo *l, size_t bytes, ts_tensor **own, void **at)
{
    const int64_t n = (int64_t)bytes;

    if (bytes == 0)
        return TS_OK;
    TS_TRY(ts_tensor_new(l->device, TS_UINT8, 1, &n, own));
    *at = (*own)->data;
    return ts_tensor_record_stream(*own, l->stream);
}

/* Whether a collective may use the two as they are: all of both, and where they share
 * memory, in the way that a communicator takes (communicator.h). */
static bool is_direct(const tsi_call *c, int rank, int nins, ts_tensor *const *ins,
                      int nouts, ts_tensor *const *outs)
{
    const char *in, *out;
    size_t part;

    if (nins != 1 || nouts != 1 || !ts_is_contiguous(ins[0]) ||
        !ts_is_contiguous(outs[0]))
        return false;
    if (ts_storage_id(ts_tensor_storage(ins[0])) !=
        ts_storage_id(ts_tensor_storage(outs[0])))
        return true;
    in = ins[0]->data;
    out = outs[0]->data;
    part = (size_t)(c->n * ts_dtype_size(c->dtype)) * (size_t)rank;
    return c->kind == TSI_ALL_GATHER       ? in == out + part
           : c->kind == TSI_REDUCE_SCATTER ? out == in + part
                                           : in == out;
}

/* The group's stream comes after the current one, and the elements are where it finds
 * them. */
static ts_status load_device(ts_group *g, tsi_cargo *l, bool direct, int nins,
                             ts_tensor *const *ins, ts_tensor *const *outs)
{
    size_t at = 0;

    if (g->stream && ts_stream_device(g->stream) != l->device.index) {
        ts_stream_release(g->stream);
        g->stream = NULL;
    }
    if (!g->stream)
        TS_TRY(ts_stream_new_on(l->device.index, 0, &g->stream));
    l->stream = ts_stream_retain(g->stream);
    TS_TRY(ts_event_new(false, &l->done));
    if (direct) {
        l->in = ins[0]->data;
        l->out = outs[0]->data;
    } else {
        TS_TRY(buffer_new(l, l->in_bytes, &l->in_own, &l->in));
        TS_TRY(buffer_new(l, l->out_bytes, &l->out_own, &l->out));
    }
    for (int i = 0; !direct && i < nins && l->in_own; i++) {
        TS_TRY(pack_on_device(ins[i], l->in_own, at));
        at += tsi_bytes_of(ins[i]);
    }
    TS_TRY(ts_stream_wait_stream(l->stream, ts_stream_current_of(l->device.index)));
    if (tsi_checking) {
        TS_TRY(tsi_check_copy("a collective", l->in, (int64_t)l->in_bytes, false,
                              l->stream));
        TS_TRY(tsi_check_copy("a collective", l->out, (int64_t)l->out_bytes, true,
                              l->stream));
    }
    return TS_OK;
}

static ts_status prepare(ts_work *w, tsi_cargo *l, bool async, int nins,
                         ts_tensor *const *ins, bool in_place)
{
    const bool watched = async && nins == 1;

    if (w->call.device == TS_META || nins == 0)
        return TS_OK;
    l->device = ins[0]->device;
    if (w->call.device == TS_ACCEL) {
        w->direct =
            !async && is_direct(&w->call, w->group->rank, nins, ins, w->nouts, w->outs);
        TS_TRY(load_device(w->group, l, w->direct, nins, ins, w->outs));
    } else {
        TS_TRY(load_host(l, nins, ins, in_place));
    }
    if (!watched)
        return TS_OK;
    w->in = ts_retain(ins[0]);
    w->version = ts_version(ins[0]);
    if (w->call.device == TS_ACCEL)
        return TS_OK;
    w->before = malloc(l->in_bytes + 1);
    if (!w->before)
        return tsi_dist_no_memory("a collective");
    memcpy(w->before, l->in, l->in_bytes);
    return TS_OK;
}

ts_status tsi_launch(ts_group *g, const tsi_call *call, int nins, ts_tensor *const *ins,
                     int nouts, ts_tensor *const *outs, ts_work **work)
{
    const bool in_place = call->kind == TSI_ALL_REDUCE || call->kind == TSI_BROADCAST;
    tsi_cargo cargo = {0};
    ts_work *w = NULL;
    ts_status s;

    TS_TRY(work_new(g, call, nouts, outs, &w));
    for (int i = 0; i < nins; i++)
        cargo.in_bytes += tsi_bytes_of(ins[i]);
    for (int i = 0; i < nouts; i++)
        cargo.out_bytes += tsi_bytes_of(outs[i]);
    s = prepare(w, &cargo, work != NULL, nins, ins, in_place);
    if (s != TS_OK)
        tsi_cargo_drop(&cargo);
    else
        s = tsi_arrive(g, call, &cargo, &w->slot);
    if (s == TS_OK && !work)
        s = ts_work_wait(w);
    if (s == TS_OK && work)
        *work = w;
    else
        ts_work_release(w);
    return s;
}

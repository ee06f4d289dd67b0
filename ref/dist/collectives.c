/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Collectives on tensors: the checks, the way of the elements into host buffers through
 * any strides, and back when the others have come. A tensor is written at the wait, by
 * its own thread, and only after success.
 */
#include <stdlib.h>

#include "core/overlap.h"
#include "dist/dist.h"
#include "touchstone/device.h"

struct ts_work {
    int refs;
    bool waited;
    ts_status status;
    ts_group *group;
    tsi_slot *slot;
    tsi_call call;
    ts_tensor *in; /* as it was at the launch: before; NULL when nobody may touch it */
    void *before;
    int nouts;
    ts_tensor *outs[];
};

static _Thread_local bool in_backward;

bool tsi_dist_backward(bool on)
{
    const bool was = in_backward;

    in_backward = on;
    return was;
}

static ts_status no_memory(const char *name)
{
    return ts_fail(TS_ERR_OUT_OF_MEMORY, "tensors/C10", "%s: no memory for its buffers",
                   name);
}

/* --- elements --- */

static size_t bytes_of(const ts_tensor *t)
{
    return (size_t)(t->numel * ts_dtype_size(t->dtype));
}

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

/* --- checks --- */

static ts_status check_dtype(const char *name, ts_dtype dtype, bool reduces,
                             ts_reduce_op op)
{
    const bool floating = ts_dtype_is_floating(dtype);

    TS_CHECK(dtype != TS_INT16 && dtype != TS_FLOAT8_E4M3FN && dtype != TS_FLOAT8_E5M2,
             TS_ERR_RUNTIME, "dist/C2", "%s: no communicator carries %s", name,
             ts_dtype_name(dtype));
    if (!reduces)
        return TS_OK;
    TS_CHECK(op >= 0 && op < TS_REDUCE_COUNT, TS_ERR_RUNTIME, "dist/C3",
             "%s: reduce op %d", name, (int)op);
    TS_CHECK(floating || op != TS_REDUCE_AVG, TS_ERR_RUNTIME, "dist/C3",
             "%s: AVG of %s: a mean of integers is none", name, ts_dtype_name(dtype));
    TS_CHECK(!floating || op < TS_REDUCE_BAND, TS_ERR_RUNTIME, "dist/C3",
             "%s: %s of %s, which is no integer dtype", name, tsi_reduce_op_name(op),
             ts_dtype_name(dtype));
    return TS_OK;
}

static ts_status check_written(const char *name, const ts_tensor *t)
{
    TS_CHECK(!tsi_overlaps_itself(t), TS_ERR_RUNTIME, "dist/C15",
             "%s: it would write a tensor of which several elements share memory; "
             "clone() it",
             name);
    return TS_OK;
}

static ts_status check_one(const char *name, const ts_tensor *t, const ts_tensor *with,
                           int i)
{
    char want[120], got[120];

    TS_CHECK(t->device.type == with->device.type, TS_ERR_RUNTIME, "errors/C3",
             "%s: tensors on two devices", name);
    TS_CHECK(t->dtype == with->dtype, TS_ERR_VALUE, "dist/C5",
             "%s: tensor %d has dtype %s, the other %s", name, i, ts_dtype_name(t->dtype),
             ts_dtype_name(with->dtype));
    TS_CHECK(tsi_same_sizes(t, with), TS_ERR_RUNTIME, "dist/C4",
             "%s: tensor %d has sizes %s, expected %s", name, i,
             tsi_sizes_text(got, sizeof got, t->ndim, t->sizes),
             tsi_sizes_text(want, sizeof want, with->ndim, with->sizes));
    return TS_OK;
}

/* whole is part, `ranks` times as long in its first dim. */
static ts_status check_whole(const char *name, const ts_tensor *whole,
                             const ts_tensor *part, int ranks)
{
    char one[120], other[120];
    bool fits = whole->ndim == part->ndim && part->ndim > 0 &&
                whole->sizes[0] == part->sizes[0] * ranks;

    TS_CHECK(whole->device.type == part->device.type, TS_ERR_RUNTIME, "errors/C3",
             "%s: tensors on two devices", name);
    TS_CHECK(whole->dtype == part->dtype, TS_ERR_RUNTIME, "dist/C5",
             "%s: tensors of %s and %s", name, ts_dtype_name(whole->dtype),
             ts_dtype_name(part->dtype));
    for (int d = 1; fits && d < part->ndim; d++)
        fits = whole->sizes[d] == part->sizes[d];
    TS_CHECK(fits, TS_ERR_RUNTIME, "dist/C4",
             "%s: sizes %s are not %d times sizes %s along dim 0", name,
             tsi_sizes_text(one, sizeof one, whole->ndim, whole->sizes), ranks,
             tsi_sizes_text(other, sizeof other, part->ndim, part->sizes));
    return TS_OK;
}

/* --- launching and waiting --- */

static void call_of(tsi_call *c, tsi_collective_kind kind, const ts_tensor *t,
                    ts_reduce_op op)
{
    *c = (tsi_call){.kind = kind, .op = op, .backward = in_backward};
    if (t) {
        c->dtype = t->dtype;
        c->device = t->device.type;
        c->ndim = t->ndim;
        memcpy(c->sizes, t->sizes, (size_t)t->ndim * sizeof *t->sizes);
    }
}

static ts_status work_new(ts_group *g, const tsi_call *call, int nouts,
                          ts_tensor *const *outs, ts_work **out)
{
    ts_work *w = calloc(1, sizeof *w + (size_t)nouts * sizeof *w->outs);

    if (!w)
        return no_memory(tsi_collective_name(call->kind));
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
    return w->waited || tsi_slot_settled(w->slot, w->group);
}

/* The tensor given holds what it held at the launch (dist/C13). */
static ts_status check_untouched(const ts_work *w)
{
    const char *name = tsi_collective_name(w->call.kind);
    void *now;
    ts_status s;

    if (!w->before || bytes_of(w->in) == 0)
        return TS_OK;
    now = malloc(bytes_of(w->in));
    if (!now)
        return no_memory(name);
    s = pack(w->in, now);
    if (s == TS_OK && memcmp(now, w->before, bytes_of(w->in)) != 0)
        s = ts_fail(TS_ERR_RUNTIME, "dist/C13",
                    "%s number %" PRId64 ": its tensor was written to between the launch "
                    "and the wait",
                    name, tsi_slot_sequence(w->slot));
    free(now);
    return s;
}

static ts_status finish(ts_work *w)
{
    const unsigned char *from;

    TS_TRY(tsi_slot_wait(w->slot, w->group));
    TS_TRY(check_untouched(w));
    from = tsi_slot_out(w->slot, w->group);
    for (int i = 0; i < w->nouts; i++) {
        TS_TRY(unpack(w->outs[i], from));
        if (from)
            from += bytes_of(w->outs[i]);
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

/*
 * This rank's part of `call`: `in` the elements of nins tensors one after the other, out
 * the same buffer or one of `out_bytes`.
 */
static ts_status launch(ts_group *g, tsi_call *call, int nins, ts_tensor *const *ins,
                        size_t out_bytes, int nouts, ts_tensor *const *outs,
                        ts_work **work)
{
    const char *name = tsi_collective_name(call->kind);
    const bool data = call->device != TS_META;
    size_t bytes = 0;
    unsigned char *in = NULL, *out = NULL;
    ts_status s = TS_OK;
    ts_work *w = NULL;

    for (int i = 0; i < nins; i++)
        bytes += bytes_of(ins[i]);
    TS_TRY(work_new(g, call, nouts, outs, &w));
    if (data) {
        in = malloc(bytes + 1); /* a rank without elements has buffers too */
        out = out_bytes ? malloc(out_bytes) : in;
        if (!in || !out)
            s = no_memory(name);
    }
    bytes = 0;
    for (int i = 0; data && s == TS_OK && i < nins; i++) {
        s = pack(ins[i], in + bytes);
        bytes += bytes_of(ins[i]);
    }
    if (s == TS_OK && work && data && nins == 1) {
        w->in = ts_retain(ins[0]);
        w->before = malloc(bytes + 1);
        if (!w->before)
            s = no_memory(name);
        else
            memcpy(w->before, in, bytes);
    }
    if (s != TS_OK) {
        if (out != in)
            free(out);
        free(in);
    } else {
        s = tsi_arrive(g, call, in, out, &w->slot);
    }
    if (s == TS_OK && !work)
        s = ts_work_wait(w);
    if (s == TS_OK && work)
        *work = w;
    else
        ts_work_release(w);
    return s;
}

/* g as this rank's group. False: it is no member, a warning has been given (dist/S3). */
static ts_status enter(const char *name, ts_group **g, ts_work **work, bool *member)
{
    if (work)
        *work = NULL;
    TS_TRY(tsi_group_of(*g, g));
    *member = tsi_group_rank(*g) >= 0;
    if (!*member)
        ts_warn("dist/S3", "%s: this rank is no member of the group", name);
    return TS_OK;
}

ts_status tsi_all_reduce_into(ts_tensor *out, ts_tensor *in, ts_reduce_op op, ts_group *g,
                              ts_work **work)
{
    bool member;
    tsi_call c;

    TS_TRY(enter("all_reduce", &g, work, &member));
    if (!member)
        return TS_OK;
    TS_TRY(check_dtype("all_reduce", in->dtype, true, op));
    TS_TRY(check_written("all_reduce", out));
    call_of(&c, TSI_ALL_REDUCE, in, op);
    c.n = in->numel;
    return launch(g, &c, 1, &in, 0, 1, &out, work);
}

ts_status ts_all_reduce(ts_tensor *t, ts_reduce_op op, ts_group *g, ts_work **work)
{
    return tsi_all_reduce_into(t, t, op, g, work);
}

ts_status ts_broadcast(ts_tensor *t, int source, ts_group *g, ts_work **work)
{
    int from = -1, global = -1;
    bool member;
    tsi_call c;

    TS_TRY(enter("broadcast", &g, work, &member));
    if (!member)
        return TS_OK;
    TS_TRY(check_dtype("broadcast", t->dtype, false, TS_REDUCE_SUM));
    TS_TRY(check_written("broadcast", t));
    for (int r = 0; r < tsi_group_size(g) && from < 0; r++) {
        TS_TRY(ts_group_global_rank(g, r, &global));
        if (global == source)
            from = r;
    }
    TS_CHECK(from >= 0, TS_ERR_RUNTIME, "dist/C14",
             "broadcast: source %d is no rank of the group", source);
    call_of(&c, TSI_BROADCAST, t, TS_REDUCE_SUM);
    c.n = t->numel;
    c.source = from;
    return launch(g, &c, 1, &t, 0, 1, &t, work);
}

ts_status ts_all_gather(int n, ts_tensor *const *outs, ts_tensor *in, ts_group *g,
                        ts_work **work)
{
    bool member;
    tsi_call c;

    TS_TRY(enter("all_gather", &g, work, &member));
    if (!member)
        return TS_OK;
    TS_CHECK(n == tsi_group_size(g), TS_ERR_RUNTIME, "dist/C4",
             "all_gather: %d output tensors for a group of %d", n, tsi_group_size(g));
    for (int i = 0; i < n; i++) {
        TS_TRY(check_one("all_gather", outs[i], in, i));
        TS_TRY(check_written("all_gather", outs[i]));
    }
    TS_TRY(check_dtype("all_gather", in->dtype, false, TS_REDUCE_SUM));
    call_of(&c, TSI_ALL_GATHER, in, TS_REDUCE_SUM);
    c.n = in->numel;
    return launch(g, &c, 1, &in, (size_t)n * bytes_of(in) + 1, n, outs, work);
}

ts_status ts_all_gather_into_tensor(ts_tensor *out, ts_tensor *in, ts_group *g,
                                    ts_work **work)
{
    bool member;
    tsi_call c;

    TS_TRY(enter("all_gather_into_tensor", &g, work, &member));
    if (!member)
        return TS_OK;
    TS_TRY(check_whole("all_gather_into_tensor", out, in, tsi_group_size(g)));
    TS_TRY(check_written("all_gather_into_tensor", out));
    TS_TRY(check_dtype("all_gather_into_tensor", in->dtype, false, TS_REDUCE_SUM));
    call_of(&c, TSI_ALL_GATHER, in, TS_REDUCE_SUM);
    c.n = in->numel;
    return launch(g, &c, 1, &in, bytes_of(out) + 1, 1, &out, work);
}

ts_status ts_reduce_scatter(ts_tensor *out, int n, ts_tensor *const *ins, ts_reduce_op op,
                            ts_group *g, ts_work **work)
{
    bool member;
    tsi_call c;

    TS_TRY(enter("reduce_scatter", &g, work, &member));
    if (!member)
        return TS_OK;
    TS_CHECK(n == tsi_group_size(g), TS_ERR_RUNTIME, "dist/C4",
             "reduce_scatter: %d input tensors for a group of %d", n, tsi_group_size(g));
    for (int i = 0; i < n; i++)
        TS_TRY(check_one("reduce_scatter", ins[i], out, i));
    TS_TRY(check_written("reduce_scatter", out));
    TS_TRY(check_dtype("reduce_scatter", out->dtype, true, op));
    call_of(&c, TSI_REDUCE_SCATTER, out, op);
    c.n = out->numel;
    return launch(g, &c, n, ins, bytes_of(out) + 1, 1, &out, work);
}

ts_status ts_reduce_scatter_tensor(ts_tensor *out, ts_tensor *in, ts_reduce_op op,
                                   ts_group *g, ts_work **work)
{
    bool member;
    tsi_call c;

    TS_TRY(enter("reduce_scatter_tensor", &g, work, &member));
    if (!member)
        return TS_OK;
    TS_TRY(check_whole("reduce_scatter_tensor", in, out, tsi_group_size(g)));
    TS_TRY(check_written("reduce_scatter_tensor", out));
    TS_TRY(check_dtype("reduce_scatter_tensor", out->dtype, true, op));
    call_of(&c, TSI_REDUCE_SCATTER, out, op);
    c.n = out->numel;
    return launch(g, &c, 1, &in, bytes_of(out) + 1, 1, &out, work);
}

ts_status ts_barrier(ts_group *g, ts_work **work)
{
    bool member;
    tsi_call c;

    TS_TRY(enter("barrier", &g, work, &member));
    if (!member)
        return TS_OK;
    call_of(&c, TSI_BARRIER, NULL, TS_REDUCE_SUM);
    return launch(g, &c, 0, NULL, 0, 0, NULL, work);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Collectives on tensors: what they accept. */
#include "core/overlap.h"
#include "dist/dist.h"

static _Thread_local bool in_backward;

bool tsi_dist_backward(bool on)
{
    const bool was = in_backward;

    in_backward = on;
    return was;
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

/* --- calls --- */

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
    return tsi_launch(g, &c, 1, &in, 1, &out, work);
}

ts_status ts_all_reduce(ts_tensor *t, ts_reduce_op op, ts_group *g, ts_work **work)
{
    return tsi_all_reduce_into(t, t, op, g, work);
}

ts_status ts_broadcast(ts_tensor *t, int64_t source, ts_group *g, ts_work **work)
{
    bool member;
    tsi_call c;
    int root;

    TS_TRY(tsi_group_root("broadcast", g, source, &root));
    TS_TRY(enter("broadcast", &g, work, &member));
    if (!member)
        return TS_OK;
    TS_TRY(check_dtype("broadcast", t->dtype, false, TS_REDUCE_SUM));
    TS_TRY(check_written("broadcast", t));
    TS_CHECK(root >= 0, TS_ERR_RUNTIME, "dist/C14",
             "broadcast: source %" PRId64 " is no rank of the world", source);
    call_of(&c, TSI_BROADCAST, t, TS_REDUCE_SUM);
    c.n = t->numel;
    c.source = root;
    return tsi_launch(g, &c, 1, &t, 1, &t, work);
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
    return tsi_launch(g, &c, 1, &in, n, outs, work);
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
    return tsi_launch(g, &c, 1, &in, 1, &out, work);
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
    return tsi_launch(g, &c, n, ins, 1, &out, work);
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
    return tsi_launch(g, &c, 1, &in, 1, &out, work);
}

ts_status ts_barrier(ts_group *g, ts_work **work)
{
    bool member;
    tsi_call c;

    TS_TRY(enter("barrier", &g, work, &member));
    if (!member)
        return TS_OK;
    call_of(&c, TSI_BARRIER, NULL, TS_REDUCE_SUM);
    return tsi_launch(g, &c, 0, NULL, 0, NULL, work);
}

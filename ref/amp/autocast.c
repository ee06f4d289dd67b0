/* SPDX-License-Identifier: Apache-2.0 */
/* The autocast layer (amp/S1 to S12):
 * casts arguments by the op table's lists, above autograd. */
#include "touchstone/amp.h"

#include <stdlib.h>

#include "core/body.h"
#include "core/dispatch.h"
#include "core/rooms.h"
#include "core/thread.h"
#include "touchstone/ops.h"

typedef struct cached {
    struct cached *next;
    ts_tensor *of, *as;
} cached;

typedef struct autocast {
    bool enabled[TS_DEVICE_TYPE_COUNT], cache_off;
    ts_dtype dtype[TS_DEVICE_TYPE_COUNT]; /* where enabled has ever been set */
    int nesting;
    cached *cache;
} autocast;

/* This thread's regions; NULL where none was ever begun. */
static autocast *now(void)
{
    return tsi_self()->room[TSI_ROOM_AMP];
}

ts_dtype ts_autocast_default_dtype(ts_device_type device)
{
    return device == TS_ACCEL ? TS_FLOAT16 : TS_BFLOAT16;
}

ts_autocast ts_autocast_now(ts_device_type device)
{
    const autocast *state = now();
    const ts_dtype d = state ? state->dtype[device] : 0;

    return (ts_autocast){device, d ? d : ts_autocast_default_dtype(device),
                         state && state->enabled[device], !state || !state->cache_off};
}

/* --- casts --- */

static void drop_cache(void *p)
{
    autocast *state = p;

    while (state->cache) {
        cached *c = state->cache;

        state->cache = c->next;
        ts_release(c->of);
        ts_release(c->as);
        free(c);
    }
}

static bool eligible(const ts_tensor *t, ts_device_type device)
{
    return t && t->device.type == device && ts_dtype_is_floating(t->dtype) &&
           t->dtype != TS_FLOAT64;
}

/* A weight: its cast is kept while the outermost region lasts (S10). */
static bool is_kept(const ts_tensor *t, ts_device_type device, ts_dtype to)
{
    return !now()->cache_off && to == now()->dtype[device] && t->dtype == TS_FLOAT32 &&
           ts_requires_grad(t) && ts_is_leaf(t) && !tsi_of(t)->base;
}

/* t itself, or a new reference to its cast, in *out; *made says which. */
static ts_status cast(ts_tensor *t, ts_device_type device, ts_dtype to, ts_tensor **out)
{
    const bool keep = eligible(t, device) && is_kept(t, device, to);
    ts__to_copy_opts o = ts__to_copy_defaults();
    cached *c;
    ts_status s;
    bool grad;

    if (!eligible(t, device) || t->dtype == to) {
        *out = ts_retain(t);
        return TS_OK;
    }
    for (c = keep ? now()->cache : NULL; c; c = c->next)
        if (c->of == t) {
            *out = ts_retain(c->as);
            return TS_OK;
        }
    o.dtype = to;
    grad = ts_grad_enabled();
    if (keep) /* for whoever takes it later: under no_grad too it has a history */
        ts_set_grad_enabled(true);
    s = ts__to_copy(t, &o, out);
    ts_set_grad_enabled(grad);
    TS_TRY(s);
    c = keep ? malloc(sizeof *c) : NULL;
    if (c) {
        *c = (cached){now()->cache, ts_retain(t), ts_retain(*out)};
        now()->cache = c;
    }
    return TS_OK;
}

/* --- the layer --- */

typedef ts_status (*visit)(ts_tensor *t, void *self);

static ts_status each(const ts_frame *f, visit fn, void *self)
{
    for (int i = 0; i < f->nargs; i++) {
        if (f->args[i].kind == TS_ARG_TENSOR)
            TS_TRY(fn(f->args[i].tensor, self));
        for (int64_t k = 0; f->args[i].kind == TS_ARG_TENSORS && k < f->args[i].tensors.n;
             k++)
            TS_TRY(fn(f->args[i].tensors.v[k], self));
    }
    return TS_OK;
}

static ts_status see_device(ts_tensor *t, void *self)
{
    int *device = self;

    if (*device != TS_ACCEL)
        *device = (int)t->device.type;
    return TS_OK;
}

typedef struct widest {
    const ts_frame *f;
    ts_device_type device;
    ts_dtype dtype;
} widest;

static ts_status see_dtype(ts_tensor *t, void *self)
{
    widest *w = self;

    if (!eligible(t, w->device) || w->dtype == TS_FLOAT32) /* that is decided */
        return TS_OK;
    TS_CHECK(t->dtype == TS_FLOAT32 || t->dtype == now()->dtype[w->device],
             TS_ERR_RUNTIME, "amp/C2", "%s: an argument of %s where %s is autocast to",
             w->f->op->name, ts_dtype_name(t->dtype),
             ts_dtype_name(now()->dtype[w->device]));
    if (t->dtype == TS_FLOAT32)
        w->dtype = TS_FLOAT32;
    return TS_OK;
}

static ts_status count(ts_tensor *t, void *self)
{
    (void)t;
    ++*(int64_t *)self;
    return TS_OK;
}

/* Below this layer; a program's parts are not looked
 * at again once the whole was (S11). */
static ts_status down(ts_frame *f)
{
    return f->op->kind == TS_COMPOSITE ? tsi_program_run(f)
                                       : tsi_call_below(TSI_LAYER_AUTOCAST, f);
}

/* The call with other arguments; the caller's frame keeps its own. */
static ts_status down_with(ts_frame *f, ts_value *args)
{
    ts_value *const own = f->args;
    ts_status s;

    f->args = args;
    s = down(f);
    f->args = own;
    return s;
}

/* Each tensor of `args` cast into held. */
static ts_status cast_all(int nargs, ts_value *args, ts_device_type device, ts_dtype to,
                          ts_tensor **held)
{
    ts_status s = TS_OK;
    int64_t at = 0;

    for (int i = 0; s == TS_OK && i < nargs; i++) {
        ts_value *v = &args[i];

        if (v->kind == TS_ARG_TENSOR) {
            s = cast(v->tensor, device, to, &held[at]);
            v->tensor = held[at++];
        } else if (v->kind == TS_ARG_TENSORS) {
            ts_tensor *const *list = v->tensors.v;

            v->tensors.v = held + at;
            for (int64_t k = 0; s == TS_OK && k < v->tensors.n; k++)
                s = cast(list[k], device, to, &held[at++]);
        }
    }
    return s;
}

static ts_status call_cast(ts_frame *f, ts_device_type device, ts_dtype to)
{
    const size_t nargs = (size_t)f->nargs;
    tsi_thread *t = tsi_self();
    ts_tensor **held;
    ts_value *args;
    int64_t n = 0;
    size_t used;
    void *mark;
    ts_status s;

    (void)each(f, count, &n);
    tsi_arena_mark(t, &mark, &used);
    args = tsi_arena_take(t, nargs * sizeof *args + (size_t)n * sizeof *held + 1);
    TS_CHECK(args, TS_ERR_OUT_OF_MEMORY, "tensors/C10", "no memory for casts");
    held = (ts_tensor **)(void *)(args + nargs);
    memcpy(args, f->args, nargs * sizeof *args);
    memset(held, 0, (size_t)n * sizeof *held);
    s = cast_all(f->nargs, args, device, to, held);
    if (s == TS_OK)
        s = down_with(f, args);
    for (int64_t i = 0; i < n; i++)
        ts_release(held[i]);
    if (!f->op->list_result) /* its results stand above the mark; the frame gives back */
        tsi_arena_back(t, mark, used);
    return s;
}

/* Where the op has a dtype argument that the caller left open (S4). */
static ts_status call_with_dtype(ts_frame *f)
{
    const size_t nargs = (size_t)f->nargs;
    tsi_thread *t = tsi_self();
    ts_value *args;
    size_t used;
    void *mark;
    ts_status s;

    tsi_arena_mark(t, &mark, &used);
    args = tsi_arena_take(t, nargs * sizeof *args);
    TS_CHECK(args, TS_ERR_OUT_OF_MEMORY, "tensors/C10", "no memory for arguments");
    memcpy(args, f->args, nargs * sizeof *args);
    for (int i = 0; i < f->nargs; i++)
        if (strcmp(f->op->params[i].name, "dtype") == 0 && args[i].kind == TS_ARG_NONE)
            args[i] = (ts_value){.kind = TS_ARG_DTYPE, .dtype = TS_FLOAT32};
    s = down_with(f, args);
    if (!f->op->list_result) /* its results stand above the mark; the frame gives back */
        tsi_arena_back(t, mark, used);
    return s;
}

static ts_status apply(ts_frame *f, ts_device_type device, ts_autocast_policy policy)
{
    widest w = {f, device, now()->dtype[device]};

    switch (policy) {
    case TS_AUTOCAST_LOWER_PRECISION:
        return call_cast(f, device, now()->dtype[device]);
    case TS_AUTOCAST_FP32:
        return call_cast(f, device, TS_FLOAT32);
    case TS_AUTOCAST_FP32_DTYPE:
        return eligible(tsi_tensor(f, 0), device) ? call_with_dtype(f) : down(f);
    case TS_AUTOCAST_PROMOTE:
        TS_TRY(each(f, see_dtype, &w));
        return call_cast(f, device, w.dtype);
    default:
        return down(f);
    }
}

static ts_status autocast_layer(ts_frame *f)
{
    int device = TS_META;
    ts_autocast_policy policy = TS_AUTOCAST_NONE;
    unsigned before;
    ts_status s;

    (void)each(f, see_device, &device);
    if (device != TS_META && now()->enabled[device] && f->form == TS_FUNCTIONAL)
        policy = device == TS_ACCEL ? f->op->autocast : f->op->autocast_cpu;
    if (policy == TS_AUTOCAST_NONE)
        return down(f);
    before = tsi_layer_mask();
    tsi_layer_set_mask(before & ~(1u << TSI_LAYER_AUTOCAST));
    s = apply(f, (ts_device_type)device, policy);
    tsi_layer_set_mask(before);
    return s;
}

/* --- regions --- */

static void put(const ts_autocast *a)
{
    const unsigned bit = 1u << TSI_LAYER_AUTOCAST;
    autocast *state = now();
    bool any = false;

    state->enabled[a->device] = a->enabled;
    state->dtype[a->device] = a->dtype;
    state->cache_off = !a->cache_enabled;
    for (int d = 0; d < TS_DEVICE_TYPE_COUNT; d++)
        any |= state->enabled[d];
    tsi_layer_set_mask(any ? tsi_layer_mask() | bit : tsi_layer_mask() & ~bit);
}

ts_status ts_autocast_begin(const ts_autocast *region, ts_autocast *before)
{
    TS_CHECK(region->device == TS_CPU || region->device == TS_ACCEL, TS_ERR_RUNTIME,
             "amp/C1", "autocast: there are no lists for this device");
    TS_CHECK(tsi_thread_room(TSI_ROOM_AMP, sizeof(autocast), drop_cache),
             TS_ERR_OUT_OF_MEMORY, "tensors/C10", "no memory for an autocast region");
    *before = ts_autocast_now(region->device);
    put(region);
    now()->nesting++;
    return TS_OK;
}

void ts_autocast_end(const ts_autocast *before)
{
    if (--now()->nesting == 0)
        drop_cache(now());
    put(before);
}

TSI_BEFORE_MAIN(enter)
{
    tsi_layer_set(TSI_LAYER_AUTOCAST, autocast_layer);
}

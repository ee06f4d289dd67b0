/* SPDX-License-Identifier: Apache-2.0 */
/* The one dispatch point: layers, then program, view, meta or kernel. */
#include "core/dispatch.h"

#include "core/backend.h"
#include "core/body.h"
#include "core/overlap.h"
#include "core/rooms.h"
#include "core/table.h"
#include "core/thread.h"
#include "touchstone/generator.h"

#define AUTOGRAD (1u << TSI_LAYER_AUTOGRAD)
#define TRANSFORM (1u << TSI_LAYER_TRANSFORM)

tsi_rooms_table tsi_rooms;
static tsi_layer_fn layers[TSI_LAYER_COUNT];

void tsi_layer_set(tsi_layer layer, tsi_layer_fn fn)
{
    layers[layer] = fn;
}

unsigned tsi_layer_mask(void)
{
    return tsi_self()->layers;
}

unsigned tsi_layer_set_mask(unsigned mask)
{
    tsi_thread *t = tsi_self();
    const unsigned before = t->layers;

    t->layers = mask;
    return before;
}

ts_device ts_default_device(void)
{
    return tsi_device_settle(tsi_self()->default_device);
}

void ts_set_default_device(ts_device device)
{
    tsi_self()->default_device = device;
}

/* --- checks that every op shares --- */

TS_COLD static ts_status refuse_devices(const ts_frame *f, int a, int b)
{
    char here[TSI_DEVICE_TEXT], there[TSI_DEVICE_TEXT];

    return ts_fail(TS_ERR_RUNTIME, "errors/C3",
                   "%s: expected all tensors on one device, but %s is on %s and %s on %s",
                   f->op->name, f->op->params[a].name,
                   tsi_device_text(here, f->args[a].tensor->device),
                   f->op->params[b].name,
                   tsi_device_text(there, f->args[b].tensor->device));
}

TS_COLD static ts_status refuse_missing(const ts_frame *f, uint64_t missing)
{
    int i = 0;

    while (!(missing >> i & 1))
        i++;
    return ts_fail(TS_ERR_TYPE, "errors/C2", "%s: argument %s must be a tensor, not NULL",
                   f->op->name, f->op->params[i].name);
}

/* Below every level a wrapper is of one that has ended: what grad and jvp followed is its
 * value again, a batched tensor is nothing any more. */
static ts_status look_at_wrappers(const ts_frame *f)
{
    for (int i = 0; i < f->nargs; i++) {
        ts_value *v = &f->args[i];

        while (v->kind == TS_ARG_TENSOR && v->tensor && tsi_of(v->tensor)->wrapped) {
            const tsi_wrap *w = tsi_of(v->tensor)->wrap;

            if (w->kind == TSI_LEVEL_VMAP)
                return tsi_refuse_escaped(v->tensor, f->op->name);
            v->tensor = w->value;
        }
        for (int64_t k = 0; v->kind == TS_ARG_TENSORS && k < v->tensors.n; k++)
            if (v->tensors.v[k] && tsi_of(v->tensors.v[k])->wrapped)
                return tsi_refuse_escaped(v->tensors.v[k], f->op->name);
    }
    return TS_OK;
}

/* A level or autograd may have something to do with t; a view follows its base. */
static bool has_history(const ts_tensor *t)
{
    const ts_tensor *base = tsi_of(t)->base;

    return tsi_of(t)->autograd || tsi_of(t)->special || (base && tsi_of(base)->autograd);
}

/* A storage may have grown under a tensor of this call. */
TS_COLD static void look_again(const ts_frame *f)
{
    for (int i = 0; i < f->nargs; i++) {
        const ts_value *v = &f->args[i];

        if (v->kind == TS_ARG_TENSOR && v->tensor)
            tsi_look_again(v->tensor);
        for (int64_t k = 0; v->kind == TS_ARG_TENSORS && k < v->tensors.n; k++)
            if (v->tensors.v[k])
                tsi_look_again(v->tensors.v[k]);
    }
    for (int i = 0; f->form == TS_OUT && i < f->nresults; i++)
        if (f->out[i])
            tsi_look_again(f->out[i]);
}

/*
 * One look at the tensors among the arguments: the required ones are there (a caller of
 * the C interface may pass NULL), and all are on one device; a 0-dim cpu tensor goes with
 * any, as PyTorch's numbers do. False in *plain: autograd has something to do with them.
 */
static inline ts_status look(const ts_frame *f, bool *plain)
{
    uint64_t missing = f->op->required_tensors;
    const ts_tensor *first = NULL;
    bool history = false;
    int at = 0;

    if (__atomic_load_n(&tsi_storages_grew, __ATOMIC_RELAXED))
        look_again(f);
    for (int i = 0; i < f->nargs; i++) {
        const ts_value *v = &f->args[i];
        const ts_tensor *t;

        if (v->kind != TS_ARG_TENSOR) {
            history |= v->kind == TS_ARG_TENSORS;
            continue;
        }
        t = v->tensor;
        if (!t)
            continue;
        missing &= ~(UINT64_C(1) << i);
        history |= has_history(t);
        if (first && tsi_same_device(t->device, first->device))
            continue;
        if (t->ndim == 0 && t->device.type == TS_CPU)
            continue;
        if (first && !f->op->crosses_devices)
            return refuse_devices(f, at, i);
        if (!first) {
            first = t;
            at = i;
        }
    }
    *plain = !history;
    if (missing)
        return refuse_missing(f, missing);
    return history ? look_at_wrappers(f) : TS_OK;
}

/* Whether an argument but `skip` stands on t's bytes; hardly any call has one. */
static inline bool meets_argument(const ts_frame *f, const ts_tensor *t, int skip)
{
    for (int i = 0; i < f->nargs; i++)
        if (f->args[i].kind == TS_ARG_TENSOR && i != skip &&
            tsi_may_meet(t, f->args[i].tensor))
            return true;
    return false;
}

static ts_status check_places(const ts_frame *f, const ts_tensor *t, int skip)
{
    TS_TRY(tsi_check_places(f, t));
    for (int i = 0; i < f->nargs && f->flags & TS_FRAME_POINTWISE; i++)
        TS_CHECK(
            i == skip || f->args[i].kind != TS_ARG_TENSOR ||
                tsi_overlap_of(t, f->args[i].tensor) != TSI_OVERLAP_PARTIAL,
            TS_ERR_RUNTIME, "tensors/C3",
            "%s: the written tensor partly overlaps the argument %s; clone() it first",
            f->op->name, f->op->params[i].name);
    return TS_OK;
}

/* A tensor about to be written by the op: `t` is self or an out argument. */
static inline ts_status check_written(const ts_frame *f, const ts_tensor *t, int skip)
{
    if (f->flags & TS_FRAME_OVERLAP_OK ||
        (tsi_is_dense(t) &&
         !(f->flags & TS_FRAME_POINTWISE && meets_argument(f, t, skip))))
        return TS_OK;
    return check_places(f, t, skip);
}

static ts_status check_inplace(ts_frame *f)
{
    ts_tensor *self = tsi_tensor(f, 0);
    const ts_meta *m = &f->meta[0];

    if (m->ndim != self->ndim || !tsi_equal_sizes(m->ndim, m->sizes, self->sizes)) {
        char want[256], have[256];

        return ts_fail(TS_ERR_RUNTIME, "tensors/C1",
                       "%s_: self of sizes %s does not match the broadcast shape %s",
                       f->op->name,
                       tsi_sizes_text(have, sizeof have, self->ndim, self->sizes),
                       tsi_sizes_text(want, sizeof want, m->ndim, m->sizes));
    }
    TS_CHECK(ts_can_cast(m->dtype, self->dtype), TS_ERR_RUNTIME, "promotion/C1",
             "%s_: result type %s can't be cast to self's %s", f->op->name,
             ts_dtype_name(m->dtype), ts_dtype_name(self->dtype));
    return check_written(f, self, 0);
}

static ts_status check_out(const ts_frame *f, int i, ts_tensor *out)
{
    const ts_meta *m = &f->meta[i];

    char here[TSI_DEVICE_TEXT], there[TSI_DEVICE_TEXT];

    TS_CHECK(tsi_same_device(out->device, m->device), TS_ERR_RUNTIME, "tensors/C5",
             "%s: out is on %s, the result on %s", f->op->name,
             tsi_device_text(here, out->device), tsi_device_text(there, m->device));
    if (f->flags & (TS_FRAME_POINTWISE | TS_FRAME_OUT_CASTS))
        TS_CHECK(m->dtype == out->dtype || ts_can_cast(m->dtype, out->dtype),
                 TS_ERR_RUNTIME, "promotion/C1",
                 "%s: result type %s can't be cast to out's %s", f->op->name,
                 ts_dtype_name(m->dtype), ts_dtype_name(out->dtype));
    else
        TS_CHECK(m->dtype == out->dtype, TS_ERR_RUNTIME, "tensors/C4",
                 "%s: out is expected to be %s, but is %s", f->op->name,
                 ts_dtype_name(m->dtype), ts_dtype_name(out->dtype));
    if (out->ndim == m->ndim && tsi_equal_sizes(m->ndim, out->sizes, m->sizes))
        return check_written(f, out, -1);
    if (!(f->flags & TS_FRAME_POINTWISE))
        return TS_OK; /* its places are its own once it is resized */
    for (int k = 0; k < f->nargs; k++)
        TS_CHECK(f->args[k].kind != TS_ARG_TENSOR || f->args[k].tensor != out,
                 TS_ERR_RUNTIME, "tensors/C1",
                 "%s: out is the argument %s, and not of the broadcast shape",
                 f->op->name, f->op->params[k].name);
    return check_written(f, out, -1);
}

static ts_status resize(const ts_frame *f, ts_tensor *out, int ndim, const int64_t *sizes,
                        const int64_t *strides)
{
    if (out->numel > 0 && !(f->flags & TS_FRAME_QUIET))
        ts_warn("tensors/S12", "%s: an out tensor with elements was resized",
                f->op->name);
    TS_TRY(tsi_resize(out, ndim, sizes));
    if (strides) {
        memcpy(out->strides, strides, (size_t)ndim * sizeof *strides);
        tsi_forget_geometry(out);
    }
    return TS_OK;
}

static inline ts_status resize_out(const ts_frame *f, ts_tensor *out, int ndim,
                                   const int64_t *sizes, const int64_t *strides)
{
    return out->ndim == ndim && tsi_equal_sizes(ndim, out->sizes, sizes)
               ? TS_OK
               : resize(f, out, ndim, sizes, strides);
}

static ts_status run(ts_frame *f);

static ts_status copy_into(ts_tensor *dst, ts_tensor *src)
{
    ts_lines it;

    if (dst->device.type == TS_ACCEL) {
        const ts_op *copy = ts_op_find("copy");
        ts_frame f;
        ts_status s;

        TS_TRY(ts_frame_open(&f, copy, TS_INPLACE));
        f.flags |= TS_FRAME_OVERLAP_OK; /* decided where the op itself was checked */
        f.args[0] = (ts_value){.kind = TS_ARG_TENSOR, .tensor = dst};
        f.args[1] = (ts_value){.kind = TS_ARG_TENSOR, .tensor = src};
        s = run(&f);
        ts_release(f.results[0]);
        ts_frame_close(&f);
        return s;
    }
    if (!dst->data)
        return TS_OK;
    for (ts_lines_pointwise(&it, dst, 2, (ts_tensor *[]){dst, src}); ts_lines_next(&it);)
        for (int64_t i = 0; i < it.n; i++)
            tse_convert(src->dtype, tse_at(src, it.at[1] + i * it.step[1]), dst->dtype,
                        tse_at(dst, it.at[0] + i * it.step[0]));
    return TS_OK;
}

static ts_status allocate(ts_frame *f, int i)
{
    const ts_meta *m = &f->meta[i];

    return ts_tensor_new_strided(m->device, m->dtype, m->ndim, m->sizes,
                                 m->strided ? m->strides : NULL, &f->results[i]);
}

static void drop_results(ts_frame *f)
{
    for (int i = 0; i < f->nresults; i++) {
        ts_release(f->results[i]);
        f->results[i] = NULL;
    }
}

/* Results made apart (by a program, or because out overlaps an input) go into the
 * caller's. */
static ts_status deliver(ts_frame *f, ts_tensor *const *into)
{
    for (int i = 0; i < f->nresults; i++) {
        ts_tensor *r = f->results[i];

        if (f->form == TS_OUT)
            TS_TRY(resize_out(f, into[i], r->ndim, r->sizes,
                              f->flags & TS_FRAME_UNKNOWN ? r->strides : NULL));
        TS_TRY(copy_into(into[i], r));
        tsi_bump_version(into[i]);
        ts_release(r);
        f->results[i] = ts_retain(into[i]);
    }
    return TS_OK;
}

static void meta_of(ts_meta *m, const ts_tensor *t)
{
    m->dtype = t->dtype;
    m->device = t->device;
    m->ndim = t->ndim;
    memcpy(m->sizes, t->sizes, (size_t)t->ndim * sizeof *t->sizes);
}

/* A program knows nothing of forms: it runs as a function, and the dispatcher writes. One
 * that gives a list writes in place itself, tensor by tensor. */
ts_status tsi_program_run(ts_frame *f)
{
    const ts_form form = f->form;
    ts_tensor *const *into = form == TS_INPLACE ? &f->args[0].tensor : f->out;
    ts_status s;

    if (form == TS_FUNCTIONAL || f->op->list_result)
        return f->op->program(f);
    f->form = TS_FUNCTIONAL;
    s = f->op->program(f);
    f->form = form;
    for (int i = 0; s == TS_OK && i < f->nresults; i++) {
        meta_of(&f->meta[i], f->results[i]);
        s = form == TS_INPLACE ? check_inplace(f) : check_out(f, i, into[i]);
    }
    return s == TS_OK ? deliver(f, into) : s;
}

static bool out_has_history(const ts_frame *f)
{
    for (int i = 0; i < f->nresults; i++)
        if (f->out[i] && has_history(f->out[i]))
            return true;
    return false;
}

static bool out_meets_input(const ts_frame *f, const ts_tensor *out)
{
    for (int i = 0; i < f->nargs; i++) {
        if (f->args[i].kind == TS_ARG_TENSOR &&
            tsi_overlap_of(out, f->args[i].tensor) != TSI_OVERLAP_NONE)
            return true;
        for (int64_t k = 0; f->args[i].kind == TS_ARG_TENSORS && k < f->args[i].tensors.n;
             k++)
            if (tsi_overlap_of(out, f->args[i].tensors.v[k]) != TSI_OVERLAP_NONE)
                return true;
    }
    return false;
}

/* What a kernel is to make itself, its sizes being known only now. */
static ts_status make_result(const ts_kernel_call *call, int i, ts_dtype dtype, int ndim,
                             const int64_t *sizes, const int64_t *strides,
                             ts_tensor **out)
{
    ts_frame *f = call->runtime;

    TS_CHECK(i >= 0 && i < f->nresults && !f->results[i], TS_ERR_RUNTIME, NULL,
             "%s: result %d is not for the kernel to make", f->op->name, i);
    TS_TRY(ts_tensor_new_strided(f->op->scalar_result ? (ts_device){TS_CPU, 0}
                                                      : call->device,
                                 dtype, ndim, sizes, strides, &f->results[i]));
    *out = f->results[i];
    return TS_OK;
}

static const ts_host host = {sizeof(ts_host), TS_BACKEND_ABI, ts_fail};

static inline void call_of(ts_kernel_call *c, ts_frame *f)
{
    const ts_tensor *of =
        f->nresults > 0 && f->results[0] ? f->results[0] : tsi_tensor(f, 0);

    c->size = sizeof *c;
    c->op = f->op->name;
    c->op_id = f->op->id;
    c->form = f->form;
    c->compute = f->compute;
    c->nargs = f->nargs;
    c->nresults = f->nresults;
    c->args = f->args;
    c->results = f->results;
    c->device = of ? of->device : (ts_device){TS_CPU, 0};
    c->stream = NULL;
    c->host = &host;
    c->make_result = make_result;
    c->runtime = f;
    c->generator = NULL;
    if (f->op->generator > 0) { /* no op has it first */
        const ts_value *g = &f->args[f->op->generator];

        c->generator =
            g->kind == TS_ARG_GENERATOR ? g->generator : ts_default_generator();
    }
}

void tsi_call_of(ts_kernel_call *c, ts_frame *f)
{
    call_of(c, f);
}

/* The dtype of the first tensor among the arguments, for messages. */
static const char *dtype_of_call(const ts_frame *f)
{
    for (int i = 0; i < f->nargs; i++)
        if (f->args[i].kind == TS_ARG_TENSOR && f->args[i].tensor)
            return ts_dtype_name(f->args[i].tensor->dtype);
    return "no dtype";
}

ts_status tsi_kernel_status(const ts_frame *f, ts_device_type device, ts_status s)
{
    if (s != TS_ERR_UNSUPPORTED)
        return s;
    return ts_fail(s, NULL, "%s: %s does not serve this call in %s", f->op->name,
                   tsi_backend_name(device), dtype_of_call(f));
}

/* The tensor that an op reads on another device than it writes, if there is one. */
static ts_tensor *from_elsewhere(const ts_frame *f)
{
    for (int i = 0; i < f->nargs; i++) {
        ts_tensor *t = tsi_tensor(f, i);

        if (t && !tsi_same_device(t->device, f->results[0]->device))
            return t;
    }
    return NULL;
}

/* A copy between the host and a device makes the host wait unless it is non_blocking
 * (exec/S17); between two devices it is work like any other. */
static ts_status copy_synchronises(const ts_frame *f, const ts_tensor *from)
{
    if (from->device.type == f->results[0]->device.type)
        return TS_OK;
    for (int i = 0; i < f->nargs; i++)
        if (f->args[i].kind == TS_ARG_BOOL && f->args[i].b &&
            strcmp(f->op->params[i].name, "non_blocking") == 0)
            return TS_OK;
    return tsi_rooms.sync_point(f->op->name);
}

static ts_status launch(ts_frame *f, ts_device_type device, ts_kernel kernel, bool assist)
{
    if (f->op->crosses_devices && f->results[0]) {
        ts_tensor *elsewhere = from_elsewhere(f);

        if (elsewhere) {
            TS_TRY(copy_synchronises(f, elsewhere));
            return tsi_rooms.transfer(f->results[0], elsewhere);
        }
    }
    if (device == TS_ACCEL)
        return tsi_rooms.accel_launch(f, kernel, assist);

    ts_kernel_call call;

    tsi_backend_count(device, assist);
    call_of(&call, f);
    return tsi_kernel_status(f, device, kernel(&call));
}

/* The kernel writes the caller's own tensors. */
static ts_status run_out_direct(ts_frame *f, ts_device_type device, ts_kernel kernel,
                                bool assist)
{
    for (int i = 0; i < f->nresults; i++) {
        const ts_meta *m = &f->meta[i];

        TS_TRY(
            resize_out(f, f->out[i], m->ndim, m->sizes, m->strided ? m->strides : NULL));
        f->results[i] = ts_retain(f->out[i]);
    }
    if (device != TS_META)
        TS_TRY(launch(f, device, kernel, assist));
    for (int i = 0; i < f->nresults; i++)
        tsi_bump_version(f->results[i]);
    return TS_OK;
}

static ts_status run_out_apart(ts_frame *f, ts_device_type device, ts_kernel kernel,
                               bool assist)
{
    const bool unknown = f->flags & TS_FRAME_UNKNOWN;

    for (int i = 0; i < f->nresults && !unknown; i++)
        TS_TRY(allocate(f, i));
    if (device != TS_META)
        TS_TRY(launch(f, device, kernel, assist));
    for (int i = 0; i < f->nresults; i++) {
        meta_of(&f->meta[i], f->results[i]);
        if (unknown)
            TS_TRY(check_out(f, i, f->out[i]));
    }
    return deliver(f, f->out);
}

/* The out form: write straight into the caller's tensors, or through results made apart.
 */
static ts_status run_out(ts_frame *f, ts_device_type device, ts_kernel kernel,
                         bool assist)
{
    bool apart = f->flags & TS_FRAME_UNKNOWN;

    for (int i = 0; i < f->nresults && !(f->flags & TS_FRAME_UNKNOWN); i++) {
        TS_TRY(check_out(f, i, f->out[i]));
        apart |= !(f->flags & TS_FRAME_POINTWISE) &&
                 (out_meets_input(f, f->out[i]) || f->out[i]->dtype != f->meta[i].dtype);
    }
    return apart ? run_out_apart(f, device, kernel, assist)
                 : run_out_direct(f, device, kernel, assist);
}

/* The kernel that takes this call, or NULL; *assist says whose it is. */
static ts_kernel serving(ts_frame *f, ts_device_type device, bool *assist)
{
    const tsi_kernel_slot *slot = tsi_kernel_find(device, f->op);

    if (!slot)
        return NULL;
    if (slot->kernel && slot->supports) {
        ts_kernel_call call;

        tsi_call_of(&call, f);
        call.device.type = device;
        call.results = f->form == TS_OUT       ? f->out
                       : f->form == TS_INPLACE ? &f->args[0].tensor
                                               : f->results;
        if (slot->supports(&call))
            return slot->kernel;
        tsi_self()->counts.declined++;
        *assist = true;
        return slot->assist;
    }
    *assist = !slot->kernel;
    return slot->kernel ? slot->kernel : slot->assist;
}

static ts_status run_kernel(ts_frame *f)
{
    const bool unknown = f->flags & TS_FRAME_UNKNOWN;
    const ts_device_type device =
        unknown ? tsi_tensor(f, 0)->device.type : f->meta[0].device.type;
    bool assist = false;
    ts_kernel kernel = NULL;

    if (device == TS_META) {
        TS_CHECK(!unknown, TS_ERR_NOT_IMPLEMENTED, "errors/C4",
                 "%s: the result's size depends on data, which a meta tensor has not",
                 f->op->name);
    } else {
        kernel = serving(f, device, &assist);
        if (!kernel && f->op->kind == TS_OPTIONAL)
            return tsi_program_run(f);
        TS_CHECK(kernel, TS_ERR_UNSUPPORTED, NULL, "%s: %s has no kernel for it",
                 f->op->name, tsi_backend_name(device));
    }
    if (f->form == TS_OUT)
        return run_out(f, device, kernel, assist);
    if (f->form == TS_INPLACE) {
        TS_TRY(check_inplace(f));
        f->results[0] = ts_retain(f->args[0].tensor);
    }
    for (int i = f->form == TS_INPLACE; i < f->nresults && !unknown; i++)
        TS_TRY(allocate(f, i));
    if (kernel)
        TS_TRY(launch(f, device, kernel, assist));
    if (f->form == TS_INPLACE)
        tsi_bump_version(f->results[0]);
    return TS_OK;
}

static ts_status run_view(ts_frame *f)
{
    for (int i = 0; i < f->nresults; i++) {
        const ts_meta *m = &f->meta[i];

        if (f->flags & TS_FRAME_BOUNDS)
            TS_TRY(tsi_view_new(tsi_tensor(f, 0), m->dtype, m->ndim, m->sizes, m->strides,
                                m->offset, &f->results[i]));
        else
            TS_TRY(tsi_view_inside(tsi_tensor(f, 0), m, &f->results[i]));
    }
    return TS_OK;
}

/* Below every layer; the arguments were looked at. */
static ts_status run_looked_at(ts_frame *f)
{
    TS_TRY(f->op->api(f));
    return f->op->kind == TS_VIEW ? run_view(f) : run_kernel(f);
}

static ts_status run(ts_frame *f)
{
    bool plain;

    TS_TRY(look(f, &plain));
    return run_looked_at(f);
}

static ts_status enter(unsigned mask, ts_frame *f)
{
    for (int layer = TSI_LAYER_PROFILER + 1; mask && layer < TSI_LAYER_COUNT; layer++)
        if (mask & 1u << layer && layers[layer])
            return layers[layer](f);
    return run(f);
}

static ts_status call(tsi_thread *t, ts_frame *f);

ts_status tsi_call_below(tsi_layer layer, ts_frame *f)
{
    tsi_thread *t = tsi_self();
    const unsigned before = t->layers;
    ts_status s;

    if (layer == TSI_LAYER_PROFILER) /* stays on: it sees what calls call */
        return call(t, f);
    t->layers = before & (~((2u << layer) - 1) | 1u << TSI_LAYER_PROFILER);
    s = enter(t->layers, f);
    t->layers = before;
    return s;
}

/* A view that remembers where it comes from, with or without a history (autograd/C18). */
static bool is_marked(const ts_frame *f)
{
    return f->op->list_result || tsi_of(tsi_tensor(f, 0))->view_origin != TSI_VIEW_PLAIN;
}

/* Below the profiler, which programs do not pass by. */
static ts_status call(tsi_thread *t, ts_frame *f)
{
    bool plain = false;

    if (f->op->kind == TS_COMPOSITE) { /* its parts go through the layers, not itself */
        if (t->layers & TRANSFORM && f->op->factory) /* a level owns what is made in it */
            return layers[TSI_LAYER_TRANSFORM](f);
        if (f->form == TS_OUT && t->layers & AUTOGRAD)
            TS_TRY(tsi_rooms.autograd_check_out(f));
        return t->layers & 1u << TSI_LAYER_AUTOCAST /* whose lists have programs too */
                   ? layers[TSI_LAYER_AUTOCAST](f)
                   : tsi_program_run(f);
    }
    if (t->layers & ~AUTOGRAD)
        return enter(t->layers, f);
    TS_TRY(look(f, &plain)); /* the short path: no layer has anything to do */
    if (plain && f->form == TS_OUT)
        plain = !out_has_history(f);
    if (plain && (f->op->kind != TS_VIEW || (t->grad_enabled && !is_marked(f))))
        return run_looked_at(f);
    return enter(t->layers, f);
}

TS_COLD static ts_status refuse_form(const ts_frame *f)
{
    return ts_fail(TS_ERR_TYPE, NULL, "%s has no %s form", f->op->name,
                   f->form == TS_INPLACE ? "in-place"
                   : f->form == TS_OUT   ? "out"
                                         : "plain");
}

ts_status ts_call(ts_frame *f)
{
    tsi_thread *t = tsi_self();
    ts_status s;

    if (!(f->op->forms & TS_FORM_BIT(f->form)))
        return refuse_form(f);
    s = t->layers & 1u << TSI_LAYER_PROFILER ? layers[TSI_LAYER_PROFILER](f) : call(t, f);
    if (s != TS_OK)
        drop_results(f);
    return s;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The one dispatch point: layers, then program, view, meta or kernel. */
#include "core/dispatch.h"

#include "core/backend.h"
#include "core/overlap.h"
#include "device/device.h"
#include "touchstone/graph.h"

static tsi_layer_fn layers[TSI_LAYER_COUNT] = {[TSI_LAYER_AUTOGRAD] = tsi_autograd_layer};
static _Thread_local unsigned layer_mask = 1u << TSI_LAYER_AUTOGRAD;
static _Thread_local ts_device default_device = {TS_CPU, 0};

void tsi_layer_set(tsi_layer layer, tsi_layer_fn fn)
{
    layers[layer] = fn;
}

unsigned tsi_layer_mask(void)
{
    return layer_mask;
}

unsigned tsi_layer_set_mask(unsigned mask)
{
    const unsigned before = layer_mask;

    layer_mask = mask;
    return before;
}

ts_device ts_default_device(void)
{
    return tsi_device_settle(default_device);
}

void ts_set_default_device(ts_device device)
{
    default_device = device;
}

static bool is_device_arg(const ts_value *v, ts_device *device)
{
    if (v->kind != TS_ARG_TENSOR || !v->tensor)
        return false;
    if (v->tensor->ndim == 0 && v->tensor->device.type == TS_CPU)
        return false; /* a 0-dim cpu tensor goes with any device, as PyTorch's numbers do
                       */
    *device = v->tensor->device;
    return true;
}

static ts_status check_one_device(const ts_frame *f)
{
    ts_device first = {TS_CPU, 0}, other;
    char here[TSI_DEVICE_TEXT], there[TSI_DEVICE_TEXT];
    int at = -1;

    for (int i = 0; i < f->nargs; i++) {
        if (!is_device_arg(&f->args[i], &other))
            continue;
        if (at < 0) {
            first = other;
            at = i;
        }
        TS_CHECK(tsi_same_device(other, first), TS_ERR_RUNTIME, "errors/C3",
                 "%s: expected all tensors on one device, but %s is on %s and %s on %s",
                 f->op->name, f->op->params[at].name, tsi_device_text(here, first),
                 f->op->params[i].name, tsi_device_text(there, other));
    }
    return TS_OK;
}

/* A tensor about to be written by the op: `t` is self or an out argument. */
static ts_status check_written(const ts_frame *f, const ts_tensor *t, int skip)
{
    if (f->flags & TS_FRAME_OVERLAP_OK)
        return TS_OK;
    TS_CHECK(!tsi_overlaps_itself(t), TS_ERR_RUNTIME, "tensors/C2",
             "%s: more than one element of the written tensor refers to a single memory "
             "location; "
             "clone() it first",
             f->op->name);
    if (!(f->flags & TS_FRAME_POINTWISE))
        return TS_OK;
    for (int i = 0; i < f->nargs; i++)
        TS_CHECK(
            i == skip || f->args[i].kind != TS_ARG_TENSOR ||
                tsi_overlap_of(t, f->args[i].tensor) != TSI_OVERLAP_PARTIAL,
            TS_ERR_RUNTIME, "tensors/C3",
            "%s: the written tensor partly overlaps the argument %s; clone() it first",
            f->op->name, f->op->params[i].name);
    return TS_OK;
}

static ts_status check_inplace(ts_frame *f)
{
    ts_tensor *self = tsi_tensor(f, 0);
    const ts_meta *m = &f->meta[0];
    char want[256], have[256];

    TS_CHECK(m->ndim == self->ndim &&
                 memcmp(m->sizes, self->sizes, (size_t)m->ndim * sizeof *m->sizes) == 0,
             TS_ERR_RUNTIME, "tensors/C1",
             "%s_: self of sizes %s does not match the broadcast shape %s", f->op->name,
             tsi_sizes_text(have, sizeof have, self->ndim, self->sizes),
             tsi_sizes_text(want, sizeof want, m->ndim, m->sizes));
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
        TS_CHECK(ts_can_cast(m->dtype, out->dtype), TS_ERR_RUNTIME, "promotion/C1",
                 "%s: result type %s can't be cast to out's %s", f->op->name,
                 ts_dtype_name(m->dtype), ts_dtype_name(out->dtype));
    else
        TS_CHECK(m->dtype == out->dtype, TS_ERR_RUNTIME, "tensors/C4",
                 "%s: out is expected to be %s, but is %s", f->op->name,
                 ts_dtype_name(m->dtype), ts_dtype_name(out->dtype));
    return check_written(f, out, -1);
}

static ts_status resize_out(const ts_frame *f, ts_tensor *out, int ndim,
                            const int64_t *sizes, const int64_t *strides)
{
    if (out->ndim == ndim && memcmp(out->sizes, sizes, (size_t)ndim * sizeof *sizes) == 0)
        return TS_OK;
    if (out->numel > 0)
        ts_warn("tensors/S12", "%s: an out tensor with elements was resized",
                f->op->name);
    TS_TRY(tsi_resize(out, ndim, sizes));
    if (strides)
        memcpy(out->strides, strides, (size_t)ndim * sizeof *strides);
    return TS_OK;
}

static ts_status run(ts_frame *f);

static ts_status copy_into(ts_tensor *dst, ts_tensor *src)
{
    ts_frame f;
    tsi_iter it;

    if (dst->device.type == TS_ACCEL) {
        ts_frame_init(&f, ts_op_find("copy"), TS_INPLACE);
        f.flags |= TS_FRAME_OVERLAP_OK; /* decided where the op itself was checked */
        f.args[0] = (ts_value){.kind = TS_ARG_TENSOR, .tensor = dst};
        f.args[1] = (ts_value){.kind = TS_ARG_TENSOR, .tensor = src};
        TS_TRY(run(&f));
        ts_release(f.results[0]);
        return TS_OK;
    }
    if (!dst->data)
        return TS_OK;
    for (tsi_iter_pointwise(&it, dst, 2, (ts_tensor *[]){dst, src}); tsi_iter_next(&it);)
        for (int64_t i = 0; i < it.n; i++)
            ts_cast(src->dtype, tsi_at(src, it.at[1] + i * it.step[1]), dst->dtype,
                    tsi_at(dst, it.at[0] + i * it.step[0]));
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
    for (int i = 0; i < TS_MAX_RESULTS; i++) {
        ts_release(f->results[i]);
        f->results[i] = NULL;
    }
}

/* Results made apart (by a program, or because out overlaps an input) go into the
 * caller's. */
static ts_status deliver(ts_frame *f, ts_tensor *const *into)
{
    for (int i = 0; i < f->op->nresults; i++) {
        ts_tensor *r = f->results[i];

        if (f->form == TS_OUT)
            TS_TRY(resize_out(f, into[i], r->ndim, r->sizes, NULL));
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

/* A program knows nothing of forms: it runs as a function, and the dispatcher writes. */
ts_status tsi_program_run(ts_frame *f)
{
    const ts_form form = f->form;
    ts_tensor *into[TS_MAX_RESULTS];
    ts_status s;

    if (form == TS_FUNCTIONAL)
        return f->op->program(f);
    for (int i = 0; i < f->op->nresults; i++)
        into[i] = form == TS_INPLACE ? f->args[0].tensor : f->out[i];
    f->form = TS_FUNCTIONAL;
    s = f->op->program(f);
    f->form = form;
    for (int i = 0; s == TS_OK && i < f->op->nresults; i++) {
        meta_of(&f->meta[i], f->results[i]);
        s = form == TS_INPLACE ? check_inplace(f) : check_out(f, i, into[i]);
    }
    return s == TS_OK ? deliver(f, into) : s;
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

/* The tensor that an op reads on another device than it writes, if there is one. */
static ts_tensor *from_elsewhere(const ts_frame *f)
{
    for (int i = 0; f->op->crosses_devices && i < f->nargs; i++) {
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
    return ts_sync_point(f->op->name);
}

/* The dtype of the first tensor among the arguments, for messages and claims. */
static const char *dtype_of_call(const ts_frame *f)
{
    for (int i = 0; i < f->nargs; i++)
        if (f->args[i].kind == TS_ARG_TENSOR && f->args[i].tensor)
            return ts_dtype_name(f->args[i].tensor->dtype);
    return "no dtype";
}

static ts_status launch_here(ts_frame *f, ts_device_type device, ts_kernel kernel,
                             bool assist)
{
    const ts_driver *driver = device == TS_ACCEL ? ts_accel_driver() : NULL;
    ts_tensor *elsewhere = from_elsewhere(f);

    if (elsewhere) {
        TS_TRY(copy_synchronises(f, elsewhere));
        return tsi_transfer(f->results[0], elsewhere);
    }
    if (device == TS_ACCEL && f->op->synchronizing)
        TS_TRY(ts_sync_point(f->op->name));
    if (device == TS_ACCEL && tsi_checking && !(f->flags & TS_FRAME_UNKNOWN))
        TS_TRY(tsi_check_launch(f, ts_stream_current()));
    tsi_backend_count(device, assist);
    if (driver && !driver->launch && assist) { /* a host kernel beside a device's own */
        TS_CHECK((f->flags & TS_FRAME_UNKNOWN) || !ts_stream_is_capturing(),
                 TS_ERR_UNSUPPORTED, NULL,
                 "%s: a capture can't hold a kernel of the host", f->op->name);
        return tsi_run_on_host(f, kernel);
    }
    if (!driver || !driver->launch) {
        const ts_status s = kernel(f);

        if (s == TS_ERR_UNSUPPORTED)
            return ts_fail(s, NULL, "%s: %s does not serve this call in %s", f->op->name,
                           tsi_backend_name(device), dtype_of_call(f));
        return s;
    }
    if (f->flags & TS_FRAME_UNKNOWN)
        return tsi_run_on_host(f, kernel);
    return driver->launch(ts_accel_device(), kernel, f,
                          ts_stream_handle(ts_stream_current()));
}

/* The accelerator that a call works on: its result's, else its first argument's there. */
static int accel_of(const ts_frame *f)
{
    if (f->results[0] && f->results[0]->device.type == TS_ACCEL)
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
static ts_status launch(ts_frame *f, ts_device_type device, ts_kernel kernel, bool assist)
{
    int before;
    ts_status s;

    if (device != TS_ACCEL)
        return launch_here(f, device, kernel, assist);
    before = tsi_device_swap(accel_of(f));
    s = launch_here(f, device, kernel, assist);
    (void)tsi_device_swap(before);
    return s;
}

/* The out form: write straight into the caller's tensors, or through results made apart.
 */
static ts_status run_out(ts_frame *f, ts_device_type device, ts_kernel kernel,
                         bool assist)
{
    bool apart = f->flags & TS_FRAME_UNKNOWN;
    ts_status s = TS_OK;

    for (int i = 0; i < f->op->nresults; i++) {
        if (f->flags & TS_FRAME_UNKNOWN)
            continue;
        TS_TRY(check_out(f, i, f->out[i]));
        apart |= !(f->flags & TS_FRAME_POINTWISE) &&
                 (out_meets_input(f, f->out[i]) || f->out[i]->dtype != f->meta[i].dtype);
    }
    for (int i = 0; s == TS_OK && i < f->op->nresults && !(f->flags & TS_FRAME_UNKNOWN);
         i++) {
        const ts_meta *m = &f->meta[i];

        if (apart)
            s = allocate(f, i);
        else
            s = resize_out(f, f->out[i], m->ndim, m->sizes,
                           m->strided ? m->strides : NULL);
        if (!apart)
            f->results[i] = ts_retain(f->out[i]);
    }
    if (s == TS_OK && device != TS_META)
        s = launch(f, device, kernel, assist);
    for (int i = 0; s == TS_OK && apart && i < f->op->nresults; i++) {
        meta_of(&f->meta[i], f->results[i]);
        if (f->flags & TS_FRAME_UNKNOWN)
            s = check_out(f, i, f->out[i]);
    }
    if (s == TS_OK && apart)
        return deliver(f, f->out);
    for (int i = 0; s == TS_OK && i < f->op->nresults; i++)
        tsi_bump_version(f->results[i]);
    return s;
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
        kernel = tsi_kernel_find(device, f->op, &assist);
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
    for (int i = f->form == TS_INPLACE; i < f->op->nresults && !unknown; i++)
        TS_TRY(allocate(f, i));
    if (kernel)
        TS_TRY(launch(f, device, kernel, assist));
    if (f->form == TS_INPLACE)
        tsi_bump_version(f->results[0]);
    return TS_OK;
}

static ts_status run_view(ts_frame *f)
{
    const ts_meta *m = &f->meta[0];

    return tsi_view_new(tsi_tensor(f, 0), m->dtype, m->ndim, m->sizes, m->strides,
                        m->offset, &f->results[0]);
}

/* A caller of the C interface may pass NULL for a tensor that the op needs. */
static ts_status check_present(const ts_frame *f)
{
    for (int i = 0; i < f->op->nparams; i++) {
        const ts_param *p = &f->op->params[i];

        TS_CHECK(p->kind != TS_ARG_TENSOR || p->optional || tsi_tensor(f, i), TS_ERR_TYPE,
                 "errors/C2", "%s: argument %s must be a tensor, not NULL", f->op->name,
                 p->name);
    }
    return TS_OK;
}

/* Below every layer. */
static ts_status run(ts_frame *f)
{
    ts_status s;

    TS_TRY(check_present(f));
    if (!f->op->crosses_devices)
        TS_TRY(check_one_device(f));
    s = f->op->api(f);
    if (s == TS_OK)
        s = f->op->kind == TS_VIEW ? run_view(f) : run_kernel(f);
    return s;
}

static ts_status enter(unsigned mask, ts_frame *f)
{
    for (int layer = TSI_LAYER_PROFILER + 1; mask && layer < TSI_LAYER_COUNT; layer++)
        if (mask & 1u << layer && layers[layer])
            return layers[layer](f);
    return run(f);
}

static ts_status call(ts_frame *f);

ts_status tsi_call_below(tsi_layer layer, ts_frame *f)
{
    unsigned before, mask;
    ts_status s;

    if (layer == TSI_LAYER_PROFILER) /* stays on: it sees what calls call */
        return call(f);
    mask = layer_mask & (~((2u << layer) - 1) | 1u << TSI_LAYER_PROFILER);
    before = tsi_layer_set_mask(mask);
    s = enter(mask, f);
    layer_mask = before;
    return s;
}

/* Below the profiler, which programs do not pass by. */
static ts_status call(ts_frame *f)
{
    if (f->op->kind == TS_COMPOSITE) { /* its parts go through the layers, not itself */
        if (f->form == TS_OUT && layer_mask & 1u << TSI_LAYER_AUTOGRAD)
            TS_TRY(tsi_autograd_check_out(f));
        return layer_mask & 1u << TSI_LAYER_AUTOCAST /* whose lists have programs too */
                   ? layers[TSI_LAYER_AUTOCAST](f)
                   : tsi_program_run(f);
    }
    return enter(layer_mask, f);
}

ts_status ts_call(ts_frame *f)
{
    ts_status s;

    TS_CHECK(f->op->forms & TS_FORM_BIT(f->form), TS_ERR_TYPE, NULL, "%s has no %s form",
             f->op->name,
             f->form == TS_INPLACE ? "in-place"
             : f->form == TS_OUT   ? "out"
                                   : "plain");
    for (int i = 0; i < f->nargs; i++)
        if (f->args[i].kind == TS_ARG_DEVICE)
            f->args[i].device = tsi_device_settle(f->args[i].device);
    s = layer_mask & 1u << TSI_LAYER_PROFILER ? layers[TSI_LAYER_PROFILER](f) : call(f);
    if (s != TS_OK)
        drop_results(f);
    return s;
}

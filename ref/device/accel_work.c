/* SPDX-License-Identifier: Apache-2.0 */
/* What work the software accelerator knows: copies, fills, and host kernels on device
 * memory. */
#include <stdlib.h>

#include "device/accel.h"
#include "touchstone/device.h"

/* --- copies and fills
 * ------------------------------------------------------------------------- */

typedef struct transfer {
    tsi_work work;
    int to_device, from_device; /* whose addresses these are */
    ts_copy_kind kind;
    void *dst;
    const void *src;
    int byte; /* of a fill; the source of a copy otherwise */
    size_t bytes;
} transfer;

static void work_free(tsi_work *w)
{
    free(w);
}

static ts_status resolve(int device, const void *p, size_t bytes, const char *what,
                         void **out)
{
    *out = tsi_accel_resolve(device, (ts_devptr)(uintptr_t)p, bytes);
    TS_CHECK(*out || bytes == 0, TS_ERR_RUNTIME, NULL,
             "illegal device address: %s reaches %zu bytes that are not all there for "
             "accel:%d",
             what, bytes, device);
    return TS_OK;
}

static ts_status copy_run(tsi_work *w)
{
    const transfer *t = (const transfer *)w;
    void *dst = t->dst, *src = (void *)(uintptr_t)t->src;

    if (t->kind != TS_DEVICE_TO_HOST)
        TS_TRY(resolve(t->to_device, t->dst, t->bytes, "a copy's destination", &dst));
    if (t->kind != TS_HOST_TO_DEVICE)
        TS_TRY(resolve(t->from_device, t->src, t->bytes, "a copy's source", &src));
    if (t->bytes)
        memmove(dst, src, t->bytes);
    return TS_OK;
}

static ts_status fill_run(tsi_work *w)
{
    const transfer *t = (const transfer *)w;
    void *dst;

    TS_TRY(resolve(w->device, t->dst, t->bytes, "a fill", &dst));
    if (t->bytes)
        memset(dst, t->byte, t->bytes);
    return TS_OK;
}

static ts_status submit(transfer t, int device, tsd_stream *s)
{
    transfer *w = malloc(sizeof *w);

    TS_CHECK(w, TS_ERR_OUT_OF_MEMORY, NULL, "no memory for work on a stream");
    *w = t;
    w->work.destroy = work_free;
    return tsi_accel_submit(device, s, &w->work);
}

ts_status tsi_accel_copy(int device, void *dst, const void *src, size_t bytes,
                         ts_copy_kind kind, tsd_stream *s)
{
    static const char *const names[] = {"Memcpy HtoD", "Memcpy DtoH", "Memcpy DtoD"};

    return submit(
        (transfer){
            .work = {.run = copy_run,
                     .name = names[kind],
                     .kind = TS_EVENT_COPY,
                     .bytes = bytes},
            .to_device = device,
            .from_device = device,
            .kind = kind,
            .dst = dst,
            .src = src,
            .bytes = bytes,
        },
        device, s);
}

ts_status tsi_accel_peer_copy(int to_device, ts_devptr to, int from_device,
                              ts_devptr from, size_t bytes, tsd_stream *s)
{
    TS_TRY(tsi_accel_check(to_device));
    return submit(
        (transfer){
            .work = {.run = copy_run,
                     .name = "Memcpy PtoP",
                     .kind = TS_EVENT_COPY,
                     .bytes = bytes},
            .to_device = to_device,
            .from_device = from_device,
            .kind = TS_DEVICE_TO_DEVICE,
            .dst = (void *)(uintptr_t)to,
            .src = (const void *)(uintptr_t)from,
            .bytes = bytes,
        },
        from_device, s);
}

ts_status tsi_accel_fill(int device, ts_devptr p, int byte, size_t bytes, tsd_stream *s)
{
    return submit(
        (transfer){
            .work = {.run = fill_run,
                     .name = "Memset",
                     .kind = TS_EVENT_FILL,
                     .bytes = bytes},
            .kind = TS_DEVICE_TO_DEVICE,
            .dst = (void *)(uintptr_t)p,
            .byte = byte,
            .bytes = bytes,
        },
        device, s);
}

/* --- kernels
 * -------------------------------------------------------------------------------- */

/*
 * A kernel and its frame. Tensors are copied as headers alone: work does not keep memory
 * alive, as on a GPU; whoever frees a block while work on another stream still needs it
 * makes a race.
 */
typedef struct kernel_work {
    tsi_work work;
    ts_status (*kernel)(ts_frame *f);
    ts_frame frame;
    int ntensors;
    ts_tensor *tensors; /* the copies: to the kernel they are host memory */
    struct held {
        void *address; /* on the device; NULL for a number that came from the host */
        uint64_t cell; /* that number */
    } * held;
    ts_tensor **lists; /* storage of Tensor[] arguments */
    int64_t *ints;     /* storage of int[] arguments */
    char *strings[TS_MAX_ARGS];
} kernel_work;

static ts_tensor *hold(kernel_work *k, const ts_tensor *from)
{
    struct held *h = &k->held[k->ntensors];
    ts_tensor *to = &k->tensors[k->ntensors++];

    *to = *from;
    if (from->device.type == TS_ACCEL) {
        h->address = from->data;
    } else {
        if (from->numel > 0)
            memcpy(&h->cell, from->data, (size_t)ts_dtype_size(from->dtype));
        to->data = &h->cell;
    }
    to->device = (ts_device){TS_CPU, 0};
    to->refs = 1;
    to->autograd = NULL;
    to->base = NULL;
    to->storage = NULL;
    to->version = NULL;
    if (from->sizes == from->dims) {
        to->sizes = to->dims;
        to->strides = to->dims + TS_INLINE_DIMS;
    } else {
        to->sizes = malloc(2 * (size_t)from->ndim * sizeof *to->sizes);
        if (to->sizes) {
            memcpy(to->sizes, from->sizes, (size_t)from->ndim * sizeof *to->sizes);
            to->strides = to->sizes + from->ndim;
            memcpy(to->strides, from->strides, (size_t)from->ndim * sizeof *to->sizes);
        }
    }
    return to;
}

static void kernel_free(tsi_work *w)
{
    kernel_work *k = (kernel_work *)w;

    for (int i = 0; i < k->ntensors; i++)
        if (k->tensors[i].sizes != k->tensors[i].dims)
            free(k->tensors[i].sizes);
    free(k->tensors);
    free(k->held);
    free(k->lists);
    free(k->ints);
    for (int i = 0; i < TS_MAX_ARGS; i++)
        free(k->strings[i]);
    free(k);
}

/* Bytes from data to the end of the last element; 0 when empty. */
static size_t reach(const ts_tensor *t)
{
    int64_t last = 0;

    if (t->numel == 0)
        return 0;
    for (int d = 0; d < t->ndim; d++)
        last += (t->sizes[d] - 1) * t->strides[d];
    return (size_t)(last + 1) * (size_t)ts_dtype_size(t->dtype);
}

static ts_status kernel_run(tsi_work *w)
{
    kernel_work *k = (kernel_work *)w;
    ts_frame f = k->frame;
    ts_status s = TS_OK;

    for (int i = 0; s == TS_OK && i < k->ntensors; i++)
        if (k->held[i].address)
            s = resolve(w->device, k->held[i].address, reach(&k->tensors[i]), f.op->name,
                        &k->tensors[i].data);
    return s == TS_OK ? k->kernel(&f) : s;
}

static int count_tensors(const ts_frame *f, int64_t *listed, int64_t *ints)
{
    int n = f->op->nresults;

    *listed = *ints = 0;
    for (int i = 0; i < f->nargs; i++) {
        n += f->args[i].kind == TS_ARG_TENSOR;
        if (f->args[i].kind == TS_ARG_TENSORS)
            *listed += f->args[i].tensors.n;
        if (f->args[i].kind == TS_ARG_INTS)
            *ints += f->args[i].ints.n;
    }
    return n + (int)*listed;
}

ts_status tsi_accel_launch(int device, ts_status (*kernel)(ts_frame *f),
                           const ts_frame *f, tsd_stream *s)
{
    int64_t listed, nints, at_list = 0, at_int = 0;
    const int n = count_tensors(f, &listed, &nints);
    kernel_work *k = calloc(1, sizeof *k);

    TS_CHECK(k, TS_ERR_OUT_OF_MEMORY, NULL, "no memory for work on a stream");
    k->work = (tsi_work){.run = kernel_run,
                         .destroy = kernel_free,
                         .name = f->op->name,
                         .kind = TS_EVENT_KERNEL};
    k->kernel = kernel;
    k->frame = *f;
    k->tensors = calloc((size_t)n + 1, sizeof *k->tensors);
    k->held = calloc((size_t)n + 1, sizeof *k->held);
    k->lists = calloc((size_t)listed + 1, sizeof *k->lists);
    k->ints = calloc((size_t)nints + 1, sizeof *k->ints);
    if (!k->tensors || !k->held || !k->lists || !k->ints) {
        kernel_free(&k->work);
        return ts_fail(TS_ERR_OUT_OF_MEMORY, NULL, "no memory for work on a stream");
    }
    for (int i = 0; i < f->nargs; i++) {
        ts_value *v = &k->frame.args[i];

        if (v->kind == TS_ARG_TENSOR) {
            v->tensor = hold(k, v->tensor);
        } else if (v->kind == TS_ARG_TENSORS) {
            for (int64_t j = 0; j < v->tensors.n; j++)
                k->lists[at_list + j] = hold(k, v->tensors.v[j]);
            v->tensors.v = k->lists + at_list;
            at_list += v->tensors.n;
        } else if (v->kind == TS_ARG_INTS) {
            memcpy(k->ints + at_int, v->ints.v, (size_t)v->ints.n * sizeof *k->ints);
            v->ints.v = k->ints + at_int;
            at_int += v->ints.n;
        } else if (v->kind == TS_ARG_STRING && v->string) {
            k->strings[i] = strdup(v->string); /* the caller's may not outlive the call */
            if (!k->strings[i]) {
                kernel_free(&k->work);
                return ts_fail(TS_ERR_OUT_OF_MEMORY, NULL,
                               "no memory for work on a stream");
            }
            v->string = k->strings[i];
        }
    }
    for (int i = 0; i < f->op->nresults; i++) {
        if (!f->results[i])
            continue;
        k->frame.results[i] = hold(k, f->results[i]);
        for (int a = 0; a < f->nargs; a++) /* in place: the same tensor stays the same */
            if (f->args[a].kind == TS_ARG_TENSOR && f->args[a].tensor == f->results[i])
                k->frame.args[a].tensor = k->frame.results[i];
    }
    return tsi_accel_submit(device, s, &k->work);
}

/* --- work that others bring
 * ----------------------------------------------------------------- */

typedef struct foreign {
    tsi_work work;
    ts_status (*fn)(void *arg);
    void (*release)(void *arg);
    void *arg;
} foreign;

static ts_status foreign_run(tsi_work *w)
{
    const foreign *f = (const foreign *)w;

    return f->fn(f->arg);
}

static void foreign_free(tsi_work *w)
{
    foreign *f = (foreign *)w;

    f->release(f->arg);
    free(f);
}

ts_status ts_software_submit(int device, tsd_stream *s, ts_status (*fn)(void *arg),
                             void (*release)(void *arg), void *arg)
{
    foreign *f = malloc(sizeof *f);

    if (!f) {
        release(arg);
        return ts_fail(TS_ERR_OUT_OF_MEMORY, NULL, "no memory for work on a stream");
    }
    *f = (foreign){.work = {.run = foreign_run, .destroy = foreign_free},
                   .fn = fn,
                   .release = release,
                   .arg = arg};
    return tsi_accel_submit(device, s, &f->work);
}

void *ts_software_resolve(const void *p, size_t bytes)
{
    return tsi_accel_resolve(-1, (ts_devptr)(uintptr_t)p, bytes);
}

void *ts_software_resolve_on(int device, const void *p, size_t bytes)
{
    return tsi_accel_resolve(device, (ts_devptr)(uintptr_t)p, bytes);
}

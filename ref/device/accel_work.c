/* SPDX-License-Identifier: Apache-2.0 */
/* What work the software accelerator knows: copies, fills, and host kernels on device
 * memory. */
#include <stdlib.h>

#include "core/value.h"
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

/* --- kernels --- */

/* A tensor of a call, as a header alone: its numbers follow the work's own memory. */
typedef struct held {
    ts_tensor t;
    void *address; /* on the device; NULL for a number that came from the host */
    uint64_t cell; /* that number */
} held;

/*
 * A kernel and its call. Tensors are copied as headers alone: work does not keep memory
 * alive, as on a GPU; whoever frees a block while work on another stream still needs it
 * makes a race.
 */
typedef struct kernel_work {
    tsi_work work;
    ts_kernel kernel;
    ts_kernel_call call;
    ts_value *args;
    ts_tensor **results;
    int ntensors;
    held *tensors; /* to the kernel they are host memory */
} kernel_work;

static void *take(char **at, size_t bytes)
{
    void *p = *at;

    *at += (bytes + 15) / 16 * 16;
    return p;
}

static size_t room_of(const ts_tensor *t)
{
    return t ? sizeof(held) + (2 * (size_t)t->ndim * sizeof(int64_t) + 15) / 16 * 16 : 0;
}

/* Bytes that take() needs for a copy of the call; *n: how many tensors it has. */
static size_t room_of_call(const ts_kernel_call *c, int *n)
{
    size_t bytes = ((size_t)c->nargs + 1) * sizeof(ts_value) +
                   ((size_t)c->nresults + 1) * sizeof(ts_tensor *) + 64;

    *n = 0;
    for (int i = 0; i < c->nargs; i++) {
        const ts_value *v = &c->args[i];

        bytes += tsi_value_room(v);
        if (v->kind == TS_ARG_TENSOR) {
            bytes += room_of(v->tensor);
            ++*n;
        }
        for (int64_t k = 0; v->kind == TS_ARG_TENSORS && k < v->tensors.n; k++, ++*n)
            bytes += (v->tensors.v[k] ? room_of(v->tensors.v[k]) : 0) +
                     sizeof(ts_tensor *) + 16;
    }
    for (int i = 0; i < c->nresults; i++, ++*n)
        bytes += room_of(c->results[i]);
    return bytes;
}

static ts_tensor *hold(kernel_work *k, const ts_tensor *from, char **at)
{
    const size_t dims = (size_t)from->ndim * sizeof(int64_t);
    held *h = &k->tensors[k->ntensors++];
    ts_tensor *to = &h->t;

    *to = *from;
    if (from->device.type == TS_ACCEL) {
        h->address = from->data;
    } else {
        h->address = NULL;
        if (from->numel > 0)
            memcpy(&h->cell, from->data, tse_bytes(from->dtype));
        to->data = &h->cell;
    }
    to->device = (ts_device){TS_CPU, 0};
    to->sizes = take(at, 2 * dims);
    to->strides = to->sizes + from->ndim;
    if (dims) {
        memcpy(to->sizes, from->sizes, dims);
        memcpy(to->strides, from->strides, dims);
    }
    return to;
}

/* Bytes from data to the end of the last element; 0 when empty. */
static size_t reach(const ts_tensor *t)
{
    int64_t last = 0;

    if (t->numel == 0)
        return 0;
    for (int d = 0; d < t->ndim; d++)
        last += (t->sizes[d] - 1) * t->strides[d];
    return (size_t)(last + 1) * tse_bytes(t->dtype);
}

static ts_status kernel_run(tsi_work *w)
{
    kernel_work *k = (kernel_work *)w;

    for (int i = 0; i < k->ntensors; i++)
        if (k->tensors[i].address)
            TS_TRY(resolve(w->device, k->tensors[i].address, reach(&k->tensors[i].t),
                           k->call.op, &k->tensors[i].t.data));
    return k->kernel(&k->call);
}

static ts_status no_late_result(const ts_kernel_call *call, int i, ts_dtype dtype,
                                int ndim, const int64_t *sizes, const int64_t *strides,
                                ts_tensor **out)
{
    (void)dtype;
    (void)ndim;
    (void)sizes;
    (void)strides;
    (void)out;
    return ts_fail(TS_ERR_RUNTIME, NULL, "%s: result %d can't be made on a stream",
                   call->op, i);
}

static void copy_args(kernel_work *k, const ts_kernel_call *c, char **at)
{
    for (int i = 0; i < c->nargs; i++) {
        ts_value *v = &k->args[i];
        ts_tensor **list;

        *v = c->args[i];
        tsi_value_keep(v, at);
        if (v->kind == TS_ARG_TENSOR)
            v->tensor = hold(k, v->tensor, at);
        if (v->kind != TS_ARG_TENSORS)
            continue;
        list = take(at, (size_t)v->tensors.n * sizeof *list);
        for (int64_t j = 0; j < v->tensors.n; j++)
            list[j] = v->tensors.v[j] ? hold(k, v->tensors.v[j], at) : NULL;
        v->tensors.v = list;
    }
}

static void copy_results(kernel_work *k, const ts_kernel_call *c, char **at)
{
    for (int i = 0; i < c->nresults; i++) {
        k->results[i] = c->results[i] ? hold(k, c->results[i], at) : NULL;
        for (int a = 0; a < c->nargs; a++) /* in place: the same tensor stays the same */
            if (c->results[i] && c->args[a].kind == TS_ARG_TENSOR &&
                c->args[a].tensor == c->results[i])
                k->args[a].tensor = k->results[i];
    }
}

ts_status tsi_accel_launch(int device, ts_kernel kernel, const ts_kernel_call *call,
                           tsd_stream *s)
{
    int n;
    const size_t bytes = room_of_call(call, &n);
    kernel_work *k = calloc(1, sizeof *k + bytes + (size_t)n * sizeof(held));
    char *at = (char *)(k + 1);

    TS_CHECK(k, TS_ERR_OUT_OF_MEMORY, NULL, "no memory for work on a stream");
    k->work = (tsi_work){.run = kernel_run,
                         .destroy = work_free,
                         .name = call->op,
                         .kind = TS_EVENT_KERNEL};
    k->kernel = kernel;
    k->call = *call;
    at += (16 - (uintptr_t)at % 16) % 16;
    k->args = take(&at, ((size_t)call->nargs + 1) * sizeof *k->args);
    k->results = take(&at, ((size_t)call->nresults + 1) * sizeof *k->results);
    k->tensors = take(&at, (size_t)n * sizeof *k->tensors);
    copy_args(k, call, &at);
    copy_results(k, call, &at);
    k->call.args = k->args;
    k->call.results = k->results;
    k->call.device = (ts_device){TS_CPU, 0};
    k->call.make_result = no_late_result;
    k->call.runtime = NULL;
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

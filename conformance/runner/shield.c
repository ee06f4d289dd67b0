/* SPDX-License-Identifier: Apache-2.0 */
#include "runner/shield.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runner/environment.h"
#include "runner/resources.h"
#include "script/print.h"
#include "script/watch.h"
#include "touchstone/op.h"

enum { MOST_HEADS = 64, KEPT_DIMS = 8 };

static tsi_environment home;
static ts_kernel *kernels; /* by op */
static bool (*supports)(const ts_kernel_call *call);
static bool watches;         /* heads of arguments, too */
static _Atomic bool looking; /* at their bytes, too */
static _Atomic bool measuring;
static _Atomic int64_t *kept; /* by op: bytes of heap */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of the two below */
static char finding[600];
static bool found;

static _Thread_local const char *now;

TS_PRINTF(1, 2) static void report(const char *format, ...)
{
    va_list args;

    pthread_mutex_lock(&lock);
    if (!found) {
        va_start(args, format);
        vsnprintf(finding, sizeof(finding), format, args);
        va_end(args);
    }
    found = true;
    pthread_mutex_unlock(&lock);
}

const char *tsi_shield_finding(void)
{
    static char told[sizeof(finding)];
    bool was;

    pthread_mutex_lock(&lock);
    was = found;
    found = false;
    memcpy(told, finding, sizeof(told));
    pthread_mutex_unlock(&lock);
    return was ? told : NULL;
}

const char *tsi_shield_now(void)
{
    return now;
}

/* --- the environment --- */

static void put_right(const char *who, const char *op)
{
    char what[400];

    if (tsi_environment_restore(&home, what, sizeof(what)))
        report("%s%s changed the floating-point environment: %s", who, op, what);
}

static void settle(const char *who, const char *op)
{
    const tsi_environment e = tsi_environment_now();

    if (e.control != home.control || e.x87 != home.x87)
        put_right(who, op);
}

void tsi_shield_begin(void)
{
    home = tsi_environment_now();
}

void tsi_shield_settle(void)
{
    settle("the backend, outside of its kernels,", "");
}

void tsi_shield_settle_all(void)
{
    char what[100];

    tsi_shield_settle();
    if (tsi_environment_empty(what, sizeof(what)))
        report("the backend changed the floating-point environment: %s", what);
}

/* --- arguments --- */

/* A tensor as it was before the call, held once more so that it is there afterwards. */
typedef struct head {
    ts_tensor *t, was;
    int64_t sizes[KEPT_DIMS], strides[KEPT_DIMS];
    int64_t held, storage_held;
    bool printed; /* what may only be read, once a storage */
    tsi_print before;
} head;

typedef struct heads {
    head of[MOST_HEADS];
    int count;
} heads;

static size_t dims_of(const ts_tensor *t)
{
    return sizeof(*t->sizes) * (size_t)(t->ndim < KEPT_DIMS ? t->ndim : KEPT_DIMS);
}

static void hold(heads *all, ts_tensor *t)
{
    head *h = &all->of[all->count];

    if (!t || all->count == MOST_HEADS)
        return;
    all->count++;
    h->t = ts_retain(t);
    h->printed = false;
    ts_storage_retain(ts_tensor_storage(t));
    h->was = *t;
    memcpy(h->sizes, t->sizes, dims_of(t));
    memcpy(h->strides, t->strides, dims_of(t));
}

static void hold_all(heads *all, const ts_kernel_call *call)
{
    all->count = 0;
    for (int i = 0; i < call->nargs; i++) {
        const ts_value *v = &call->args[i];

        if (v->kind == TS_ARG_TENSOR)
            hold(all, v->tensor);
        for (int64_t k = 0; v->kind == TS_ARG_TENSORS && k < v->tensors.n; k++)
            hold(all, v->tensors.v[k]);
    }
    for (int i = 0; i < call->nresults; i++)
        hold(all, call->results[i]);
    for (int i = 0; i < all->count; i++) { /* one tensor may be there several times */
        all->of[i].held = ts_references(all->of[i].t);
        all->of[i].storage_held = ts_storage_references(ts_tensor_storage(all->of[i].t));
    }
}

/* For kernels that run where no call of a program's is watched: inside of backward. What shares
 * its storage with a result, or came before, is left out. */
static void print_all(heads *all, const ts_kernel_call *call)
{
    for (int i = 0; i < all->count; i++) {
        head *h = &all->of[i];
        const int64_t id = ts_storage_id(ts_tensor_storage(h->t));
        bool out = ts_storage_bytes(ts_tensor_storage(h->t)) == 0;

        for (int k = 0; k < call->nresults && !out; k++)
            out = call->results[k] != NULL &&
                  ts_storage_id(ts_tensor_storage(call->results[k])) == id;
        for (int k = 0; k < i && !out; k++)
            out = all->of[k].printed &&
                  ts_storage_id(ts_tensor_storage(all->of[k].t)) == id;
        h->printed = !out && tsi_print_take(h->t, &h->before) == TS_OK;
    }
}

static void compare_prints(heads *all, const char *op)
{
    for (int i = 0; i < all->count; i++) {
        head *h = &all->of[i];
        char where[120];
        bool same = true;

        if (!h->printed)
            continue;
        if (tsi_print_same(h->t, &h->before, &same, where, sizeof(where)) == TS_OK &&
            !same)
            report("the kernel of %s wrote to a tensor that it may only read: %s", op,
                   where);
        tsi_print_free(&h->before);
    }
}

static bool same_head(const head *h)
{
    const ts_tensor *t = h->t, *w = &h->was;

    return t->data == w->data && t->sizes == w->sizes && t->strides == w->strides &&
           t->numel == w->numel && t->offset == w->offset && t->ndim == w->ndim &&
           t->dtype == w->dtype && t->device.type == w->device.type &&
           t->device.index == w->device.index &&
           memcmp(h->sizes, t->sizes, dims_of(w)) == 0 &&
           memcmp(h->strides, t->strides, dims_of(w)) == 0;
}

static void restore_head(head *h)
{
    *h->t = h->was;
    memcpy(h->t->sizes, h->sizes, dims_of(h->t));
    memcpy(h->t->strides, h->strides, dims_of(h->t));
}

static void look_at(const heads *all, const char *op)
{
    for (int i = 0; i < all->count; i++) {
        head h = all->of[i];
        ts_storage *s = ts_tensor_storage(h.t);

        if (!same_head(&h)) {
            report("the kernel of %s changed the header of a tensor that it was given: "
                   "sizes, strides, dtype or the place of its elements",
                   op);
            restore_head(&h);
        }
        if (ts_references(h.t) < h.held)
            report("the kernel of %s released a tensor that it was given", op);
        for (int64_t n = ts_references(h.t); n < h.held; n++)
            ts_retain(h.t);
        if (ts_storage_references(s) < h.storage_held)
            report("the kernel of %s released the storage of a tensor that it was given",
                   op);
        for (int64_t n = ts_storage_references(s); n < h.storage_held; n++)
            ts_storage_retain(s);
    }
}

static void let_go(const heads *all)
{
    for (int i = 0; i < all->count; i++) {
        ts_storage_release(ts_tensor_storage(all->of[i].t));
        ts_release(all->of[i].t);
    }
}

/* --- calls --- */

static ts_status measured(const ts_kernel_call *call, int index)
{
    int64_t before;
    bool makes = false; /* results, which are to be kept */
    ts_status s;

    for (int i = 0; i < call->nresults; i++)
        makes |= call->results[i] == NULL;
    before = tsi_heap_in_use();
    s = kernels[index](call);
    if (!makes)
        atomic_fetch_add(&kept[index], tsi_heap_in_use() - before);
    return s;
}

static ts_status call_kernel(const ts_kernel_call *call)
{
    const int index = ts_op_find(call->op)->index;
    const char *before = now;
    ts_status s;

    now = call->op;
    s = measuring ? measured(call, index) : kernels[index](call);
    now = before;
    settle("the kernel of ", call->op);
    return s;
}

static ts_status watched(const ts_kernel_call *call)
{
    const bool looks = looking && !tsi_call_is_watched();
    ts_status s;
    heads all;

    hold_all(&all, call);
    if (looks)
        print_all(&all, call);
    s = call_kernel(call);
    look_at(&all, call->op);
    if (looks)
        compare_prints(&all, call->op);
    let_go(&all);
    return s;
}

static ts_status shielded(const ts_kernel_call *call)
{
    return watches ? watched(call) : call_kernel(call);
}

static bool shielded_supports(const ts_kernel_call *call)
{
    const bool yes = supports(call);

    settle("supports() of ", call->op);
    return yes;
}

void tsi_shield(ts_backend *b, ts_device_type device)
{
    ts_kernel_entry *entries = calloc(b->kernel_count + 1, sizeof(*entries));

    kernels = calloc((size_t)ts_op_count(), sizeof(*kernels));
    kept = calloc((size_t)ts_op_count(), sizeof(*kept));
    if (!entries || !kernels || !kept)
        abort(); /* the worker dies, and the parent says so */
    for (size_t i = 0; i < b->kernel_count; i++) {
        const ts_kernel_entry *e = ts_backend_kernel(b, i);

        kernels[ts_op_find(e->op)->index] = e->kernel;
        entries[i] = (ts_kernel_entry){.op = e->op, .kernel = shielded};
    }
    b->kernels = entries;
    if (TS_HAS(b, kernel_size))
        b->kernel_size = sizeof(*entries);
    if (TS_HAS(b, supports) && b->supports) {
        supports = b->supports;
        b->supports = shielded_supports;
    }
    /* The software accelerator calls kernels on its streams' threads, with stand-ins. */
    watches = device == TS_CPU || b->driver;
}

void tsi_shield_look(bool on)
{
    looking = on;
}

void tsi_shield_measure(bool on)
{
    if (!kept)
        return;
    for (int i = 0; on && i < ts_op_count(); i++)
        kept[i] = 0;
    measuring = on;
}

const char *tsi_shield_keeper(void)
{
    int64_t most = 0;
    const char *op = NULL;

    for (int i = 0; kept && i < ts_op_count(); i++)
        if (kept[i] > most) {
            most = kept[i];
            op = ts_op_at(i)->name;
        }
    return op;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The reference with the fault that the environment names, or with all that a file names, each
 * on copies of the calls. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "faults/faults.h"
#include "touchstone/autograd.h"

enum { MOST_OPS = 1024, MOST_TENSORS = 128, EDGE = 256 };

static const fault_row *const tables[] = {faults_in_results, faults_in_arguments,
                                          faults_in_sums, faults_through,
                                          faults_of_state};
static fault *faults;
static int count;
static const char *seen_path;
static ts_kernel_entry entries[MOST_OPS];
static ts_kernel originals[MOST_OPS];
static size_t entry_count;

/* --- reading --- */

static fault_fn find(const char *name)
{
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++)
        for (const fault_row *r = tables[t]; r->name; r++)
            if (strcmp(r->name, name) == 0)
                return r->run;
    return NULL;
}

/* op:name:parameters:when */
static ts_status read_fault(const ts_host *host, const char *text, fault *f)
{
    char *copy = strdup(text), *rest = copy, *part[4] = {NULL};
    size_t k = 0;

    *f = (fault){.dtype = TS_DTYPE_NONE, .only = TS_DTYPE_NONE};
    for (int i = 0; i < 4; i++)
        part[i] = rest ? strsep(&rest, ":") : NULL;
    snprintf(f->text, sizeof f->text, "%s", text);
    f->run = part[1] ? find(part[1]) : NULL;
    while (k < entry_count && strcmp(entries[k].op, part[0]) != 0)
        k++;
    if (!f->run || !part[3] || k == entry_count) {
        free(copy);
        return host->fail(TS_ERR_VALUE, NULL, "no such fault: %s", text);
    }
    f->op = entries[k].op;
    f->original = originals[k];
    f->dtype = ts_dtype_from_name(part[2]);
    if (f->dtype == TS_DTYPE_NONE)
        sscanf(part[2], "%" SCNd64 ",%" SCNd64, &f->n[0], &f->n[1]);
    f->backward = strcmp(part[3], "backward") == 0;
    f->only = ts_dtype_from_name(part[3]);
    free(copy);
    return TS_OK;
}

/* --- one fault, for the judge --- */

static bool applies(const fault *f, const ts_kernel_call *call)
{
    const ts_tensor *x = fault_first(call);
    const ts_dtype dtype = x ? x->dtype
                           : call->nresults > 0 && call->results[0]
                               ? call->results[0]->dtype
                               : TS_DTYPE_NONE;

    return (f->only == TS_DTYPE_NONE || f->only == dtype) &&
           (!f->backward || !ts_grad_enabled());
}

static ts_status faulty(const ts_kernel_call *call)
{
    const ts_tensor *x = fault_first(call);

    if (!applies(faults, call))
        return faults->original(call);
    faults->where = x ? x->data : NULL;
    return faults->run(faults, call);
}

/* --- all faults of an op, on copies --- */

typedef struct copied {
    ts_tensor *of[MOST_TENSORS]; /* the tensors, and where their copies are */
    ts_tensor copy[MOST_TENSORS];
    ts_storage *storage[MOST_TENSORS];
    char *bytes[MOST_TENSORS];      /* with an edge on both sides */
    int tensors, storages, of_args; /* of_args: the storages that arguments have */
    ts_value args[64];
    ts_tensor *results[16];
    ts_generator generator;
    ts_kernel_call call;
    fault_room room;
} copied;

static size_t copy_size(const ts_storage *s)
{
    return (size_t)ts_storage_bytes(s) + 2 * EDGE;
}

static char *storage_copy(copied *c, ts_storage *s)
{
    for (int i = 0; i < c->storages; i++)
        if (ts_storage_id(c->storage[i]) == ts_storage_id(s))
            return c->bytes[i];
    if (c->storages == MOST_TENSORS)
        return NULL;
    c->storage[c->storages] = s;
    c->bytes[c->storages] = malloc(copy_size(s));
    if (!c->bytes[c->storages])
        abort();
    memset(c->bytes[c->storages], 0xA5, copy_size(s));
    if (ts_storage_bytes(s) > 0)
        memcpy(c->bytes[c->storages] + EDGE, ts_storage_data(s),
               (size_t)ts_storage_bytes(s));
    return c->bytes[c->storages++];
}

static ts_tensor *tensor_copy(copied *c, ts_tensor *t)
{
    ts_storage *s;

    if (!t)
        return NULL;
    for (int i = 0; i < c->tensors; i++)
        if (c->of[i] == t)
            return &c->copy[i];
    if (c->tensors == MOST_TENSORS)
        return NULL;
    s = ts_tensor_storage(t);
    c->of[c->tensors] = t;
    c->copy[c->tensors] = *t;
    if (s && t->data)
        c->copy[c->tensors].data =
            storage_copy(c, s) + EDGE + ((char *)t->data - (char *)ts_storage_data(s));
    return &c->copy[c->tensors++];
}

static ts_status make_copy(const struct ts_kernel_call *call, int i, ts_dtype dtype,
                           int ndim, const int64_t *sizes, const int64_t *strides,
                           ts_tensor **out)
{
    copied *c = call->runtime;
    ts_tensor shape = {.ndim = ndim, .dtype = dtype, .numel = 1, .device = call->device};
    int64_t own[TS_MAX_DIMS];
    ts_tensor *t;

    for (int d = 0; d < ndim; d++)
        shape.numel *= sizes[d];
    shape.sizes = fault_take_room(&c->room, sizeof *sizes * (size_t)(ndim + 1));
    if (ndim > 0)
        memcpy(shape.sizes, sizes, sizeof *sizes * (size_t)ndim);
    ts_contiguous_strides(ndim, sizes, own);
    shape.strides = own;
    t = fault_view(&c->room, &shape);
    if (strides && ndim > 0)
        memcpy(t->strides, strides, sizeof *strides * (size_t)ndim);
    t->data = fault_take_room(&c->room, (size_t)t->numel * tse_bytes(dtype));
    c->results[i] = *out = t;
    return TS_OK;
}

static void copy_call(copied *c, const ts_kernel_call *call)
{
    c->tensors = c->storages = 0;
    c->room.count = 0;
    memcpy(&c->call, call, sizeof c->call < call->size ? sizeof c->call : call->size);
    for (int i = 0; i < call->nargs; i++) {
        const ts_value *a = &call->args[i];

        c->args[i] = *a;
        if (a->kind == TS_ARG_TENSOR)
            c->args[i].tensor = tensor_copy(c, a->tensor);
        if (a->kind == TS_ARG_TENSORS) {
            ts_tensor **v =
                fault_take_room(&c->room, sizeof *v * (size_t)(a->tensors.n + 1));

            for (int64_t k = 0; k < a->tensors.n; k++)
                v[k] = tensor_copy(c, a->tensors.v[k]);
            c->args[i].tensors.v = v;
        }
    }
    c->of_args = c->storages;
    for (int i = 0; i < call->nresults; i++)
        c->results[i] = tensor_copy(c, call->results[i]);
    c->call.args = c->args;
    c->call.results = c->results;
    c->call.make_result = make_copy;
    c->call.runtime = c;
    if (call->generator) {
        c->generator = *call->generator; /* every copy draws the same */
        c->call.generator = &c->generator;
    }
}

static void drop_copy(copied *c)
{
    for (int i = 0; i < c->storages; i++)
        free(c->bytes[i]);
    fault_leave(&c->room);
}

/* NaNs are one: which one a kernel makes nobody says. */
static void same_nans(const ts_tensor *a, const ts_tensor *b)
{
    for (int64_t i = 0; tse_is_real(a->dtype) && a->data && i < a->numel; i++)
        if (isnan(fault_get(a, i)) && isnan(fault_get(b, i)))
            memcpy(fault_cell(b, i), fault_cell(a, i), tse_bytes(a->dtype));
}

static bool same_made(const ts_tensor *a, const ts_tensor *b)
{
    if (a->numel != b->numel || a->ndim != b->ndim)
        return false;
    for (int64_t i = 0; i < a->numel; i++)
        if (memcmp(fault_cell(a, i), fault_cell(b, i), tse_bytes(a->dtype)) != 0)
            return false;
    return true;
}

/* Of a call that failed the new results are nobody's. */
static bool same(const copied *a, const copied *b, const ts_kernel_call *call,
                 bool failed)
{
    const bool nobodys = failed && call->form == TS_FUNCTIONAL;

    for (int i = 0; !nobodys && i < call->nresults; i++) {
        if (!a->results[i] || !b->results[i]) {
            if (a->results[i] != b->results[i])
                return false;
            continue;
        }
        if (!call->results[i] && !same_made(a->results[i], b->results[i]))
            return false;
        same_nans(a->results[i], b->results[i]);
    }
    for (int i = 0; i < (nobodys ? a->of_args : a->storages); i++)
        if (memcmp(a->bytes[i], b->bytes[i], copy_size(a->storage[i])) != 0)
            return false;
    return true;
}

static void write_down(fault *f)
{
    const int file = open(seen_path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
    char line[sizeof f->text + 2];
    const int n = snprintf(line, sizeof line, "%s\n", f->text);

    f->seen = true;
    if (file >= 0) {
        if (write(file, line, (size_t)n) != n)
            abort();
        close(file);
    }
}

static ts_status watched(const ts_kernel_call *call)
{
    static _Thread_local copied right, wrong; /* ranks are threads */
    const ts_tensor *x = fault_first(call);
    ts_kernel original = NULL;
    ts_status status = TS_OK;
    bool made = false;

    for (size_t i = 0; i < entry_count && !original; i++)
        if (strcmp(entries[i].op, call->op) == 0)
            original = originals[i];
    for (int i = 0; i < count; i++) {
        fault *f = &faults[i];

        if (f->seen || strcmp(f->op, call->op) != 0 || !applies(f, call) ||
            call->nargs > 64 || call->nresults > 16)
            continue;
        if (!made) {
            copy_call(&right, call);
            status = original(&right.call);
            made = true;
        }
        copy_call(&wrong, call);
        f->where = x ? x->data : NULL;
        if (f->run(f, &wrong.call) != status ||
            !same(&right, &wrong, call, status != TS_OK))
            write_down(f);
        drop_copy(&wrong);
    }
    if (made)
        drop_copy(&right);
    return original(call);
}

/* --- what every call came to, for a reference or a runtime that may be another --- */

static int trace_file = -1;

static uint64_t mixed(uint64_t h, const void *bytes, size_t n)
{
    const unsigned char *p = bytes;

    for (size_t i = 0; i < n; i++)
        h = (h ^ p[i]) * UINT64_C(0x100000001B3);
    return h;
}

static uint64_t mixed_tensor(uint64_t h, const ts_tensor *t, bool elements)
{
    if (!t)
        return mixed(h, "", 1);
    h = mixed(h, &t->dtype, sizeof t->dtype);
    h = mixed(h, &t->offset, sizeof t->offset);
    h = t->ndim > 0 ? mixed(h, t->sizes, sizeof *t->sizes * (size_t)t->ndim) : h;
    h = t->ndim > 0 ? mixed(h, t->strides, sizeof *t->strides * (size_t)t->ndim) : h;
    for (int64_t i = 0; elements && t->data && i < t->numel; i++) {
        const char *cell = fault_cell(t, i);
        const bool nan = tse_is_real(t->dtype) && isnan(tse_read(t->dtype, cell));

        h = nan ? mixed(h, "nan", 3) : mixed(h, cell, tse_bytes(t->dtype));
    }
    return h;
}

static uint64_t mixed_value(uint64_t h, const ts_value *a)
{
    h = mixed(h, &a->kind, sizeof a->kind);
    switch (a->kind) {
    case TS_ARG_TENSOR:
        return mixed_tensor(h, a->tensor, true);
    case TS_ARG_TENSORS:
        for (int64_t i = 0; i < a->tensors.n; i++)
            h = mixed_tensor(h, a->tensors.v[i], true);
        return h;
    case TS_ARG_SCALAR:
        h = mixed(h, &a->scalar.kind, sizeof a->scalar.kind);
        return a->scalar.kind == TS_SCALAR_FLOAT
                   ? mixed(h, &a->scalar.f, sizeof(double))
                   : mixed(h, &a->scalar.i, sizeof(int64_t));
    case TS_ARG_INT:
        return mixed(h, &a->i, sizeof a->i);
    case TS_ARG_FLOAT:
        return mixed(h, &a->f, sizeof a->f);
    case TS_ARG_BOOL:
        return mixed(h, &a->b, sizeof a->b);
    case TS_ARG_INTS:
        return a->ints.n > 0 ? mixed(h, a->ints.v, sizeof(int64_t) * (size_t)a->ints.n)
                             : h;
    case TS_ARG_DTYPE:
        return mixed(h, &a->dtype, sizeof a->dtype);
    case TS_ARG_STRING:
        return mixed(h, a->string, strlen(a->string));
    default:
        return h;
    }
}

static ts_status traced(const ts_kernel_call *call)
{
    uint64_t h = mixed(UINT64_C(0xCBF29CE484222325), call->op, strlen(call->op));
    char line[120];
    ts_status status = TS_ERR_RUNTIME;
    int n;

    h = mixed(h, &call->form, sizeof call->form);
    h = mixed(h, &call->compute, sizeof call->compute);
    for (int i = 0; i < call->nargs; i++)
        h = mixed_value(h, &call->args[i]);
    for (int i = 0; i < call->nresults; i++)
        h = mixed_tensor(h, call->results[i], false);
    for (size_t i = 0; i < entry_count; i++)
        if (strcmp(entries[i].op, call->op) == 0)
            status = originals[i](call);
    for (int i = 0; status == TS_OK && i < call->nresults; i++)
        h = mixed_tensor(h, call->results[i], true);
    n = snprintf(line, sizeof line, "%s %d %016" PRIx64 "\n", call->op, (int)status, h);
    if (write(trace_file, line, (size_t)n) != n)
        abort();
    return status;
}

static ts_status read_all(const ts_host *host, const char *path)
{
    char line[200];
    FILE *file = fopen(path, "r");

    if (!file)
        return host->fail(TS_ERR_VALUE, NULL, "%s: not there", path);
    while (fgets(line, sizeof line, file)) {
        fault *grown = realloc(faults, sizeof *faults * (size_t)(count + 1));
        ts_status status;

        line[strcspn(line, "\n")] = '\0';
        if (!grown)
            abort();
        faults = grown;
        status = read_fault(host, line, &faults[count]);
        if (status != TS_OK) {
            fclose(file);
            return status;
        }
        count++;
    }
    fclose(file);
    return TS_OK;
}

ts_status ts_backend_open(const ts_host *host, ts_backend *out)
{
    const char *one = getenv("TOUCHSTONE_FAULT"), *list = getenv("TOUCHSTONE_FAULTS");
    const char *trace = getenv("TOUCHSTONE_FAULTS_TRACE");
    static fault single;

    seen_path = getenv("TOUCHSTONE_FAULTS_SEEN");
    TS_TRY(zoo_open(host, out, NULL, 0));
    entry_count = out->kernel_count;
    memcpy(entries, out->kernels, sizeof *entries * entry_count);
    for (size_t i = 0; i < entry_count; i++)
        originals[i] = entries[i].kernel;
    if (trace) {
        trace_file = open(trace, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
        if (trace_file < 0)
            return host->fail(TS_ERR_VALUE, NULL, "%s: cannot be written", trace);
    } else if (one) {
        faults = &single;
        count = 1;
        TS_TRY(read_fault(host, one, faults));
    } else if (list && seen_path)
        TS_TRY(read_all(host, list));
    else
        return host->fail(TS_ERR_VALUE, NULL,
                          "set TOUCHSTONE_FAULT, or TOUCHSTONE_FAULTS and _SEEN");
    for (size_t i = 0; i < entry_count; i++)
        if (trace || !one || strcmp(entries[i].op, faults->op) == 0)
            entries[i].kernel = trace ? traced : one ? faulty : watched;
    out->name = "faults";
    out->kernels = entries;
    return TS_OK;
}

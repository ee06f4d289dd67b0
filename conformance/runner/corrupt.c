/* SPDX-License-Identifier: Apache-2.0 */
/* A backend whose kernels and collectives give other values than they should, always. */
#include "runner/corrupt.h"

#include <stdlib.h>
#include <string.h>

#include "touchstone/backend.h"
#include "touchstone/dist.h"

enum { MOST_RESULTS = 16 };

static const ts_backend *honest;

/* A call on its way to an honest kernel; results that this makes are noted. */
typedef struct detour {
    ts_kernel_call call; /* first: make_result gets its address */
    const ts_kernel_call *from;
    ts_tensor *made[MOST_RESULTS];
} detour;

static ts_status make_and_note(const ts_kernel_call *call, int i, ts_dtype dtype,
                               int ndim, const int64_t *sizes, const int64_t *strides,
                               ts_tensor **out)
{
    detour *d = (detour *)(uintptr_t)call;

    TS_TRY(d->from->make_result(d->from, i, dtype, ndim, sizes, strides, out));
    if (i < MOST_RESULTS)
        d->made[i] = *out;
    return TS_OK;
}

/* Another element than it was, whatever it was, and after several turns too: of most dtypes
 * 256 give back the first, so two kernels in a row do not undo each other. */
static void turn(unsigned char *element, ts_dtype dtype, int64_t size)
{
    if (dtype == TS_BOOL) {
        *element ^= 1;
        return;
    }
    for (int64_t b = 0; b < size; b++)
        element[b] = (unsigned char)(element[b] + 0x53);
}

static void turn_all(const ts_tensor *t)
{
    const int64_t size = ts_dtype_size(t->dtype);
    int64_t index[TS_MAX_DIMS] = {0};
    unsigned char *at = t->data;

    for (int64_t i = 0; i < t->numel; i++) {
        turn(at, t->dtype, size);
        for (int d = t->ndim - 1; d >= 0; d--) {
            at += t->strides[d] * size;
            if (++index[d] < t->sizes[d])
                break;
            at -= t->strides[d] * t->sizes[d] * size;
            index[d] = 0;
        }
    }
}

static ts_kernel kernel_of(const char *op)
{
    for (size_t i = 0; i < honest->kernel_count; i++)
        if (strcmp(ts_backend_kernel(honest, i)->op, op) == 0)
            return ts_backend_kernel(honest, i)->kernel;
    return NULL;
}

/* A refusal of the kernel's own becomes a success. */
static ts_status corrupting(const ts_kernel_call *call)
{
    detour d = {.call = *call, .from = call};
    ts_status status;

    d.call.make_result = make_and_note;
    status = kernel_of(call->op)(&d.call);
    if (status == TS_ERR_UNSUPPORTED || status == TS_ERR_OUT_OF_MEMORY)
        return status;
    for (int i = 0; i < call->nresults; i++) {
        const ts_tensor *t = call->results[i];

        if (!t && i < MOST_RESULTS)
            t = d.made[i];
        if (!t)
            return status;
        turn_all(t);
    }
    return TS_OK;
}

/* --- collectives --- */

/* What collectives of an open group read in place of what they were given. */
typedef struct turned {
    struct turned *next;
    _Alignas(16) unsigned char bytes[];
} turned;

static _Thread_local turned *under_way;

static const void *turned_copy(const void *in, ts_dtype dtype, int64_t n)
{
    const int64_t size = ts_dtype_size(dtype);
    turned *t;

    if (!in || n <= 0)
        return in;
    t = malloc(sizeof *t + (size_t)(n * size));
    if (!t)
        abort();
    memcpy(t->bytes, in, (size_t)(n * size));
    for (int64_t i = 0; i < n; i++)
        turn(t->bytes + i * size, dtype, size);
    t->next = under_way;
    under_way = t;
    return t->bytes;
}

static ts_status group_end(void)
{
    const ts_status s = ts_reference_communicator()->group_end();

    while (under_way) {
        turned *next = under_way->next;

        free(under_way);
        under_way = next;
    }
    return s;
}

static ts_status all_reduce(tsd_comm *c, const ts_collective *w, const void *in,
                            void *out)
{
    return ts_reference_communicator()->all_reduce(c, w, turned_copy(in, w->dtype, w->n),
                                                   out);
}

static ts_status all_gather(tsd_comm *c, const ts_collective *w, const void *in,
                            void *out)
{
    return ts_reference_communicator()->all_gather(c, w, turned_copy(in, w->dtype, w->n),
                                                   out);
}

static ts_status reduce_scatter(tsd_comm *c, const ts_collective *w, const void *in,
                                void *out)
{
    int ranks, rank;

    TS_TRY(ts_reference_communicator()->query(c, &ranks, &rank));
    return ts_reference_communicator()->reduce_scatter(
        c, w, turned_copy(in, w->dtype, w->n * ranks), out);
}

static ts_status broadcast(tsd_comm *c, const ts_collective *w, const void *in, void *out)
{
    int ranks, rank;

    TS_TRY(ts_reference_communicator()->query(c, &ranks, &rank));
    return ts_reference_communicator()->broadcast(
        c, w, rank == w->root ? turned_copy(in, w->dtype, w->n) : in, out);
}

const ts_communicator *tsi_corrupt_communicator(void)
{
    static ts_communicator table;

    table = *ts_reference_communicator();
    table.group_end = group_end;
    table.all_reduce = all_reduce;
    table.all_gather = all_gather;
    table.reduce_scatter = reduce_scatter;
    table.broadcast = broadcast;
    return &table;
}

void tsi_corrupt(ts_backend *b)
{
    static ts_backend original;
    ts_kernel_entry *kernels = calloc(b->kernel_count + 1, sizeof(*kernels));

    if (!kernels)
        abort();
    original = *b;
    honest = &original;
    for (size_t i = 0; i < b->kernel_count; i++)
        kernels[i] =
            (ts_kernel_entry){.op = ts_backend_kernel(b, i)->op, .kernel = corrupting};
    b->kernels = kernels;
    if (TS_HAS(b, kernel_size))
        b->kernel_size = sizeof(*kernels);
    if (TS_HAS(b, communicator))
        b->communicator = tsi_corrupt_communicator();
}

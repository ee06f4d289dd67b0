/* SPDX-License-Identifier: Apache-2.0 */
/* Tensors and views over storages (T-01). */
#include <stdio.h>
#include <stdlib.h>

#include "core/body.h"
#include "core/rooms.h"
#include "core/thread.h"

/*
 * A new tensor over a new storage is one piece of memory: the storage's header, the
 * tensor, and the elements of a small one. Either part may live longer; the last one
 * frees it.
 */
typedef struct tsi_pair {
    _Atomic int parts;
    ts_storage storage;
    tsi_body body;
} tsi_pair;

#define ROOM 128 /* bytes of elements that go into the block */

void tsi_pair_drop(tsi_pair *b)
{
    if (atomic_load_explicit(&b->parts, memory_order_acquire) == 1 ||
        tsi_count_down(&b->parts) == 0)
        free(b);
}

/* A view is little but its header: one that ends is kept for the next. Not where a
 * sanitizer would learn of a use after the end from free. */
#if defined(__SANITIZE_ADDRESS__)
enum { SPARES = 0 };
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
enum { SPARES = 0 };
#else
enum { SPARES = 16 };
#endif
#else
enum { SPARES = 16 };
#endif

static tsi_body *take_body(tsi_thread *t)
{
    tsi_body *b = t->spare;

    if (!b)
        return malloc(sizeof *b);
    t->spare = b->t.data;
    t->spares--;
    return b;
}

static void drop_body(tsi_thread *t, tsi_body *b)
{
    if (t->spares >= SPARES) {
        free(b);
        return;
    }
    b->t.data = t->spare;
    t->spare = b;
    t->spares++;
}

void tsi_spares_free(tsi_thread *t)
{
    while (t->spare)
        free(take_body(t));
}

ts_tensor *ts_retain(ts_tensor *t)
{
    if (t)
        tsi_of(t)->refs++;
    return t;
}

int64_t ts_references(const ts_tensor *t)
{
    return tsi_of(t)->refs;
}

static void end(tsi_body *b)
{
    tsi_thread *t;

    if (b->autograd)
        tsi_rooms.autograd_release(&b->t);
    if (b->wrapped)
        tsi_wrap_end(b->wrap);
    ts_storage_release(b->storage);
    if (b->t.sizes != b->dims)
        free(b->t.sizes);
    t = tsi_self();
    if (b->pair)
        tsi_pair_drop(b->pair);
    else
        drop_body(t, b);
    tsi_live_add(&t->live.tensors, -1);
}

void ts_release(ts_tensor *t)
{
    while (t && --tsi_of(t)->refs == 0) { /* a loop: a view's base goes next */
        ts_tensor *base = tsi_of(t)->base;

        end(tsi_of(t));
        t = base;
    }
}

void ts_tensors_release(ts_tensors *list)
{
    for (int64_t i = 0; i < list->n; i++)
        ts_release(list->v[i]);
    free(list->v);
    *list = (ts_tensors){NULL, 0};
}

ts_storage *ts_tensor_storage(const ts_tensor *t)
{
    return tsi_of(t)->storage;
}

ts_tensor *ts_tensor_base(const ts_tensor *t)
{
    return tsi_of(t)->base;
}

bool ts_is_wrapped_number(const ts_tensor *t)
{
    return tsi_of(t)->wrapped_number;
}

const char *tsi_sizes_text(char *buf, size_t n, int ndim, const int64_t *sizes)
{
    size_t at = 0;

    at += (size_t)snprintf(buf, n, "[");
    for (int d = 0; d < ndim && at < n; d++)
        at += (size_t)snprintf(buf + at, n - at, "%s%" PRId64, d ? ", " : "", sizes[d]);
    if (at < n)
        snprintf(buf + at, n - at, "]");
    return buf;
}

TS_COLD static ts_status refuse_sizes(int ndim, const int64_t *sizes)
{
    char text[256];

    TS_CHECK(ndim <= TS_MAX_DIMS, TS_ERR_RUNTIME, "tensors/C7",
             "%d dims, at most %d are allowed", ndim, TS_MAX_DIMS);
    for (int d = 0; d < ndim; d++)
        TS_CHECK(sizes[d] >= 0, TS_ERR_RUNTIME, "tensors/C8",
                 "negative size %" PRId64 " at dim %d of %s", sizes[d], d,
                 tsi_sizes_text(text, sizeof text, ndim, sizes));
    return ts_fail(TS_ERR_RUNTIME, "tensors/C8",
                   "number of elements of %s overflows int64",
                   tsi_sizes_text(text, sizeof text, ndim, sizes));
}

static inline ts_status count(int ndim, const int64_t *sizes, int64_t *numel)
{
    int64_t n = 1;
    bool wrong = ndim > TS_MAX_DIMS;

    for (int d = 0; d < ndim && !wrong; d++)
        wrong = sizes[d] < 0 || __builtin_mul_overflow(n, sizes[d], &n);
    *numel = n;
    return wrong ? refuse_sizes(ndim, sizes) : TS_OK;
}

ts_status tsi_numel(int ndim, const int64_t *sizes, int64_t *numel)
{
    return count(ndim, sizes, numel);
}

static inline void fill_geometry(tsi_body *b, int ndim, const int64_t *sizes,
                                 const int64_t *strides)
{
    ts_tensor *t = &b->t;

    t->strides = t->sizes + (ndim > TSI_INLINE_DIMS ? ndim : TSI_INLINE_DIMS);
    if (strides) {
        for (int d = 0; d < ndim; d++) {
            t->sizes[d] = sizes[d];
            t->strides[d] = strides[d];
        }
        tsi_forget_geometry(t);
        return;
    }
    for (int d = 0; d < ndim; d++)
        t->sizes[d] = sizes[d];
    ts_contiguous_strides(ndim, sizes, t->strides);
    b->contiguous = b->dense = 1;
}

static inline ts_status header(tsi_thread *thread, tsi_body *b, ts_dtype dtype, int ndim,
                               const int64_t *sizes, const int64_t *strides,
                               int64_t numel)
{
    ts_tensor *t = &b->t;

    memset(b, 0, offsetof(tsi_body, dims));
    b->refs = 1;
    t->numel = numel;
    t->ndim = ndim;
    t->dtype = dtype;
    t->sizes = b->dims;
    if (ndim > TSI_INLINE_DIMS) {
        t->sizes = malloc(2 * (size_t)ndim * sizeof *t->sizes);
        TS_CHECK(t->sizes, TS_ERR_OUT_OF_MEMORY, "tensors/C10", "no memory for %d dims",
                 ndim);
    }
    fill_geometry(b, ndim, sizes, strides);
    tsi_live_add(&thread->live.tensors, 1);
    return TS_OK;
}

static void attach(ts_tensor *t, ts_storage *storage, int64_t offset)
{
    tsi_of(t)->storage = storage;
    tsi_of(t)->version = &storage->version;
    t->device = storage->device;
    t->offset = offset;
    t->data = storage->data
                  ? (char *)storage->data + offset * (int64_t)tse_bytes(t->dtype)
                  : NULL;
}

/* Elements from the first to one past the last that these strides reach; 0 when empty. */
static ts_status extent(int ndim, const int64_t *sizes, const int64_t *strides,
                        int64_t *out)
{
    int64_t last = 0;

    *out = 0;
    for (int d = 0; d < ndim; d++)
        if (sizes[d] == 0)
            return TS_OK;
    for (int d = 0; d < ndim; d++) {
        int64_t reach;

        TS_CHECK(strides[d] >= 0, TS_ERR_RUNTIME, "tensors/C6",
                 "negative stride %" PRId64 " at dim %d", strides[d], d);
        TS_CHECK(!__builtin_mul_overflow(sizes[d] - 1, strides[d], &reach) &&
                     !__builtin_add_overflow(last, reach, &last) && last < INT64_MAX,
                 TS_ERR_RUNTIME, "tensors/C6", "strides reach beyond int64");
    }
    *out = last + 1;
    return TS_OK;
}

ts_status ts_tensor_new_strided(ts_device device, ts_dtype dtype, int ndim,
                                const int64_t *sizes, const int64_t *strides,
                                ts_tensor **out)
{
    int64_t numel, span, bytes;
    tsi_pair *pair;
    char *room;
    bool small;
    ts_status s;

    TS_TRY(count(ndim, sizes, &numel));
    span = numel;
    if (strides)
        TS_TRY(extent(ndim, sizes, strides, &span));
    TS_CHECK(!__builtin_mul_overflow(span, (int64_t)tse_bytes(dtype), &bytes),
             TS_ERR_RUNTIME, "tensors/C8",
             "%" PRId64 " elements of %s overflow int64 bytes", span,
             ts_dtype_name(dtype));
    small = device.type == TS_CPU && bytes <= ROOM;
    pair = malloc(sizeof *pair + (small ? ROOM + 63 : 0));
    TS_CHECK(pair, TS_ERR_OUT_OF_MEMORY, "tensors/C10", "no memory for a tensor header");
    room = small ? (char *)(pair + 1) + 63 - ((uintptr_t)(pair + 1) + 63) % 64 : NULL;
    s = tsi_storage_init(&pair->storage, device, bytes, room);
    if (s != TS_OK) {
        free(pair);
        return s;
    }
    atomic_init(&pair->parts, 2);
    pair->storage.pair = pair;
    s = header(tsi_self(), &pair->body, dtype, ndim, sizes, strides, numel);
    if (s != TS_OK) {
        atomic_store(&pair->parts, 1);
        ts_storage_release(&pair->storage);
        return s;
    }
    pair->body.pair = pair;
    attach(&pair->body.t, &pair->storage, 0);
    *out = &pair->body.t;
    return TS_OK;
}

ts_status ts_tensor_new(ts_device device, ts_dtype dtype, int ndim, const int64_t *sizes,
                        ts_tensor **out)
{
    return ts_tensor_new_strided(device, dtype, ndim, sizes, NULL, out);
}

/* A tensor's header alone, over a part of `storage` that is known to be there. */
static inline ts_status over(ts_storage *storage, ts_dtype dtype, int ndim,
                             const int64_t *sizes, const int64_t *strides, int64_t offset,
                             int64_t numel, ts_tensor **out)
{
    tsi_thread *t = tsi_self();
    tsi_body *b = take_body(t);
    ts_status s;

    TS_CHECK(b, TS_ERR_OUT_OF_MEMORY, "tensors/C10", "no memory for a tensor header");
    s = header(t, b, dtype, ndim, sizes, strides, numel);
    if (s != TS_OK) {
        drop_body(t, b);
        return s;
    }
    attach(&b->t, ts_storage_retain(storage), offset);
    *out = &b->t;
    return TS_OK;
}

ts_status tsi_shell_new(ts_storage *storage, ts_dtype dtype, int ndim,
                        const int64_t *sizes, const int64_t *strides, int64_t offset,
                        ts_tensor **out)
{
    int64_t numel;

    TS_TRY(count(ndim, sizes, &numel));
    TS_TRY(over(storage, dtype, ndim, sizes, strides, offset, numel, out));
    (*out)->data = NULL;
    return TS_OK;
}

static ts_status check_bounds(const ts_storage *storage, ts_dtype dtype, int ndim,
                              const int64_t *sizes, const int64_t *strides,
                              int64_t offset)
{
    const int64_t bytes = ts_dtype_size(dtype);
    int64_t span, end;

    TS_TRY(extent(ndim, sizes, strides, &span));
    TS_CHECK(offset >= 0, TS_ERR_RUNTIME, "tensors/C6",
             "negative storage_offset %" PRId64, offset);
    TS_CHECK(span == 0 ||
                 (!__builtin_add_overflow(span, offset, &end) &&
                  !__builtin_mul_overflow(end, bytes, &end) && end <= storage->bytes),
             TS_ERR_RUNTIME, "tensors/C6",
             "%" PRId64 " elements of %s from storage_offset %" PRId64
             " are out of bounds for a storage of %" PRId64 " bytes",
             span, ts_dtype_name(dtype), offset, storage->bytes);
    return TS_OK;
}

ts_status ts_tensor_over(ts_storage *storage, ts_dtype dtype, int ndim,
                         const int64_t *sizes, const int64_t *strides, int64_t offset,
                         ts_tensor **out)
{
    int64_t numel;

    TS_TRY(count(ndim, sizes, &numel));
    TS_TRY(check_bounds(storage, dtype, ndim, sizes, strides, offset));
    return over(storage, dtype, ndim, sizes, strides, offset, numel, out);
}

void tsi_forget_base(ts_tensor *t)
{
    ts_release(tsi_of(t)->base);
    tsi_of(t)->base = NULL;
}

/* `of` seen otherwise, its geometry already held against the storage. */
static ts_status view_of(ts_tensor *t, ts_dtype dtype, int ndim, const int64_t *sizes,
                         const int64_t *strides, int64_t offset, ts_tensor **out)
{
    const tsi_body *of = tsi_of(t);
    int64_t numel;
    tsi_body *b;

    TS_TRY(count(ndim, sizes, &numel));
    TS_TRY(over(of->storage, dtype, ndim, sizes, strides, offset, numel, out));
    b = tsi_of(*out);
    b->base = ts_retain(of->base ? of->base : t);
    b->version = of->version;
    b->view_version = *of->version;
    return TS_OK;
}

ts_status tsi_view_new(ts_tensor *t, ts_dtype dtype, int ndim, const int64_t *sizes,
                       const int64_t *strides, int64_t offset, ts_tensor **out)
{
    TS_TRY(check_bounds(tsi_of(t)->storage, dtype, ndim, sizes, strides, offset));
    return view_of(t, dtype, ndim, sizes, strides, offset, out);
}

ts_status tsi_view_inside(ts_tensor *t, const ts_meta *m, ts_tensor **out)
{
    return view_of(t, m->dtype, m->ndim, m->sizes, m->strides, m->offset, out);
}

ts_status tsi_alias_new(ts_tensor *t, ts_tensor **out)
{
    if (tsi_of(t)->wrapped) {
        TS_TRY(tsi_wrap_again(t, tsi_of(t)->wrap->value, out));
        tsi_of(*out)->wrap->tangent = ts_retain(tsi_of(t)->wrap->tangent);
        return TS_OK;
    }
    TS_TRY(over(tsi_of(t)->storage, t->dtype, t->ndim, t->sizes, t->strides, t->offset,
                t->numel, out));
    tsi_of(*out)->version = tsi_of(t)->version;
    return TS_OK;
}

ts_status tsi_detach(ts_tensor *t, ts_tensor **out)
{
    ts_tensor *value;
    ts_status s;

    if (!tsi_of(t)->wrapped)
        return tsi_alias_new(t, out);
    TS_TRY(tsi_detach(tsi_of(t)->wrap->value, &value));
    s = tsi_wrap_again(t, value, out);
    ts_release(value);
    return s;
}

/* t's sizes and strides become these; sizes may be t's own. */
static ts_status set_geometry(ts_tensor *t, int ndim, const int64_t *sizes,
                              const int64_t *strides)
{
    tsi_body *b = tsi_of(t);
    int64_t *dims = b->dims, *before = t->sizes;

    if (ndim > TSI_INLINE_DIMS) {
        dims = malloc(2 * (size_t)ndim * sizeof *dims);
        TS_CHECK(dims, TS_ERR_OUT_OF_MEMORY, "tensors/C10", "no memory for %d dims",
                 ndim);
    }
    memmove(dims, sizes, (size_t)ndim * sizeof *dims);
    t->sizes = dims;
    t->ndim = ndim;
    fill_geometry(b, ndim, dims, strides);
    if (before != b->dims && before != dims)
        free(before);
    return TS_OK;
}

ts_status tsi_take_data(ts_tensor *t, const ts_tensor *from)
{
    ts_storage *storage;
    ts_status s;

    TS_TRY(tsi_storage_alias(tsi_of(from)->storage, &storage));
    storage->version = *tsi_of(t)->version;
    s = set_geometry(t, from->ndim, from->sizes, from->strides);
    if (s != TS_OK) {
        ts_storage_release(storage);
        return s;
    }
    t->numel = from->numel;
    t->dtype = from->dtype;
    ts_storage_release(tsi_of(t)->storage);
    attach(t, storage, from->offset);
    return TS_OK;
}

void tsi_bump_version(ts_tensor *t)
{
    ++*tsi_of(t)->version;
}

void tsi_version_reset(const ts_tensor *t)
{
    *tsi_of(t)->version = 0;
}

int64_t ts_version(const ts_tensor *t)
{
    return *tsi_of(t)->version;
}

ts_status tsi_resize(ts_tensor *t, int ndim, const int64_t *sizes)
{
    int64_t *const version = tsi_of(t)->version;
    int64_t numel;

    TS_TRY(count(ndim, sizes, &numel));
    TS_TRY(tsi_storage_grow(tsi_of(t)->storage,
                            (t->offset + numel) * (int64_t)tse_bytes(t->dtype)));
    TS_TRY(set_geometry(t, ndim, sizes, NULL));
    t->numel = numel;
    attach(t, tsi_of(t)->storage, t->offset);
    tsi_of(t)->version = version;
    return TS_OK;
}

bool ts_is_contiguous(const ts_tensor *t)
{
    int64_t step = 1;

    if (t->numel == 0)
        return true;
    for (int d = t->ndim - 1; d >= 0; d--) {
        if (t->sizes[d] == 1)
            continue;
        if (t->strides[d] != step)
            return false;
        step *= t->sizes[d];
    }
    return true;
}

bool ts_is_non_overlapping_and_dense(const ts_tensor *t)
{
    bool used[TS_MAX_DIMS] = {false};
    int64_t step = 1;

    if (ts_is_contiguous(t) && t->numel > 0)
        return true;
    if (t->ndim == 1)
        return t->sizes[0] < 2 || t->strides[0] == 1;
    for (int k = 0; k < t->ndim;
         k++) { /* the unused dim of this step, sizes below 2 last */
        int at = -1;

        for (int d = 0; d < t->ndim; d++)
            if (!used[d] && t->sizes[d] >= 2 &&
                (at < 0 || t->strides[d] < t->strides[at]))
                at = d;
        if (at < 0)
            return true;
        if (t->strides[at] != step)
            return false;
        step *= t->sizes[at];
        used[at] = true;
    }
    return true;
}

bool tsi_view_strides(const ts_tensor *t, int ndim, const int64_t *sizes,
                      int64_t *strides)
{
    int64_t run = 1; /* elements of t in the stretch of dims that merge */
    int64_t made = 1, base;
    int v = ndim - 1;

    if (t->numel == 0) {
        if (t->ndim == ndim && memcmp(t->sizes, sizes, (size_t)ndim * sizeof *sizes) == 0)
            memcpy(strides, t->strides, (size_t)ndim * sizeof *strides);
        else
            ts_contiguous_strides(ndim, sizes, strides);
        return true;
    }
    if (t->ndim == 0) {
        for (int d = 0; d < ndim; d++)
            strides[d] = 1;
        return true;
    }
    base = t->strides[t->ndim - 1];
    for (int d = t->ndim - 1; d >= 0; d--) {
        run *= t->sizes[d];
        if (d > 0 && (t->sizes[d - 1] == 1 || t->strides[d - 1] == run * base))
            continue;
        while (v >= 0 && (made < run || sizes[v] == 1)) {
            strides[v] = made * base;
            made *= sizes[v];
            v--;
        }
        if (made != run)
            return false;
        if (d > 0) {
            base = t->strides[d - 1];
            run = made = 1;
        }
    }
    return v == -1;
}

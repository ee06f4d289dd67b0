/* SPDX-License-Identifier: Apache-2.0 */
/* Tensors and views over storages (T-01). */
#include "touchstone/tensor.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/dispatch.h"
#include "core/storage.h"

_Atomic int64_t tsi_live_nodes;
static _Atomic int64_t live_tensors;

ts_live ts_live_now(void)
{
    ts_live live = {.tensors = live_tensors, .nodes = tsi_live_nodes};

    tsi_storage_live(&live.storages, &live.bytes);
    return live;
}

ts_tensor *ts_retain(ts_tensor *t)
{
    if (t)
        t->refs++;
    return t;
}

void ts_release(ts_tensor *t)
{
    while (t && --t->refs == 0) { /* a loop: a view's base goes next */
        ts_tensor *base = t->base;

        if (t->autograd)
            tsi_autograd_release(t);
        ts_storage_release(t->storage);
        if (t->sizes != t->dims)
            free(t->sizes);
        free(t);
        atomic_fetch_sub_explicit(&live_tensors, 1, memory_order_relaxed);
        t = base;
    }
}

void tsi_contiguous_strides(int ndim, const int64_t *sizes, int64_t *strides)
{
    int64_t step = 1;

    for (int d = ndim - 1; d >= 0; d--) {
        strides[d] = step;
        step *= sizes[d] > 1 ? sizes[d] : 1;
    }
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

ts_status tsi_numel(int ndim, const int64_t *sizes, int64_t *numel)
{
    char text[256];
    int64_t n = 1;

    TS_CHECK(ndim <= TS_MAX_DIMS, TS_ERR_RUNTIME, "tensors/C7",
             "%d dims, at most %d are allowed", ndim, TS_MAX_DIMS);
    for (int d = 0; d < ndim; d++)
        TS_CHECK(sizes[d] >= 0, TS_ERR_RUNTIME, "tensors/C8",
                 "negative size %" PRId64 " at dim %d of %s", sizes[d], d,
                 tsi_sizes_text(text, sizeof text, ndim, sizes));
    for (int d = 0; d < ndim; d++)
        TS_CHECK(!__builtin_mul_overflow(n, sizes[d], &n), TS_ERR_RUNTIME, "tensors/C8",
                 "number of elements of %s overflows int64",
                 tsi_sizes_text(text, sizeof text, ndim, sizes));
    *numel = n;
    return TS_OK;
}

static ts_tensor *header(ts_dtype dtype, int ndim, const int64_t *sizes,
                         const int64_t *strides, int64_t numel)
{
    ts_tensor *t = malloc(sizeof *t);
    const size_t bytes = (size_t)ndim * sizeof(int64_t);

    if (!t)
        return NULL;
    memset(t, 0, offsetof(ts_tensor, dims));
    t->refs = 1;
    t->numel = numel;
    t->ndim = ndim;
    t->dtype = dtype;
    t->sizes = t->dims;
    if (ndim > TS_INLINE_DIMS) {
        t->sizes = malloc(2 * bytes);
        if (!t->sizes) {
            free(t);
            return NULL;
        }
    }
    t->strides = t->sizes + (ndim > TS_INLINE_DIMS ? ndim : TS_INLINE_DIMS);
    memcpy(t->sizes, sizes, bytes);
    if (strides)
        memcpy(t->strides, strides, bytes);
    else
        tsi_contiguous_strides(ndim, sizes, t->strides);
    atomic_fetch_add_explicit(&live_tensors, 1, memory_order_relaxed);
    return t;
}

static void attach(ts_tensor *t, ts_storage *storage, int64_t offset)
{
    t->storage = storage;
    t->device = storage->device;
    t->offset = offset;
    t->version = &storage->version;
    if (storage->data)
        t->data = (char *)storage->data + offset * ts_dtype_size(t->dtype);
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
    ts_storage *storage;
    ts_tensor *t;

    TS_TRY(tsi_numel(ndim, sizes, &numel));
    span = numel;
    if (strides)
        TS_TRY(extent(ndim, sizes, strides, &span));
    TS_CHECK(!__builtin_mul_overflow(span, (int64_t)ts_dtype_size(dtype), &bytes),
             TS_ERR_RUNTIME, "tensors/C8",
             "%" PRId64 " elements of %s overflow int64 bytes", span,
             ts_dtype_name(dtype));
    TS_TRY(ts_storage_new(device, bytes, &storage));
    t = header(dtype, ndim, sizes, strides, numel);
    if (!t) {
        ts_storage_release(storage);
        return ts_fail(TS_ERR_OUT_OF_MEMORY, "tensors/C10",
                       "no memory for a tensor header");
    }
    attach(t, storage, 0);
    *out = t;
    return TS_OK;
}

ts_status ts_tensor_new(ts_device device, ts_dtype dtype, int ndim, const int64_t *sizes,
                        ts_tensor **out)
{
    return ts_tensor_new_strided(device, dtype, ndim, sizes, NULL, out);
}

ts_status ts_tensor_over(ts_storage *storage, ts_dtype dtype, int ndim,
                         const int64_t *sizes, const int64_t *strides, int64_t offset,
                         ts_tensor **out)
{
    const int64_t bytes = ts_dtype_size(dtype);
    int64_t numel, span, end;
    ts_tensor *t;

    TS_TRY(tsi_numel(ndim, sizes, &numel));
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
    t = header(dtype, ndim, sizes, strides, numel);
    TS_CHECK(t, TS_ERR_OUT_OF_MEMORY, "tensors/C10", "no memory for a tensor header");
    attach(t, ts_storage_retain(storage), offset);
    *out = t;
    return TS_OK;
}

ts_status tsi_view_new(ts_tensor *t, ts_dtype dtype, int ndim, const int64_t *sizes,
                       const int64_t *strides, int64_t offset, ts_tensor **out)
{
    TS_TRY(ts_tensor_over(t->storage, dtype, ndim, sizes, strides, offset, out));
    (*out)->base = ts_retain(t->base ? t->base : t);
    (*out)->version = t->version;
    (*out)->view_version = *t->version;
    return TS_OK;
}

ts_status tsi_alias_new(ts_tensor *t, ts_tensor **out)
{
    TS_TRY(ts_tensor_over(t->storage, t->dtype, t->ndim, t->sizes, t->strides, t->offset,
                          out));
    (*out)->version = t->version;
    return TS_OK;
}

ts_status tsi_take_data(ts_tensor *t, const ts_tensor *from)
{
    const size_t bytes = (size_t)from->ndim * sizeof(int64_t);
    int64_t *dims = t->dims;
    ts_storage *storage;

    TS_TRY(tsi_storage_alias(from->storage, &storage));
    storage->version = *t->version;
    if (from->ndim > TS_INLINE_DIMS && !(dims = malloc(2 * bytes))) {
        ts_storage_release(storage);
        return ts_fail(TS_ERR_OUT_OF_MEMORY, "tensors/C10", "no memory for %d dims",
                       from->ndim);
    }
    if (t->sizes != t->dims)
        free(t->sizes);
    t->sizes = dims;
    t->strides = dims + (from->ndim > TS_INLINE_DIMS ? from->ndim : TS_INLINE_DIMS);
    memcpy(t->sizes, from->sizes, bytes);
    memcpy(t->strides, from->strides, bytes);
    t->ndim = from->ndim;
    t->numel = from->numel;
    t->dtype = from->dtype;
    ts_storage_release(t->storage);
    attach(t, storage, from->offset);
    return TS_OK;
}

void tsi_bump_version(ts_tensor *t)
{
    ++*t->version;
}

int64_t ts_version(const ts_tensor *t)
{
    return *t->version;
}

ts_status tsi_resize(ts_tensor *t, int ndim, const int64_t *sizes)
{
    int64_t numel, *dims = t->dims;

    TS_TRY(tsi_numel(ndim, sizes, &numel));
    TS_TRY(tsi_storage_grow(t->storage, (t->offset + numel) * ts_dtype_size(t->dtype)));
    if (ndim > TS_INLINE_DIMS) {
        dims = malloc(2 * (size_t)ndim * sizeof *dims);
        TS_CHECK(dims, TS_ERR_OUT_OF_MEMORY, "tensors/C10", "no memory for %d dims",
                 ndim);
    }
    memmove(dims, sizes, (size_t)ndim * sizeof *dims);
    if (t->sizes != t->dims)
        free(t->sizes);
    t->sizes = dims;
    t->strides = dims + (ndim > TS_INLINE_DIMS ? ndim : TS_INLINE_DIMS);
    tsi_contiguous_strides(ndim, t->sizes, t->strides);
    t->ndim = ndim;
    t->numel = numel;
    attach(t, t->storage, t->offset);
    return TS_OK;
}

bool tsi_same_sizes(const ts_tensor *a, const ts_tensor *b)
{
    return a->ndim == b->ndim &&
           memcmp(a->sizes, b->sizes, (size_t)a->ndim * sizeof *a->sizes) == 0;
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
            tsi_contiguous_strides(ndim, sizes, strides);
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

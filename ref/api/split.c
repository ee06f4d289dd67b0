/* SPDX-License-Identifier: Apache-2.0 */
/* split, chunk, tensor_split: parts along a dim, one after the other; spec/ops/split.md. */
#include "touchstone/ops.h"
#include "touchstone/ops/split_glue.h"

#include "core/core.h"

static ts_status wrap_dim(const ts_frame *f, int64_t dim, int *out)
{
    const ts_tensor *self = tsi_tensor(f, 0);

    TS_CHECK(self->ndim > 0, TS_ERR_RUNTIME, "split/C2",
             "%s: a 0-dim tensor has no dim to take apart", f->op->name);
    return tsi_wrap_dim("split/C1", dim, self->ndim, out);
}

static ts_status room_for(ts_frame *f, int64_t n)
{
    TS_CHECK(n <= INT32_MAX, TS_ERR_OUT_OF_MEMORY, "tensors/C10",
             "%s: no memory for %" PRId64 " parts", f->op->name, n);
    return tsi_results(f, (int)n);
}

/* S6: part i has `n` of dim's elements, from `from` on. */
static ts_status part(ts_frame *f, int i, int dim, int64_t from, int64_t n)
{
    const ts_tensor *self = tsi_tensor(f, 0);
    int64_t sizes[TS_MAX_DIMS];

    memcpy(sizes, self->sizes, (size_t)self->ndim * sizeof *sizes);
    sizes[dim] = n;
    return tsi_result_view(f, i, self, self->ndim, sizes, self->strides,
                           self->offset + from * self->strides[dim]);
}

ts_status tsi_api_split(ts_frame *f)
{
    const ts_tensor *self = tsi_tensor(f, TS_SPLIT_SELF);
    const int64_t step = f->args[TS_SPLIT_SPLIT_SIZE].i;
    int64_t size;
    int dim;

    TS_CHECK(step >= 0, TS_ERR_RUNTIME, "split/C3",
             "split: split_size must not be negative, got %" PRId64, step);
    TS_TRY(wrap_dim(f, f->args[TS_SPLIT_DIM].i, &dim));
    size = self->sizes[dim];
    TS_CHECK(step > 0 || size == 0, TS_ERR_RUNTIME, "split/C3",
             "split: split_size 0 is for a dim of size 0, but this has %" PRId64, size);
    TS_TRY(room_for(f, size == 0 ? 1 : size / step + (size % step != 0)));
    for (int i = 0; i < f->nresults; i++) { /* S1 */
        const int64_t from = i * step, left = size - from;

        TS_TRY(part(f, i, dim, from, left < step ? left : step));
    }
    return TS_OK;
}

ts_status tsi_api_split_with_sizes(ts_frame *f)
{
    const ts_tensor *self = tsi_tensor(f, TS_SPLIT_WITH_SIZES_SELF);
    const ts_value *sizes = &f->args[TS_SPLIT_WITH_SIZES_SPLIT_SIZES];
    int64_t sum = 0;
    int dim;

    TS_TRY(wrap_dim(f, f->args[TS_SPLIT_WITH_SIZES_DIM].i, &dim));
    for (int64_t i = 0; i < sizes->ints.n; i++) {
        TS_CHECK(sizes->ints.v[i] >= 0, TS_ERR_RUNTIME, "split/C4",
                 "split_with_sizes: size %" PRId64 " of part %" PRId64 " is negative",
                 sizes->ints.v[i], i);
        if (__builtin_add_overflow(sum, sizes->ints.v[i], &sum))
            sum = INT64_MAX;
    }
    TS_CHECK(sum == self->sizes[dim], TS_ERR_RUNTIME, "split/C4",
             "split_with_sizes: the sizes add up to %" PRId64 ", but dim %d has %" PRId64,
             sum, dim, self->sizes[dim]);
    TS_TRY(room_for(f, sizes->ints.n));
    sum = 0;
    for (int i = 0; i < f->nresults; i++) { /* S2 */
        TS_TRY(part(f, i, dim, sum, sizes->ints.v[i]));
        sum += sizes->ints.v[i];
    }
    return TS_OK;
}

/* --- programs --- */

static ts_status give(ts_frame *f, ts_tensors *parts)
{
    const ts_status s = room_for(f, parts->n);

    for (int i = 0; s == TS_OK && i < f->nresults; i++)
        f->results[i] = ts_retain(parts->v[i]);
    ts_tensors_release(parts);
    return s;
}

/* S3: of no elements there are as many parts as asked for. */
static ts_status empty_chunks(ts_frame *f, int64_t chunks, int dim)
{
    ts_tensor *self = tsi_tensor(f, TS_CHUNK_SELF);
    ts_slice_opts o = ts_slice_defaults();

    o.dim = dim;
    TS_TRY(room_for(f, chunks));
    for (int i = 0; i < f->nresults; i++)
        TS_TRY(ts_slice(self, &o, &f->results[i]));
    return TS_OK;
}

ts_status tsi_program_chunk(ts_frame *f)
{
    ts_tensor *self = tsi_tensor(f, TS_CHUNK_SELF);
    const int64_t chunks = f->args[TS_CHUNK_CHUNKS].i;
    ts_split_opts o = ts_split_defaults();
    ts_tensors parts;
    int64_t size;
    int dim;

    TS_CHECK(chunks > 0, TS_ERR_RUNTIME, "split/C5",
             "chunk: chunks must be greater than 0, got %" PRId64, chunks);
    TS_TRY(wrap_dim(f, f->args[TS_CHUNK_DIM].i, &dim));
    size = self->sizes[dim];
    if (size == 0)
        return empty_chunks(f, chunks, dim);
    o.dim = dim;
    TS_TRY(ts_split(self, size / chunks + (size % chunks != 0), &o, &parts));
    return give(f, &parts);
}

/* Part i as a slice, whose bounds are clamped. */
static ts_status slice(ts_frame *f, int i, int dim, int64_t start, const int64_t *end)
{
    ts_slice_opts o = ts_slice_defaults();

    o.dim = dim;
    o.start = &start;
    o.end = end;
    return ts_slice(tsi_tensor(f, 0), &o, &f->results[i]);
}

ts_status tsi_program_tensor_split(ts_frame *f)
{
    const ts_tensor *self = tsi_tensor(f, TS_TENSOR_SPLIT_SELF);
    const int64_t sections = f->args[TS_TENSOR_SPLIT_SECTIONS].i;
    int64_t from = 0;
    int dim;

    TS_TRY(wrap_dim(f, f->args[TS_TENSOR_SPLIT_DIM].i, &dim));
    TS_CHECK(sections > 0, TS_ERR_RUNTIME, "split/C5",
             "tensor_split: sections must be greater than 0, got %" PRId64, sections);
    TS_TRY(room_for(f, sections));
    for (int i = 0; i < f->nresults; i++) { /* S4 */
        const int64_t size = self->sizes[dim];
        const int64_t end = from + size / sections + (i < size % sections);

        TS_TRY(slice(f, i, dim, from, &end));
        from = end;
    }
    return TS_OK;
}

ts_status tsi_program_tensor_split_indices(ts_frame *f)
{
    const ts_value *cuts = &f->args[TS_TENSOR_SPLIT_INDICES_INDICES];
    int64_t from = 0;
    int dim;

    TS_TRY(wrap_dim(f, f->args[TS_TENSOR_SPLIT_INDICES_DIM].i, &dim));
    TS_TRY(room_for(f, cuts->ints.n + 1));
    for (int i = 0; i < f->nresults; i++) { /* S5 */
        TS_TRY(slice(f, i, dim, from, i < cuts->ints.n ? &cuts->ints.v[i] : NULL));
        from = i < cuts->ints.n ? cuts->ints.v[i] : 0;
    }
    return TS_OK;
}

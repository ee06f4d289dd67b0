/* SPDX-License-Identifier: Apache-2.0 */
/* flip, roll, rot90: what they accept and what layout comes back; spec/ops/flip.md. */
#include "touchstone/ops.h"
#include "touchstone/ops/flip_glue.h"

#include "api/format.h"

ts_status tsi_api_flip(ts_frame *f)
{
    const ts_tensor *self = tsi_tensor(f, TS_FLIP_SELF);
    const ts_value *dims = &f->args[TS_FLIP_DIMS];
    bool seen[TS_MAX_DIMS] = {false};
    int dim;

    for (int64_t k = 0; k < dims->ints.n; k++) {
        TS_TRY(tsi_wrap_dim("flip/C1", dims->ints.v[k], self->ndim, &dim));
        TS_CHECK(!seen[dim], TS_ERR_RUNTIME, "flip/C2", "flip: dim %d stands twice", dim);
        seen[dim] = true;
    }
    return tsi_result_like(f, 0, self, self->dtype); /* S7 */
}

static ts_status flip_one(ts_frame *f, int64_t dim)
{
    ts_tensor *self = tsi_tensor(f, 0);

    TS_CHECK(self->ndim > dim, TS_ERR_RUNTIME, "flip/C6",
             "%s: at least %" PRId64 " dims are expected, got %d", f->op->name, dim + 1,
             self->ndim);
    return ts_flip(self, &dim, 1, &f->results[0]);
}

ts_status tsi_program_fliplr(ts_frame *f)
{
    return flip_one(f, 1);
}

ts_status tsi_program_flipud(ts_frame *f)
{
    return flip_one(f, 0);
}

/* Whether a cat of t's two parts, cut at `start`, is channels-last (S8). */
static bool parts_are_channels_last(const ts_tensor *t, int dim, int64_t start)
{
    int64_t sizes[TS_MAX_DIMS];
    ts_tensor part = *t;

    memcpy(sizes, t->sizes, (size_t)t->ndim * sizeof *sizes);
    part.sizes = sizes;
    sizes[dim] = t->sizes[dim] - start;
    if (!tsi_in_channels_last_order(&part))
        return false;
    sizes[dim] = start;
    return tsi_in_channels_last_order(&part);
}

/* The layout after each pair in turn (S8). */
static ts_status rolled(ts_frame *f, const ts_value *shifts, const ts_value *dims)
{
    const ts_tensor *self = tsi_tensor(f, TS_ROLL_SELF);
    int64_t strides[4];
    ts_tensor now = *self;
    bool channels_last = false;

    for (int64_t k = 0; k < dims->ints.n; k++) {
        const int64_t by = shifts->ints.v[k];
        int dim;

        TS_CHECK(self->ndim > 0, TS_ERR_INDEX, "flip/C8",
                 "roll: dim %" PRId64 " of a tensor that has no dims", dims->ints.v[k]);
        TS_TRY(tsi_wrap_dim("flip/C1", dims->ints.v[k], self->ndim, &dim));
        if (self->ndim != 4)
            continue;

        const int64_t size = self->sizes[dim];

        channels_last = parts_are_channels_last(&now, dim, (size - by % size) % size);
        TS_TRY(tsi_channels_last(NULL, 4, self->sizes, strides));
        if (!channels_last)
            for (int64_t d = 3, step = 1; d >= 0; step *= self->sizes[d--])
                strides[d] = step;
        now.strides = strides;
    }
    TS_TRY(tsi_result(f, 0, self->device, self->dtype, self->ndim, self->sizes));
    if (channels_last) {
        memcpy(f->meta[0].strides, strides, sizeof strides);
        f->meta[0].strided = true;
    }
    return TS_OK;
}

ts_status tsi_api_roll(ts_frame *f)
{
    const ts_tensor *self = tsi_tensor(f, TS_ROLL_SELF);
    const ts_value *shifts = &f->args[TS_ROLL_SHIFTS], *dims = &f->args[TS_ROLL_DIMS];

    TS_CHECK(shifts->ints.n > 0, TS_ERR_RUNTIME, "flip/C3", "roll: shifts are required");
    if (dims->ints.n == 0 && shifts->ints.n == 1) /* S4 */
        return tsi_result(f, 0, self->device, self->dtype, self->ndim, self->sizes);
    TS_CHECK(shifts->ints.n == dims->ints.n, TS_ERR_RUNTIME, "flip/C4",
             "roll: %" PRId64 " shifts for %" PRId64 " dims", shifts->ints.n,
             dims->ints.n);
    if (self->numel == 0)
        return tsi_result_like(f, 0, self, self->dtype);
    return rolled(f, shifts, dims);
}

static ts_status check_plane(const ts_frame *f, int *a, int *b)
{
    const ts_tensor *self = tsi_tensor(f, TS_ROT90_SELF);
    const ts_value *dims = &f->args[TS_ROT90_DIMS];

    TS_CHECK(dims->ints.n == 2, TS_ERR_RUNTIME, "flip/C5",
             "rot90: 2 dims are expected, got %" PRId64, dims->ints.n);
    TS_CHECK(self->ndim >= 2, TS_ERR_RUNTIME, "flip/C6",
             "rot90: at least 2 dims are expected, got %d", self->ndim);
    TS_TRY(tsi_wrap_dim("flip/C1", dims->ints.v[0], self->ndim, a));
    TS_TRY(tsi_wrap_dim("flip/C1", dims->ints.v[1], self->ndim, b));
    TS_CHECK(*a != *b, TS_ERR_RUNTIME, "flip/C7",
             "rot90: two dims are expected to differ, got %" PRId64 " and %" PRId64,
             dims->ints.v[0], dims->ints.v[1]);
    return TS_OK;
}

ts_status tsi_api_rot90(ts_frame *f)
{
    const ts_tensor *self = tsi_tensor(f, TS_ROT90_SELF);
    const int64_t k = f->args[TS_ROT90_K].i & 3;
    ts_meta *m = &f->meta[0];
    int a, b;

    TS_TRY(check_plane(f, &a, &b));
    if (k == 0)
        return tsi_result(f, 0, self->device, self->dtype, self->ndim, self->sizes);
    TS_TRY(tsi_result_like(f, 0, self, self->dtype)); /* S7 */
    if (k == 2)
        return TS_OK;

    const int64_t size = m->sizes[a];

    if (!m->strided)
        for (int64_t d = m->ndim - 1, step = 1; d >= 0; d--) {
            m->strides[d] = step;
            step *= m->sizes[d] > 0 ? m->sizes[d] : 1;
        }

    const int64_t stride = m->strides[a];

    m->sizes[a] = m->sizes[b];
    m->strides[a] = m->strides[b];
    m->sizes[b] = size;
    m->strides[b] = stride;
    m->strided = true;
    return TS_OK;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* repeat, tile, repeat_interleave: what they accept and are made of; spec/ops/repeat.md. */
#include "touchstone/ops.h"
#include "touchstone/ops/repeat_glue.h"

#include "core/core.h"
#include "core/expr.h"
#include "touchstone/ops/clone_expr.h"
#include "touchstone/ops/expand_expr.h"
#include "touchstone/ops/index_select_expr.h"
#include "touchstone/ops/repeat_expr.h"
#include "touchstone/ops/view_expr.h"

ts_status tsi_api_repeat(ts_frame *f)
{
    const ts_tensor *self = tsi_tensor(f, TS_REPEAT_SELF);
    const ts_value *repeats = &f->args[TS_REPEAT_REPEATS];
    const int ndim = (int)repeats->ints.n, added = ndim - self->ndim;
    int64_t sizes[TS_MAX_DIMS];

    TS_CHECK(repeats->ints.n <= TS_MAX_DIMS, TS_ERR_RUNTIME, "tensors/C7",
             "repeat: %" PRId64 " dims, at most %d are allowed", repeats->ints.n,
             TS_MAX_DIMS);
    TS_CHECK(added >= 0, TS_ERR_RUNTIME, "repeat/C1",
             "repeat: %d numbers for a tensor of %d dims", ndim, self->ndim);
    for (int d = 0; d < ndim; d++)
        TS_CHECK(!__builtin_mul_overflow(repeats->ints.v[d],
                                         d < added ? 1 : self->sizes[d - added],
                                         &sizes[d]) &&
                     sizes[d] >= 0,
                 TS_ERR_RUNTIME, "tensors/C8",
                 "repeat: %" PRId64 " times dim %d is no size", repeats->ints.v[d], d);
    return tsi_result(f, 0, self->device, self->dtype, ndim, sizes);
}

ts_status tsi_program_tile(ts_frame *f)
{
    ts_tensor *self = tsi_tensor(f, TS_TILE_SELF);
    const ts_value *dims = &f->args[TS_TILE_DIMS];
    const int64_t missing = self->ndim - dims->ints.n;
    int64_t repeats[TS_MAX_DIMS];

    if (missing <= 0)
        return ts_repeat(self, dims->ints.v, dims->ints.n, &f->results[0]);
    for (int64_t d = 0; d < self->ndim; d++)
        repeats[d] = d < missing ? 1 : dims->ints.v[d - missing];
    return ts_repeat(self, repeats, self->ndim, &f->results[0]);
}

/* --- repeat_interleave --- */

/* The dim, and how many elements it has; without one self is taken flat. */
static ts_status along(const ts_frame *f, const ts_value *given, int *dim, int64_t *size)
{
    const ts_tensor *self = tsi_tensor(f, 0);

    *dim = 0;
    *size = self->numel;
    if (given->kind != TS_ARG_INT)
        return TS_OK;
    TS_CHECK(self->ndim > 0, TS_ERR_INDEX, "repeat/C6",
             "repeat_interleave: dim %" PRId64 " of a tensor that has no dims", given->i);
    TS_TRY(tsi_wrap_dim("repeat/C6", given->i, self->ndim, dim));
    *size = self->sizes[*dim];
    return TS_OK;
}

ts_status tsi_program_repeat_interleave_number(ts_frame *f) /* S4 */
{
    const ts_value *given = &f->args[TS_REPEAT_INTERLEAVE_NUMBER_DIM],
                   *said = &f->args[TS_REPEAT_INTERLEAVE_NUMBER_OUTPUT_SIZE];
    const int64_t n = f->args[TS_REPEAT_INTERLEAVE_NUMBER_REPEATS].i;
    ts_tensor *x = tsi_tensor(f, TS_REPEAT_INTERLEAVE_NUMBER_SELF), *y;
    int64_t sizes[TS_MAX_DIMS], size, all;
    ts_clone_opts packed = ts_clone_defaults();
    ts_flatten_opts both = ts_flatten_defaults();
    tsi_expr e = {0};
    int dim;

    TS_TRY(along(f, given, &dim, &size));
    TS_CHECK(n >= 0, TS_ERR_RUNTIME, "repeat/C2",
             "repeat_interleave: repeats must not be negative, got %" PRId64, n);
    TS_CHECK(!__builtin_mul_overflow(size, n, &all), TS_ERR_RUNTIME, "tensors/C8",
             "repeat_interleave: more elements than int64 counts");
    TS_CHECK(said->kind != TS_ARG_INT || said->i == all, TS_ERR_RUNTIME, "repeat/C7",
             "repeat_interleave: an output_size of %" PRId64 ", but it is %" PRId64,
             said->i, all);
    if (given->kind != TS_ARG_INT)
        x = tsx_flatten(&e, x, NULL);
    y = tsx_unsqueeze(&e, x, dim + 1);
    for (int d = 0; y && d < y->ndim; d++)
        sizes[d] = d == dim + 1 ? n : y->sizes[d];
    if (y)
        y = tsx_expand(&e, y, sizes, y->ndim, NULL);
    packed.memory_format = TS_CONTIGUOUS_FORMAT;
    both.start_dim = dim;
    both.end_dim = dim + 1;
    y = tsx_clone(&e, y, &packed);
    return tsi_expr_give(&e, tsx_flatten(&e, y, &both), &f->results[0]);
}

ts_status tsi_program_repeat_interleave(ts_frame *f) /* S5 */
{
    const ts_value *given = &f->args[TS_REPEAT_INTERLEAVE_DIM],
                   *said = &f->args[TS_REPEAT_INTERLEAVE_OUTPUT_SIZE];
    ts_tensor *x = tsi_tensor(f, TS_REPEAT_INTERLEAVE_SELF),
              *repeats = tsi_tensor(f, TS_REPEAT_INTERLEAVE_REPEATS), *index;
    ts_repeat_interleave_counts_opts o = ts_repeat_interleave_counts_defaults();
    tsi_expr e = {0};
    int64_t size;
    int dim;

    TS_CHECK(repeats->ndim <= 1, TS_ERR_RUNTIME, "repeat/C4",
             "repeat_interleave: repeats must have at most 1 dim, got %d", repeats->ndim);
    TS_TRY(along(f, given, &dim, &size));
    TS_CHECK(repeats->numel == 1 || repeats->numel == size, TS_ERR_RUNTIME, "repeat/C5",
             "repeat_interleave: %" PRId64 " repeats for %" PRId64 " elements",
             repeats->numel, size);
    if (given->kind != TS_ARG_INT)
        x = tsx_flatten(&e, x, NULL);
    if (repeats->ndim == 0 || repeats->sizes[0] != size)
        repeats = tsx_expand(&e, repeats, &size, 1, NULL);
    o.output_size = said->kind == TS_ARG_INT ? &said->i : NULL;
    index = tsx_repeat_interleave_counts(&e, repeats, &o);
    if (index && index->dtype != TS_INT32)
        index = tsi_cast(&e, index, TS_INT64);
    return tsi_expr_give(&e, tsx_index_select(&e, x, dim, index), &f->results[0]);
}

ts_status tsi_api_repeat_interleave_counts(ts_frame *f)
{
    const ts_tensor *repeats = tsi_tensor(f, TS_REPEAT_INTERLEAVE_COUNTS_REPEATS);
    const ts_value *said = &f->args[TS_REPEAT_INTERLEAVE_COUNTS_OUTPUT_SIZE];

    TS_CHECK(repeats->ndim == 1, TS_ERR_RUNTIME, "repeat/C4",
             "repeat_interleave: repeats alone must have 1 dim, got %d", repeats->ndim);
    TS_TRY(tsi_check_dtype(f, repeats->dtype, "repeat/C3"));
    TS_CHECK(said->kind != TS_ARG_INT || said->i >= 0, TS_ERR_RUNTIME, "tensors/C8",
             "repeat_interleave: an output_size of %" PRId64, said->i);
    f->flags |= TS_FRAME_UNKNOWN; /* S7 */
    return TS_OK;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* movedim and its kin as permute and transpose; see spec/ops/movedim.md. */
#include "touchstone/ops.h"
#include "touchstone/ops/movedim_glue.h"

#include "core/core.h"

/* S1, S2: the named dims go to their places, the others fill what is left. */
static ts_status moved(ts_frame *f, const int64_t *source, int64_t n_source,
                       const int64_t *destination, int64_t n)
{
    ts_tensor *self = tsi_tensor(f, 0);
    bool taken[TS_MAX_DIMS] = {false}, filled[TS_MAX_DIMS] = {false};
    int64_t order[TS_MAX_DIMS] = {0};
    int next = 0, from, to;

    TS_CHECK(n_source == n, TS_ERR_RUNTIME, "movedim/C2",
             "movedim: %" PRId64 " dims to %" PRId64 " places", n_source, n);
    for (int64_t k = 0; k < n; k++) {
        TS_TRY(tsi_wrap_dim("movedim/C1", source[k], self->ndim, &from));
        TS_TRY(tsi_wrap_dim("movedim/C1", destination[k], self->ndim, &to));
        TS_CHECK(!taken[from] && !filled[to], TS_ERR_RUNTIME, "movedim/C3",
                 "movedim: dim %d or place %d stands twice", from, to);
        taken[from] = filled[to] = true;
        order[to] = from;
    }
    for (int d = 0; d < self->ndim; d++) {
        if (filled[d])
            continue;
        while (taken[next])
            next++;
        order[d] = next++;
    }
    return ts_permute(self, order, self->ndim, &f->results[0]);
}

ts_status tsi_program_movedim(ts_frame *f)
{
    return moved(f, &f->args[TS_MOVEDIM_SOURCE].i, 1, &f->args[TS_MOVEDIM_DESTINATION].i,
                 1);
}

ts_status tsi_program_movedim_list(ts_frame *f)
{
    const ts_value *source = &f->args[TS_MOVEDIM_LIST_SOURCE],
                   *destination = &f->args[TS_MOVEDIM_LIST_DESTINATION];

    return moved(f, source->ints.v, source->ints.n, destination->ints.v,
                 destination->ints.n);
}

static ts_status swapped(ts_frame *f)
{
    ts_tensor *self = tsi_tensor(f, 0);
    int a, b;

    TS_TRY(tsi_wrap_dim("movedim/C1", f->args[1].i, self->ndim, &a));
    TS_TRY(tsi_wrap_dim("movedim/C1", f->args[2].i, self->ndim, &b));
    return ts_transpose(self, a, b, &f->results[0]);
}

ts_status tsi_program_swapaxes(ts_frame *f)
{
    return swapped(f);
}

ts_status tsi_program_swapdims(ts_frame *f)
{
    return swapped(f);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* expand, squeeze, unsqueeze and what is made of them: dims that repeat, dims of size 1.
 */
#include "touchstone/ops.h"
#include "touchstone/ops/expand_glue.h"

#include "core/core.h"

ts_status tsi_api_expand(ts_frame *f)
{
    const ts_tensor *self = tsi_tensor(f, TS_EXPAND_SELF);
    const ts_value *size = &f->args[TS_EXPAND_SIZE];
    const int ndim = (int)size->ints.n, added = ndim - self->ndim;
    int64_t sizes[TS_MAX_DIMS], strides[TS_MAX_DIMS];
    char text[256];

    TS_CHECK(size->ints.n <= TS_MAX_DIMS, TS_ERR_RUNTIME, "tensors/C7",
             "expand: %" PRId64 " dims, at most %d are allowed", size->ints.n,
             TS_MAX_DIMS);
    TS_CHECK(added >= 0, TS_ERR_RUNTIME, "expand/C1",
             "expand: %s has fewer sizes than the tensor's %d dims",
             tsi_sizes_text(text, sizeof text, ndim, size->ints.v), self->ndim);
    for (int d = ndim - 1; d >= 0; d--) {
        const bool own = d >= added;
        const int64_t have = own ? self->sizes[d - added] : 1;
        const int64_t want = size->ints.v[d];

        TS_CHECK(own || want != -1, TS_ERR_RUNTIME, "expand/C3",
                 "expand: -1 at dim %d of %s, a new dim whose size is not known", d,
                 tsi_sizes_text(text, sizeof text, ndim, size->ints.v));
        sizes[d] = want == -1 ? have : want;
        TS_CHECK(sizes[d] >= 0 && (sizes[d] == have || have == 1), TS_ERR_RUNTIME,
                 "expand/C2",
                 "expand: size %" PRId64 " at dim %d of %s does not match the existing "
                 "size %" PRId64,
                 want, d, tsi_sizes_text(text, sizeof text, ndim, size->ints.v), have);
        if (sizes[d] != have)
            strides[d] = 0; /* S1 */
        else if (own)
            strides[d] = self->strides[d - added];
        else if (self->ndim == 0)
            strides[d] = 0;
        else
            strides[d] = d + 1 < ndim ? sizes[d + 1] * strides[d + 1] : 1; /* S2 */
    }
    return tsi_result_view(f, 0, self, ndim, sizes, strides, self->offset);
}

ts_status tsi_program_broadcast_to(ts_frame *f)
{
    return ts_expand(tsi_tensor(f, TS_BROADCAST_TO_SELF),
                     f->args[TS_BROADCAST_TO_SIZE].ints.v,
                     f->args[TS_BROADCAST_TO_SIZE].ints.n, NULL, &f->results[0]);
}

ts_status tsi_program_expand_as(ts_frame *f)
{
    const ts_tensor *other = tsi_tensor(f, TS_EXPAND_AS_OTHER);

    return ts_expand(tsi_tensor(f, TS_EXPAND_AS_SELF), other->sizes, other->ndim, NULL,
                     &f->results[0]);
}

ts_status tsi_api_unsqueeze(ts_frame *f)
{
    const ts_tensor *self = tsi_tensor(f, TS_UNSQUEEZE_SELF);
    int64_t sizes[TS_MAX_DIMS + 1], strides[TS_MAX_DIMS + 1];
    int at;

    TS_TRY(tsi_wrap_dim("expand/C4", f->args[TS_UNSQUEEZE_DIM].i, self->ndim + 1, &at));
    for (int d = 0; d < self->ndim; d++) {
        sizes[d + (d >= at)] = self->sizes[d];
        strides[d + (d >= at)] = self->strides[d];
    }
    sizes[at] = 1;
    strides[at] = at < self->ndim ? self->sizes[at] * self->strides[at] : 1; /* S6 */
    return tsi_result_view(f, 0, self, self->ndim + 1, sizes, strides, self->offset);
}

ts_status tsi_api_squeeze(ts_frame *f)
{
    const ts_tensor *self = tsi_tensor(f, TS_SQUEEZE_SELF);
    const ts_value *dims = &f->args[TS_SQUEEZE_DIM];
    int64_t sizes[TS_MAX_DIMS], strides[TS_MAX_DIMS];
    bool named[TS_MAX_DIMS] = {false};
    int n = 0, at;

    for (int64_t k = 0; dims->kind == TS_ARG_INTS && k < dims->ints.n; k++) {
        TS_TRY(tsi_wrap_dim("expand/C4", dims->ints.v[k], self->ndim, &at));
        TS_CHECK(!named[at], TS_ERR_RUNTIME, "expand/C5",
                 "squeeze: dim %d stands twice in the list of dims", at);
        named[at] = true;
    }
    for (int d = 0; d < self->ndim; d++) {
        if (self->sizes[d] == 1 && (dims->kind != TS_ARG_INTS || named[d]))
            continue;
        sizes[n] = self->sizes[d];
        strides[n++] = self->strides[d];
    }
    return tsi_result_view(f, 0, self, n, sizes, strides, self->offset);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* cat: what it accepts and what comes back; see spec/ops/cat.md. */
#include "api/format.h"
#include "core/overlap.h"
#include "touchstone/ops/cat_glue.h"

static bool is_skipped(const ts_tensor *t)
{
    return t->ndim == 1 && t->sizes[0] == 0;
}

/* S6: C, W, H, N lie in this order, gaps between them or not. */
bool tsi_in_channels_last_order(const ts_tensor *t)
{
    int64_t covered = 0; /* by the dims so far */

    if (t->ndim != 4 || t->strides[1] == 0)
        return false;
    for (int i = 0; i < 4; i++) {
        const int d = (int[]){1, 3, 2, 0}[i];

        if (t->sizes[d] == 0 || t->strides[d] < covered)
            return false;
        if (d == 0 && covered == t->strides[1]) /* as contiguous as it is channels-last */
            return false;
        covered = t->strides[d] * t->sizes[d];
    }
    return true;
}

static ts_status check_sizes(const ts_frame *f, int dim, const ts_tensor *first,
                             int64_t at)
{
    const ts_tensor *t = f->args[TS_CAT_TENSORS].tensors.v[at];

    TS_CHECK(t->ndim == first->ndim, TS_ERR_RUNTIME, "cat/C4",
             "cat: tensor %" PRId64 " has %d dims, %d are expected", at, t->ndim,
             first->ndim);
    for (int d = 0; d < t->ndim; d++)
        TS_CHECK(d == dim || t->sizes[d] == first->sizes[d], TS_ERR_RUNTIME, "cat/C5",
                 "cat: tensor %" PRId64 " has size %" PRId64 " at dim %d, %" PRId64
                 " is expected",
                 at, t->sizes[d], d, first->sizes[d]);
    return TS_OK;
}

static ts_status check_out(const ts_frame *f)
{
    const ts_tensor *out = f->out[0];

    for (int64_t i = 0; i < f->args[TS_CAT_TENSORS].tensors.n; i++) {
        const tsi_overlap o = tsi_overlap_of(out, f->args[TS_CAT_TENSORS].tensors.v[i]);

        TS_CHECK(o == TSI_OVERLAP_NONE || o == TSI_OVERLAP_UNKNOWN, TS_ERR_RUNTIME,
                 "cat/C7", "cat: out overlaps tensor %" PRId64 "; clone() it first", i);
    }
    return TS_OK;
}

/* S6. */
static void channels_last_strides(ts_meta *m)
{
    int64_t step = 1;

    m->strided = true;
    for (int i = 0; i < 4; i++) {
        const int d = (int[]){1, 3, 2, 0}[i];

        m->strides[d] = step;
        step *= m->sizes[d];
    }
}

ts_status tsi_api_cat(ts_frame *f)
{
    ts_tensor *const *t = f->args[TS_CAT_TENSORS].tensors.v;
    const int64_t n = f->args[TS_CAT_TENSORS].tensors.n;
    const ts_tensor *first = NULL;
    int64_t sizes[TS_MAX_DIMS] = {0};
    char here[TSI_DEVICE_TEXT], there[TSI_DEVICE_TEXT];
    bool channels_last = true;
    ts_dtype dtype;
    int dim = 0;

    TS_CHECK(n > 0, TS_ERR_VALUE, "cat/C1",
             "cat: a list of tensors is expected to be non-empty");
    for (int64_t i = 0; i < n; i++) {
        TS_CHECK(t[i]->ndim > 0, TS_ERR_RUNTIME, "cat/C2",
                 "cat: tensor %" PRId64 " has no dims and cannot be concatenated", i);
        TS_CHECK(t[i]->device.type == t[0]->device.type &&
                     t[i]->device.index == t[0]->device.index,
                 TS_ERR_RUNTIME, "errors/C3",
                 "cat: expected all tensors on one device, but tensor 0 is on %s and "
                 "tensor %" PRId64 " on %s",
                 tsi_device_text(here, t[0]->device), i,
                 tsi_device_text(there, t[i]->device));
        if (!first && !is_skipped(t[i]))
            first = t[i];
        channels_last = channels_last && tsi_in_channels_last_order(t[i]);
    }
    if (first)
        TS_TRY(tsi_wrap_dim("cat/C3", f->args[TS_CAT_DIM].i, first->ndim, &dim));
    dtype = tsi_result_type((int)n, t);
    TS_CHECK(dtype != TS_DTYPE_NONE, TS_ERR_RUNTIME, "cat/C8",
             "cat: the tensors have no dtype in common");
    TS_CHECK(f->form != TS_OUT || ts_can_cast(dtype, f->out[0]->dtype), TS_ERR_TYPE,
             "cat/C6", "cat: %s can't be cast to out's %s", ts_dtype_name(dtype),
             ts_dtype_name(f->out[0]->dtype));
    if (first) {
        memcpy(sizes, first->sizes, (size_t)first->ndim * sizeof *sizes);
        sizes[dim] = 0;
        for (int64_t i = 0; i < n; i++) {
            if (is_skipped(t[i]))
                continue;
            TS_TRY(check_sizes(f, dim, first, i));
            sizes[dim] += t[i]->sizes[dim];
        }
    }
    if (f->form == TS_OUT)
        TS_TRY(check_out(f));
    f->flags |= TS_FRAME_OUT_CASTS;
    TS_TRY(tsi_result(f, 0, t[0]->device, dtype, first ? first->ndim : 1, sizes));
    if (channels_last)
        channels_last_strides(&f->meta[0]);
    return TS_OK;
}

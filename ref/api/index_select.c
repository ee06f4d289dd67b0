/* SPDX-License-Identifier: Apache-2.0 */
/* index_select, index_add: what they accept and what comes back; see
 * spec/ops/index_select.md. */
#include "family/family.h"
#include "touchstone/ops/index_select_glue.h"

static ts_status check_index(const ts_frame *f, const ts_tensor *index)
{
    TS_CHECK(index->ndim <= 1, TS_ERR_INDEX, "index_select/C3",
             "%s: index is supposed to be a vector, has %d dims", f->op->name,
             index->ndim);
    return tsi_check_index(f, index, "index_select/C2");
}

ts_status tsi_api_index_select(ts_frame *f)
{
    const ts_tensor *x = tsi_tensor(f, TS_INDEX_SELECT_SELF);
    const ts_tensor *index = tsi_tensor(f, TS_INDEX_SELECT_INDEX);
    int64_t sizes[TS_MAX_DIMS];
    int dim;

    TS_TRY(
        tsi_wrap_dim("index_select/C1", f->args[TS_INDEX_SELECT_DIM].i, x->ndim, &dim));
    TS_TRY(check_index(f, index));
    TS_CHECK(x->ndim > 0 || index->numel == 1, TS_ERR_RUNTIME, "index_select/C5",
             "index_select: index to a 0-dim tensor can have only 1 value, has %" PRId64,
             index->numel);
    TS_TRY(tsi_check_out_places(f));
    TS_TRY(tsi_check_out_apart(f, TS_INDEX_SELECT_SELF, "index_select/C6"));
    TS_TRY(tsi_check_out_apart(f, TS_INDEX_SELECT_INDEX, "index_select/C6"));
    memcpy(sizes, x->sizes, (size_t)x->ndim * sizeof *sizes);
    if (x->ndim > 0)
        sizes[dim] = index->numel;
    return tsi_result(f, 0, x->device, x->dtype, x->ndim, sizes);
}

ts_status tsi_api_index_add(ts_frame *f)
{
    const ts_tensor *x = tsi_tensor(f, TS_INDEX_ADD_SELF);
    const ts_tensor *index = tsi_tensor(f, TS_INDEX_ADD_INDEX);
    const ts_tensor *source = tsi_tensor(f, TS_INDEX_ADD_SOURCE);
    char have[256], want[256];
    int64_t slices;
    bool same;
    int dim;

    TS_TRY(tsi_wrap_dim("index_select/C1", f->args[TS_INDEX_ADD_DIM].i, x->ndim, &dim));
    TS_TRY(check_index(f, index));
    TS_CHECK(x->dtype == source->dtype, TS_ERR_RUNTIME, "index_select/C7",
             "index_add: self is %s and source is %s", ts_dtype_name(x->dtype),
             ts_dtype_name(source->dtype));
    slices = source->ndim > dim ? source->sizes[dim] : 1;
    TS_CHECK(index->numel == slices || source->ndim > 0 || dim > 0, TS_ERR_INDEX,
             "index_select/C14", "index_add: %" PRId64 " indices for a 0-dim source",
             index->numel);
    TS_CHECK(index->numel == slices, TS_ERR_RUNTIME, "index_select/C8",
             "index_add: %" PRId64 " indices for the %" PRId64 " slices of source",
             index->numel, slices);
    same = x->ndim == source->ndim;
    for (int d = 0; same && d < x->ndim; d++)
        same = d == dim || x->sizes[d] == source->sizes[d];
    TS_CHECK(same, TS_ERR_RUNTIME, "index_select/C9",
             "index_add: source of sizes %s does not match self's %s apart from dim %d",
             tsi_sizes_text(have, sizeof have, source->ndim, source->sizes),
             tsi_sizes_text(want, sizeof want, x->ndim, x->sizes), dim);
    if (x->ndim < 2 || (x->numel > 0 && index->numel > 0))
        TS_TRY(tsi_check_dtype(f, x->dtype, "index_select/C12"));
    TS_TRY(tsi_check_written_apart(f, TS_INDEX_ADD_SOURCE, "index_select/C6"));
    TS_TRY(tsi_check_written_apart(f, TS_INDEX_ADD_INDEX, "index_select/C6"));
    return tsi_result(f, 0, x->device, x->dtype, x->ndim, x->sizes);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* index_fill, index_copy: what they accept and what comes back; spec/ops/index_fill.md. */
#include "family/family.h"
#include "touchstone/ops/index_fill_glue.h"

ts_status tsi_api_index_fill(ts_frame *f)
{
    const ts_tensor *x = tsi_tensor(f, TS_INDEX_FILL_SELF);
    const ts_tensor *index = tsi_tensor(f, TS_INDEX_FILL_INDEX);
    const ts_tensor *value = tsi_tensor(f, TS_INDEX_FILL_VALUE);
    int dim;

    TS_CHECK(value->ndim == 0, TS_ERR_RUNTIME, "index_fill/C5",
             "index_fill: value is a number or a 0-dim tensor, got %d dims", value->ndim);
    TS_CHECK(index->dtype == TS_INT64, TS_ERR_INDEX, "index_fill/C2",
             "index_fill: the index is int64, not %s", ts_dtype_name(index->dtype));
    TS_TRY(tsi_check_written_apart(f, TS_INDEX_FILL_INDEX, "index_fill/C8"));
    TS_CHECK(index->ndim <= 1, TS_ERR_RUNTIME, "index_fill/C3",
             "index_fill: the index is a vector or a number, has %d dims", index->ndim);
    TS_TRY(tsi_wrap_dim("index_fill/C1", f->args[TS_INDEX_FILL_DIM].i, x->ndim, &dim));
    TS_CHECK(x->ndim == 0 || x->sizes[dim] > 0 || index->numel == 0, TS_ERR_RUNTIME,
             "index_fill/C16", "index_fill: self has no slices along dim %d", dim);
    if (x->device.type != TS_META) {
        TS_TRY(tsi_check_dtype(f, x->dtype, "index_fill/C7"));
        TS_CHECK(!ts_is_wrapped_number(value) || tse_number_fits(x->dtype, value),
                 TS_ERR_RUNTIME, "index_fill/C6",
                 "index_fill: value %g cannot be converted to %s without overflow",
                 tse_get(value, 0), ts_dtype_name(x->dtype));
    }
    f->flags |= TS_FRAME_OVERLAP_OK; /* S7 */
    return tsi_result_like(f, 0, x, x->dtype);
}

/* The source's shape against self's: C10, C11, C14. */
static ts_status check_source(const ts_tensor *x, const ts_tensor *source, int64_t n,
                              int dim)
{
    char have[256], want[256];
    const int64_t slices = source->ndim > 0 ? source->sizes[dim] : 1;
    bool same = true;

    TS_CHECK(source->ndim > 0 || n == 1, TS_ERR_INDEX, "index_fill/C10",
             "index_copy: %" PRId64 " indices for a 0-dim source", n);
    TS_CHECK(source->ndim == x->ndim || source->ndim == 0 || x->ndim == 0, TS_ERR_INDEX,
             "index_fill/C11", "index_copy: self has %d dims and the source %d", x->ndim,
             source->ndim);
    for (int d = 0; same && source->ndim == x->ndim && d < x->ndim; d++)
        same = d == dim || x->sizes[d] == source->sizes[d];
    if (source->ndim != x->ndim)
        same = x->ndim + source->ndim == 1;
    TS_CHECK(same, TS_ERR_RUNTIME, "index_fill/C14",
             "index_copy: source of sizes %s does not match self's %s apart from dim %d",
             tsi_sizes_text(have, sizeof have, source->ndim, source->sizes),
             tsi_sizes_text(want, sizeof want, x->ndim, x->sizes), dim);
    TS_CHECK(n == slices, TS_ERR_INDEX, "index_fill/C10",
             "index_copy: %" PRId64 " indices for the %" PRId64 " slices of source", n,
             slices);
    return TS_OK;
}

ts_status tsi_api_index_copy(ts_frame *f)
{
    const ts_tensor *x = tsi_tensor(f, TS_INDEX_COPY_SELF);
    const ts_tensor *index = tsi_tensor(f, TS_INDEX_COPY_INDEX);
    const ts_tensor *source = tsi_tensor(f, TS_INDEX_COPY_SOURCE);
    int dim;

    TS_TRY(tsi_wrap_dim("index_fill/C1", f->args[TS_INDEX_COPY_DIM].i, x->ndim, &dim));
    TS_TRY(tsi_check_out_places(f));
    TS_TRY(tsi_check_written_apart(f, TS_INDEX_COPY_INDEX, "index_fill/C8"));
    TS_TRY(tsi_check_written_apart(f, TS_INDEX_COPY_SOURCE, "index_fill/C8"));
    TS_CHECK(index->ndim <= 1, TS_ERR_INDEX, "index_fill/C9",
             "index_copy: the index is a vector or a number, has %d dims", index->ndim);
    TS_CHECK(source->ndim == x->ndim || source->ndim == 0 || x->ndim == 0, TS_ERR_INDEX,
             "index_fill/C11", "index_copy: self has %d dims and the source %d", x->ndim,
             source->ndim);
    TS_CHECK(index->dtype == TS_INT64, TS_ERR_RUNTIME, "index_fill/C12",
             "index_copy: the index is int64, not %s", ts_dtype_name(index->dtype));
    TS_CHECK(x->dtype == source->dtype, TS_ERR_RUNTIME, "index_fill/C13",
             "index_copy: self is %s and source is %s", ts_dtype_name(x->dtype),
             ts_dtype_name(source->dtype));
    TS_TRY(check_source(x, source, index->numel, dim));
    if (x->device.type != TS_META)
        TS_TRY(tsi_check_dtype(f, x->dtype, "index_fill/C7"));
    return tsi_result(f, 0, x->device, x->dtype, x->ndim, x->sizes);
}

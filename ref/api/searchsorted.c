/* SPDX-License-Identifier: Apache-2.0 */
/* searchsorted, bucketize: what they accept; see spec/ops/searchsorted.md. */
#include <string.h>

#include "core/core.h"
#include "touchstone/ops/searchsorted_glue.h"

static ts_status check_side(const ts_frame *f)
{
    const ts_value *side = &f->args[TS_SEARCHSORTED_SIDE];

    if (side->kind != TS_ARG_STRING)
        return TS_OK;
    TS_CHECK(strcmp(side->string, "left") == 0 || strcmp(side->string, "right") == 0,
             TS_ERR_RUNTIME, "searchsorted/C5", "searchsorted: no side '%s'",
             side->string);
    TS_CHECK(!f->args[TS_SEARCHSORTED_RIGHT].b || strcmp(side->string, "right") == 0,
             TS_ERR_RUNTIME, "searchsorted/C6",
             "searchsorted: side 'left' beside right=True");
    return TS_OK;
}

static ts_status check_shapes(const ts_tensor *s, const ts_tensor *x,
                              const ts_tensor *sorter)
{
    bool fits = s->ndim == x->ndim || s->ndim == 1;

    TS_CHECK(s->ndim > 0, TS_ERR_RUNTIME, "searchsorted/C1",
             "searchsorted: the sequence has no dims");
    for (int d = 0; fits && s->ndim > 1 && d < s->ndim - 1; d++)
        fits = s->sizes[d] == x->sizes[d];
    TS_CHECK(fits, TS_ERR_RUNTIME, "searchsorted/C2",
             "searchsorted: the sequence's leading dims are not the values'");
    if (!sorter)
        return TS_OK;
    TS_CHECK(sorter->ndim == s->ndim && sorter->dtype == TS_INT64, TS_ERR_RUNTIME,
             "searchsorted/C7", "searchsorted: sorter is of %s with %d dims",
             ts_dtype_name(sorter->dtype), sorter->ndim);
    for (int d = 0; d < s->ndim; d++)
        TS_CHECK(sorter->sizes[d] == s->sizes[d], TS_ERR_RUNTIME, "searchsorted/C7",
                 "searchsorted: sorter has not the sequence's sizes");
    return TS_OK;
}

ts_status tsi_api_searchsorted(ts_frame *f)
{
    ts_tensor *s = tsi_tensor(f, TS_SEARCHSORTED_SORTED_SEQUENCE);
    ts_tensor *x = tsi_tensor(f, TS_SEARCHSORTED_SELF);
    const ts_dtype dtype = f->args[TS_SEARCHSORTED_OUT_INT32].b ? TS_INT32 : TS_INT64;

    TS_TRY(check_side(f));
    TS_TRY(check_shapes(s, x, f->args[TS_SEARCHSORTED_SORTER].tensor));
    TS_CHECK(f->form != TS_OUT || f->out[0]->dtype == dtype, TS_ERR_RUNTIME,
             "searchsorted/C4", "searchsorted: out is expected to be %s, but is %s",
             ts_dtype_name(dtype), ts_dtype_name(f->out[0]->dtype));
    f->compute = tsi_result_type(2, (ts_tensor *[]){s, x}); /* S4 */
    if (x->numel > 0)
        TS_TRY(tsi_check_dtype(f, f->compute, "searchsorted/C3"));
    return tsi_result(f, 0, s->device, dtype, x->ndim, x->sizes);
}

ts_status tsi_program_bucketize(ts_frame *f) /* S6 */
{
    const ts_tensor *s = tsi_tensor(f, TS_BUCKETIZE_BOUNDARIES);
    ts_searchsorted_opts o = ts_searchsorted_defaults();

    TS_CHECK(s->ndim == 1, TS_ERR_RUNTIME, "searchsorted/C9",
             "bucketize: boundaries of %d dims", s->ndim);
    o.out_int32 = f->args[TS_BUCKETIZE_OUT_INT32].b;
    o.right = f->args[TS_BUCKETIZE_RIGHT].b;
    return ts_searchsorted(tsi_tensor(f, TS_BUCKETIZE_BOUNDARIES),
                           tsi_tensor(f, TS_BUCKETIZE_SELF), &o, &f->results[0]);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* gather, scatter_add: what they accept and what comes back; see spec/ops/gather.md. */
#include "family/family.h"
#include "touchstone/ops/gather_glue.h"

/* S4: a 0-dim tensor counts as one dim. */
static int dims_of(const ts_tensor *t)
{
    return t->ndim > 0 ? t->ndim : 1;
}

static int64_t size_at(const ts_tensor *t, int d)
{
    return t->ndim > 0 ? t->sizes[d] : 1;
}

static ts_status check_dims(const ts_frame *f, const ts_tensor *t, int arg)
{
    const ts_tensor *x = tsi_tensor(f, TS_GATHER_SELF);

    TS_CHECK(dims_of(t) == dims_of(x), TS_ERR_RUNTIME, "gather/C3",
             "%s: %s must have as many dims as self, has %d and not %d", f->op->name,
             f->op->params[arg].name, t->ndim, x->ndim);
    return TS_OK;
}

/* The index within `t` in every dim but `skip`. */
static ts_status check_within(const ts_frame *f, const char *label, const ts_tensor *t,
                              const char *name, int skip)
{
    const ts_tensor *index = tsi_tensor(f, TS_GATHER_INDEX);
    char have[256], want[256];

    for (int d = 0; d < dims_of(index); d++)
        TS_CHECK(d == skip || size_at(index, d) <= size_at(t, d), TS_ERR_RUNTIME, label,
                 "%s: index of sizes %s is larger than %s of sizes %s at dim %d",
                 f->op->name,
                 tsi_sizes_text(have, sizeof have, index->ndim, index->sizes), name,
                 tsi_sizes_text(want, sizeof want, t->ndim, t->sizes), d);
    return TS_OK;
}

ts_status tsi_api_gather(ts_frame *f)
{
    const ts_tensor *x = tsi_tensor(f, TS_GATHER_SELF);
    const ts_tensor *index = tsi_tensor(f, TS_GATHER_INDEX);
    int dim;

    TS_TRY(tsi_wrap_dim("gather/C1", f->args[TS_GATHER_DIM].i, x->ndim, &dim));
    if (index->numel > 0) { /* S5 */
        TS_TRY(tsi_check_index(f, index, "gather/C2"));
        TS_TRY(check_dims(f, index, 2));
        TS_TRY(check_within(f, "gather/C4", x, "self", dim));
        TS_TRY(tsi_check_dtype(f, x->dtype, "gather/C6"));
    }
    TS_TRY(tsi_check_out_apart(f, TS_GATHER_SELF, "gather/C9"));
    return tsi_result(f, 0, x->device, x->dtype, index->ndim, index->sizes);
}

ts_status tsi_api_scatter_add(ts_frame *f)
{
    const ts_tensor *x = tsi_tensor(f, TS_SCATTER_ADD_SELF);
    const ts_tensor *index = tsi_tensor(f, TS_SCATTER_ADD_INDEX);
    const ts_tensor *src = tsi_tensor(f, TS_SCATTER_ADD_SRC);
    int dim;

    TS_TRY(tsi_wrap_dim("gather/C1", f->args[TS_SCATTER_ADD_DIM].i, x->ndim, &dim));
    if (index->numel > 0)
        TS_TRY(tsi_check_index(f, index, "gather/C2"));
    TS_CHECK(x->dtype == src->dtype, TS_ERR_RUNTIME, "gather/C7",
             "scatter_add: self is %s and src is %s", ts_dtype_name(x->dtype),
             ts_dtype_name(src->dtype));
    TS_TRY(tsi_check_out_places(f));
    if (index->numel > 0) {
        TS_TRY(check_dims(f, index, 2));
        TS_TRY(check_dims(f, src, 3));
        TS_TRY(check_within(f, "gather/C8", x, "self", dim));
        TS_TRY(check_within(f, "gather/C8", src, "src", -1));
        TS_TRY(tsi_check_dtype(f, x->dtype, "gather/C6"));
    }
    TS_TRY(tsi_check_written_apart(f, TS_SCATTER_ADD_SRC, "gather/C9"));
    TS_TRY(tsi_check_written_apart(f, TS_SCATTER_ADD_INDEX, "gather/C9"));
    return tsi_result(f, 0, x->device, x->dtype, x->ndim, x->sizes);
}

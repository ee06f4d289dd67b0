/* SPDX-License-Identifier: Apache-2.0 */
/* Index moves: what a tensor of indices is, and a destination that may not be a source. */
#include "core/overlap.h"
#include "family/family.h"

ts_status tsi_check_index(const ts_frame *f, const ts_tensor *index, const char *label)
{
    TS_CHECK(index->dtype == TS_INT64 || index->dtype == TS_INT32, TS_ERR_RUNTIME, label,
             "%s: the index is expected to be int64 or int32, but is %s", f->op->name,
             ts_dtype_name(index->dtype));
    return TS_OK;
}

ts_status tsi_check_written_apart(const ts_frame *f, int arg, const char *label)
{
    const ts_tensor *written = f->form == TS_OUT       ? f->out[0]
                               : f->form == TS_INPLACE ? tsi_tensor(f, 0)
                                                       : NULL;
    tsi_overlap o;

    if (!written)
        return TS_OK;
    o = tsi_overlap_of(written, tsi_tensor(f, arg));
    TS_CHECK(o == TSI_OVERLAP_NONE || o == TSI_OVERLAP_UNKNOWN, TS_ERR_RUNTIME, label,
             "%s: what is written overlaps %s; clone() it first", f->op->name,
             f->op->params[arg].name);
    return TS_OK;
}

ts_status tsi_check_out_places(const ts_frame *f)
{
    return f->form == TS_OUT ? tsi_check_places(f, f->out[0]) : TS_OK;
}

ts_status tsi_check_out_apart(const ts_frame *f, int arg, const char *label)
{
    tsi_overlap o;

    if (f->form != TS_OUT)
        return TS_OK;
    o = tsi_overlap_of(f->out[0], tsi_tensor(f, arg));
    TS_CHECK(o == TSI_OVERLAP_NONE || o == TSI_OVERLAP_UNKNOWN, TS_ERR_RUNTIME, label,
             "%s: out overlaps %s; clone() it first", f->op->name,
             f->op->params[arg].name);
    return TS_OK;
}

/* --- (self, dim, index, src) --- */

enum { SELF, DIM, INDEX, SRC };

static int dims_of(const ts_tensor *t)
{
    return t->ndim > 0 ? t->ndim : 1;
}

static int64_t size_at(const ts_tensor *t, int d)
{
    return t->ndim > 0 ? t->sizes[d] : 1;
}

ts_status tsi_check_along_dims(const ts_frame *f, const char *label, int arg)
{
    const ts_tensor *x = tsi_tensor(f, SELF), *t = tsi_tensor(f, arg);

    TS_CHECK(dims_of(t) == dims_of(x), TS_ERR_RUNTIME, label,
             "%s: %s must have as many dims as self, has %d and not %d", f->op->name,
             f->op->params[arg].name, t->ndim, x->ndim);
    return TS_OK;
}

/* The first dim but `skip` in which the index is larger than t, -1 for none. */
static int larger_at(const ts_tensor *index, const ts_tensor *t, int skip)
{
    for (int d = 0; d < dims_of(index) && d < dims_of(t); d++)
        if (d != skip && size_at(index, d) > size_at(t, d))
            return d;
    return -1;
}

ts_status tsi_check_along_within(const ts_frame *f, const char *label, int arg, int skip)
{
    const ts_tensor *index = tsi_tensor(f, INDEX), *t = tsi_tensor(f, arg);
    const int d = larger_at(index, t, skip);
    char have[256], want[256];

    TS_CHECK(d < 0, TS_ERR_RUNTIME, label,
             "%s: index of sizes %s is larger than %s of sizes %s at dim %d", f->op->name,
             tsi_sizes_text(have, sizeof have, index->ndim, index->sizes),
             f->op->params[arg].name,
             tsi_sizes_text(want, sizeof want, t->ndim, t->sizes), d);
    return TS_OK;
}

/* The source's dims. PyTorch looks at sizes before it counts them, until one is too small. */
static ts_status check_source(const ts_frame *f, const tsi_along_labels *labels, int dim)
{
    const ts_tensor *x = tsi_tensor(f, SELF), *index = tsi_tensor(f, INDEX);
    const ts_tensor *src = tsi_tensor(f, SRC);

    TS_CHECK(src->ndim == 0 || src->ndim >= dims_of(index) ||
                 larger_at(index, x, dim) >= 0 || larger_at(index, src, -1) >= 0,
             TS_ERR_INDEX, labels->missing, "%s: %s has %d dims, the index %d",
             f->op->name, f->op->params[SRC].name, src->ndim, index->ndim);
    return tsi_check_along_dims(f, labels->dims, SRC);
}

ts_status tsi_check_along(ts_frame *f, const tsi_along_labels *labels, bool source)
{
    const ts_tensor *x = tsi_tensor(f, SELF), *index = tsi_tensor(f, INDEX);
    const ts_tensor *src = source ? tsi_tensor(f, SRC) : NULL;
    int dim;

    TS_TRY(tsi_wrap_dim(labels->dim, f->args[DIM].i, x->ndim, &dim));
    if (index->numel > 0)
        TS_TRY(tsi_check_index(f, index, labels->index));
    TS_CHECK(!source || x->dtype == src->dtype, TS_ERR_RUNTIME, labels->same,
             "%s: self is %s and %s is %s", f->op->name, ts_dtype_name(x->dtype),
             f->op->params[SRC].name, ts_dtype_name(src->dtype));
    TS_TRY(tsi_check_out_places(f));
    if (index->numel > 0) {
        TS_TRY(tsi_check_along_dims(f, labels->dims, INDEX));
        if (source)
            TS_TRY(check_source(f, labels, dim));
        TS_TRY(tsi_check_along_within(f, labels->within, SELF, dim));
        if (source)
            TS_TRY(tsi_check_along_within(f, labels->within, SRC, -1));
        TS_TRY(tsi_check_dtype(f, x->dtype, labels->dtype));
    }
    if (source)
        TS_TRY(tsi_check_written_apart(f, SRC, labels->apart));
    TS_TRY(tsi_check_written_apart(f, INDEX, labels->apart));
    return tsi_result(f, 0, x->device, x->dtype, x->ndim, x->sizes);
}

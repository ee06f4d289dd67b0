/* SPDX-License-Identifier: Apache-2.0 */
/* Reductions: (self, dim, keepdim) to what is left of self's shape (O-04). */
#include "family/reduce.h"

#include "family/family.h"

enum { SELF, DIM, KEEPDIM, DTYPE }; /* the arguments of every op of these families */

/* All dims are in range before any is looked for twice. */
ts_status tsi_reduce_check(const ts_frame *f, const ts_value *v, int ndim,
                           const char *range, const char *twice)
{
    const int64_t n = v->kind == TS_ARG_INTS ? v->ints.n : 0;
    uint64_t seen = 0;
    int dim;

    for (int64_t k = 0; k < n; k++)
        TS_TRY(tsi_wrap_dim(range, v->ints.v[k], ndim, &dim));
    for (int64_t k = 0; k < n; k++) {
        TS_TRY(tsi_wrap_dim(range, v->ints.v[k], ndim, &dim));
        TS_CHECK(!ts_reduces(seen, dim), TS_ERR_RUNTIME, twice,
                 "%s: dim %d stands in the list twice", f->op->name, dim);
        seen |= UINT64_C(1) << dim;
    }
    return TS_OK;
}

ts_status tsi_reduce_result_at(ts_frame *f, int r, const ts_tensor *x, uint64_t mask,
                               bool keepdim, ts_dtype dtype)
{
    int64_t sizes[TS_MAX_DIMS];
    int n = 0;

    for (int d = 0; d < x->ndim; d++) {
        if (!ts_reduces(mask, d))
            sizes[n++] = x->sizes[d];
        else if (keepdim)
            sizes[n++] = 1;
    }
    f->compute = dtype;
    return tsi_result(f, r, x->device, dtype, n, sizes);
}

ts_status tsi_reduce_result(ts_frame *f, const ts_tensor *x, uint64_t mask, bool keepdim,
                            ts_dtype dtype)
{
    return tsi_reduce_result_at(f, 0, x, mask, keepdim, dtype);
}

ts_status tsi_select_results(ts_frame *f, int dim, int keepdim, ts_dtype second,
                             const tsi_select_checks *labels)
{
    const ts_tensor *x = tsi_tensor(f, 0);
    const uint64_t mask = ts_reduce_mask(&f->args[dim], x->ndim);
    const ts_dtype dtypes[] = {x->dtype, second};
    int d = 0;

    if (f->args[dim].kind == TS_ARG_INT) {
        TS_TRY(tsi_wrap_dim(labels->range, f->args[dim].i, x->ndim, &d));
        TS_CHECK(x->ndim == 0 || x->sizes[d] > 0, TS_ERR_INDEX, labels->empty,
                 "%s: dim %d to be reduced has size 0", f->op->name, d);
    }
    for (int r = 0; labels->out && f->form == TS_OUT && r < 2; r++)
        TS_CHECK(f->out[r]->dtype == dtypes[r], TS_ERR_RUNTIME, labels->out,
                 "%s: out %d is expected to be %s, but is %s", f->op->name, r,
                 ts_dtype_name(dtypes[r]), ts_dtype_name(f->out[r]->dtype));
    if (x->numel > 0 && x->ndim > 0)
        TS_TRY(tsi_check_dtype(f, x->dtype, labels->dtype));
    TS_TRY(tsi_reduce_result_at(f, 0, x, mask, f->args[keepdim].b, x->dtype));
    return tsi_reduce_result_at(f, 1, x, mask, f->args[keepdim].b, second);
}

static ts_status check_dims(const ts_frame *f)
{
    return tsi_reduce_check(f, &f->args[DIM], tsi_tensor(f, SELF)->ndim,
                            f->op->labels[TSI_REFUSES_DIM],
                            f->op->labels[TSI_REFUSES_TWICE]);
}

static ts_status result(ts_frame *f, ts_dtype dtype)
{
    const ts_tensor *x = tsi_tensor(f, SELF);

    return tsi_reduce_result(f, x, ts_reduce_mask(&f->args[DIM], x->ndim),
                             f->args[KEEPDIM].b, dtype);
}

/* Where the computing dtype must be floating, out may be of any that it casts to. */
static ts_status check_floating(const ts_frame *f, const char *label)
{
    const ts_tensor *x = tsi_tensor(f, SELF);
    const ts_value *given = &f->args[DTYPE];
    const ts_dtype dtype = given->kind == TS_ARG_DTYPE ? given->dtype : x->dtype;

    TS_CHECK(ts_dtype_is_floating(dtype), TS_ERR_NOT_IMPLEMENTED, label,
             "%s: of %s elements needs a floating dtype, not %s", f->op->name,
             ts_dtype_name(x->dtype), ts_dtype_name(dtype));
    TS_TRY(check_dims(f));
    TS_CHECK(f->form != TS_OUT || ts_can_cast(dtype, f->out[0]->dtype), TS_ERR_RUNTIME,
             "promotion/C1", "%s: result type %s can't be cast to out's %s", f->op->name,
             ts_dtype_name(dtype), ts_dtype_name(f->out[0]->dtype));
    return TS_OK;
}

/* sum/S3: dtype when given, else out's, else self's, int64 for integers. */
ts_status tsi_family_reduction(ts_frame *f)
{
    const char *floating = f->op->labels[TSI_REFUSES_FLOATING];
    const ts_tensor *x = tsi_tensor(f, SELF);
    const ts_value *given = &f->args[DTYPE];
    ts_dtype dtype = ts_dtype_is_floating(x->dtype) ? x->dtype : TS_INT64;

    TS_TRY(floating ? check_floating(f, floating) : check_dims(f));
    if (given->kind == TS_ARG_DTYPE)
        dtype = given->dtype;
    else if (f->form == TS_OUT)
        dtype = f->out[0]->dtype;
    TS_TRY(tsi_check_out_dtype(f, dtype));
    TS_TRY(result(f, dtype));
    return x->numel > 0 || floating /* to be divided */
               ? tsi_check_dtype(f, dtype, f->op->labels[TSI_REFUSES_DTYPE])
               : TS_OK;
}

ts_status tsi_family_reduction_same(ts_frame *f)
{
    const ts_tensor *x = tsi_tensor(f, SELF);
    const ts_value *dim = &f->args[DIM];

    TS_TRY(tsi_check_out_dtype(f, x->dtype));
    for (int64_t k = 0; x->numel == 0 && dim->kind == TS_ARG_INTS && k < dim->ints.n;
         k++) {
        int d;

        TS_TRY(tsi_wrap_dim(f->op->labels[TSI_REFUSES_DIM], dim->ints.v[k], x->ndim, &d));
        TS_CHECK(x->ndim == 0 || x->sizes[d] > 0, TS_ERR_INDEX,
                 f->op->labels[TSI_REFUSES_EMPTY_DIM],
                 "%s: dim %d to be reduced has size 0", f->op->name, d);
    }
    TS_TRY(check_dims(f));
    TS_CHECK(x->numel > 0 || (dim->kind == TS_ARG_INTS && dim->ints.n > 0),
             TS_ERR_RUNTIME, f->op->labels[TSI_REFUSES_EMPTY],
             "%s: a tensor without elements needs a dim", f->op->name);
    TS_TRY(result(f, x->dtype));
    return x->numel > 0 ? tsi_check_dtype(f, x->dtype, f->op->labels[TSI_REFUSES_DTYPE])
                        : TS_OK;
}

ts_status tsi_family_reduction_index(ts_frame *f)
{
    const ts_tensor *x = tsi_tensor(f, SELF);
    const ts_value *dim = &f->args[DIM];
    int d = 0;

    if (x->dtype == TS_BOOL)
        TS_TRY(tsi_check_dtype(f, x->dtype, f->op->labels[TSI_REFUSES_DTYPE]));
    if (dim->kind == TS_ARG_INT)
        TS_TRY(tsi_wrap_dim(f->op->labels[TSI_REFUSES_DIM], dim->i, x->ndim, &d));
    TS_CHECK(dim->kind == TS_ARG_INT ? x->ndim == 0 || x->sizes[d] > 0 : x->numel > 0,
             TS_ERR_INDEX, f->op->labels[TSI_REFUSES_EMPTY],
             "%s: there are no elements along dim %d", f->op->name, d);
    TS_TRY(tsi_check_out_dtype(f, TS_INT64));
    if (x->numel > 0)
        TS_TRY(tsi_check_dtype(f, x->dtype, f->op->labels[TSI_REFUSES_DTYPE]));
    return result(f, TS_INT64);
}

/* bool, of uint8 uint8, or out's; an empty list names no dim (any/S5). */
ts_status tsi_family_reduction_bool(ts_frame *f)
{
    const ts_tensor *x = tsi_tensor(f, SELF);
    ts_dtype dtype = x->dtype == TS_UINT8 ? TS_UINT8 : TS_BOOL;

    if (f->form == TS_OUT)
        dtype = f->out[0]->dtype;
    TS_CHECK(dtype == TS_BOOL || dtype == TS_UINT8, TS_ERR_RUNTIME,
             f->op->labels[TSI_REFUSES_OUT_DTYPE],
             "%s: out is expected to be bool or uint8, but is %s", f->op->name,
             ts_dtype_name(dtype));
    TS_TRY(check_dims(f));
    TS_TRY(tsi_reduce_result(f, x, ts_reduce_mask_named(&f->args[DIM], x->ndim),
                             f->args[KEEPDIM].b, dtype));
    f->compute = x->dtype;
    return TS_OK;
}

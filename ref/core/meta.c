/* SPDX-License-Identifier: Apache-2.0 */
/* Checks and result metadata that the api functions of all ops share. */
#include <math.h>

#include "core/body.h"

ts_status tsi_wrap_dim(const char *label, int64_t dim, int ndim, int *out)
{
    const int64_t n = ndim > 0 ? ndim : 1;

    TS_CHECK(-n <= dim && dim < n, TS_ERR_INDEX, label,
             "dim %" PRId64 " out of range, expected to be in [%" PRId64 ", %" PRId64 "]",
             dim, -n, n - 1);
    *out = (int)(dim < 0 ? dim + n : dim);
    return TS_OK;
}

ts_status tsi_check_number_of(const ts_frame *f, const char *label, ts_dtype dtype,
                              ts_scalar s)
{
    const ts_dtype_info *info = ts_dtype_get(dtype);
    const double v = ts_scalar_f64(s);
    bool fits = true;

    if (info->class_ == TS_CLASS_FLOAT)
        fits = !isfinite(v) || fabs(v) <= info->max;
    else if (info->class_ != TS_CLASS_BOOL &&
             s.kind == TS_SCALAR_FLOAT) /* its truncation; NaN compares false */
        fits = v >= (double)info->int_min &&
               v < ldexp(1, info->bits - (info->class_ != TS_CLASS_UNSIGNED));
    else if (info->class_ == TS_CLASS_UNSIGNED)
        fits = fabs(v) <= (double)info->int_max;
    else if (info->class_ == TS_CLASS_SIGNED)
        fits = info->int_min <= s.i && s.i <= info->int_max;
    TS_CHECK(fits, TS_ERR_RUNTIME, label, "%s: the number %g does not fit in %s",
             f->op->name, v, info->name);
    return TS_OK;
}

ts_status tsi_check_cut_number(const ts_frame *f, const char *label, ts_dtype dtype,
                               ts_scalar s)
{
    const ts_dtype_info *info = ts_dtype_get(dtype);
    bool fits;

    if (s.kind != TS_SCALAR_FLOAT || !ts_dtype_is_integral(dtype))
        return tsi_check_number(f, label, dtype, s);
    fits = info->class_ == TS_CLASS_SIGNED
               ? s.f >= (double)info->int_min && s.f < -(double)info->int_min
               : s.f >= -(double)info->int_max && s.f < (double)info->int_max + 1;
    TS_CHECK(fits, TS_ERR_RUNTIME, label, "%s: the number %g does not fit in %s",
             f->op->name, s.f, info->name);
    return TS_OK;
}

ts_status tsi_result(ts_frame *f, int i, ts_device device, ts_dtype dtype, int ndim,
                     const int64_t *sizes)
{
    ts_meta *m = &f->meta[i];

    TS_CHECK(ndim <= TS_MAX_DIMS, TS_ERR_RUNTIME, "tensors/C7",
             "%s: a result of %d dims, at most %d are allowed", f->op->name, ndim,
             TS_MAX_DIMS);
    m->dtype = dtype;
    m->device = device;
    m->ndim = ndim;
    m->strided = false;
    m->offset = 0;
    for (int d = 0; d < ndim; d++)
        m->sizes[d] = sizes[d];
    return TS_OK;
}

static ts_status result_like(ts_frame *f, int i, const ts_tensor *t, ts_dtype dtype,
                             bool (*is_dense)(const ts_tensor *))
{
    ts_meta *m = &f->meta[i];

    TS_TRY(tsi_result(f, i, t->device, dtype, t->ndim, t->sizes));
    if (t->ndim == 0 || (t->ndim == 1 && t->strides[0] == 1 && t->numel > 0))
        return TS_OK;
    m->strided = true;
    if (t->numel == 0 || is_dense(t)) {
        memcpy(m->strides, t->strides, (size_t)t->ndim * sizeof *t->strides);
    } else {
        int64_t strides[1][TS_MAX_DIMS];

        memcpy(strides[0], t->strides, (size_t)t->ndim * sizeof *t->strides);
        ts_dense_in_order(1, strides, t->ndim, t->sizes, m->strides);
    }
    return TS_OK;
}

ts_status tsi_result_like(ts_frame *f, int i, const ts_tensor *t, ts_dtype dtype)
{
    return result_like(f, i, t, dtype, tsi_is_dense);
}

ts_status tsi_result_like_header(ts_frame *f, int i, const ts_tensor *t, ts_dtype dtype)
{
    return result_like(f, i, t, dtype, ts_is_non_overlapping_and_dense);
}

ts_status tsi_result_view(ts_frame *f, int i, const ts_tensor *of, int ndim,
                          const int64_t *sizes, const int64_t *strides, int64_t offset)
{
    ts_meta *m = &f->meta[i];

    TS_TRY(tsi_result(f, i, of->device, of->dtype, ndim, sizes));
    m->strided = true;
    m->offset = offset;
    for (int d = 0; d < ndim; d++)
        m->strides[d] = strides[d];
    return TS_OK;
}

ts_status tsi_broadcast(const char *label, int n, ts_tensor *const *t, int *ndim,
                        int64_t *sizes)
{
    int nd = 0;

    for (int k = 0; k < n; k++)
        nd = t[k]->ndim > nd ? t[k]->ndim : nd;
    for (int d = 0; d < nd; d++)
        sizes[d] = 1;
    for (int k = 0; k < n; k++) {
        for (int d = nd - t[k]->ndim; d < nd; d++) {
            const int64_t s = t[k]->sizes[d - (nd - t[k]->ndim)];

            TS_CHECK(s == sizes[d] || s == 1 || sizes[d] == 1, TS_ERR_RUNTIME, label,
                     "size %" PRId64 " of operand %d must match size %" PRId64
                     " at dim %d",
                     s, k, sizes[d], d);
            if (s != 1)
                sizes[d] = s;
        }
    }
    *ndim = nd;
    return TS_OK;
}

/* An operand's strides as the op takes it: one of another dtype than it computes in is
 * cast first, and a cast is dense. */
typedef struct operand {
    bool cast; /* into another layout */
    int64_t strides[TS_MAX_DIMS];
} operand;

static void take(operand *o, const ts_tensor *t, ts_dtype as)
{
    int64_t own[1][TS_MAX_DIMS];

    o->cast = as != t->dtype && !tsi_is_dense(t);
    memcpy(own[0], t->strides, (size_t)t->ndim * sizeof *t->strides);
    if (o->cast)
        ts_dense_in_order(1, own, t->ndim, t->sizes, o->strides);
    else
        memcpy(o->strides, own[0], (size_t)t->ndim * sizeof *t->strides);
}

/* All of result 0's shape, and each laid out as the first: the result is laid out so too.
 */
static bool same_layout(int n, ts_tensor *const *t, const operand *o, const ts_meta *m)
{
    for (int k = 0; k < n; k++)
        if (t[k]->ndim != m->ndim || !tsi_same_sizes(t[k], t[0]) ||
            memcmp(o[k].strides, o[0].strides, (size_t)m->ndim * sizeof *o[k].strides) !=
                0)
            return false;
    return o[0].cast || tsi_is_dense(t[0]);
}

static bool is_row_major(const operand *o, const ts_tensor *t)
{
    int64_t step = 1;

    if (!o->cast)
        return tsi_is_contiguous(t);
    for (int d = t->ndim - 1; d >= 0; d--) {
        if (t->sizes[d] != 1 && o->strides[d] != step)
            return t->numel == 0;
        step *= t->sizes[d];
    }
    return true;
}

static bool all_contiguous(int n, ts_tensor *const *t, const operand *o, const ts_meta *m)
{
    for (int k = 0; k < n; k++)
        if (t[k]->ndim != m->ndim || !tsi_same_sizes(t[k], t[0]) ||
            !is_row_major(&o[k], t[k]))
            return false;
    return true;
}

static bool alike_and_contiguous(int n, ts_tensor *const *t)
{
    for (int k = 0; k < n; k++)
        if (!tsi_is_contiguous(t[k]) || (k > 0 && !tsi_same_sizes(t[k], t[0])))
            return false;
    return true;
}

static ts_device common_device(int n, ts_tensor *const *t)
{
    for (int k = 0; k < n; k++)
        if (t[k]->ndim > 0 || t[k]->device.type != TS_CPU)
            return t[k]->device;
    return t[0]->device;
}

/* The shape and strides of result 0 where the operands are not all alike. */
static ts_status lay_out(ts_meta *m, const char *shape_label, int n, ts_tensor *const *t,
                         const ts_dtype *as, ts_dtype compute)
{
    operand o[TS_LINES_MAX];

    TS_TRY(tsi_broadcast(shape_label, n, t, &m->ndim, m->sizes));
    for (int k = 0; k < n; k++)
        take(&o[k], t[k], as ? as[k] : compute);
    if (all_contiguous(n, t, o, m))
        return TS_OK;
    m->strided = true;
    if (same_layout(n, t, o, m)) {
        memcpy(m->strides, o[0].strides, (size_t)m->ndim * sizeof *m->strides);
    } else {
        int64_t strides[TS_LINES_MAX][TS_MAX_DIMS];

        for (int k = 0; k < n; k++) {
            const int missing = m->ndim - t[k]->ndim;

            for (int d = 0; d < m->ndim; d++) {
                const int own = d - missing;

                strides[k][d] = own < 0 || (t[k]->sizes[own] == 1 && m->sizes[d] != 1)
                                    ? 0
                                    : o[k].strides[own];
            }
        }
        ts_dense_in_order(n, strides, m->ndim, m->sizes, m->strides);
    }
    return TS_OK;
}

ts_status tsi_pointwise_as(ts_frame *f, const char *shape_label, int n,
                           ts_tensor *const *t, const ts_dtype *as, ts_dtype compute,
                           ts_dtype dtype)
{
    ts_meta *m = &f->meta[0];

    TS_CHECK(compute != TS_DTYPE_NONE && dtype != TS_DTYPE_NONE, TS_ERR_RUNTIME,
             "promotion/C2", "%s: no dtype is common to its arguments", f->op->name);
    f->compute = compute;
    f->flags |= TS_FRAME_POINTWISE;
    m->dtype = dtype;
    m->device = common_device(n, t);
    m->strided = false;
    m->offset = 0;
    if (alike_and_contiguous(n, t)) { /* the common case */
        m->ndim = t[0]->ndim;
        for (int d = 0; d < m->ndim; d++)
            m->sizes[d] = t[0]->sizes[d];
        return TS_OK;
    }
    return lay_out(m, shape_label, n, t, as, compute);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* What the runtime's own rooms share:
 * metadata rules for ref/api, iteration for ref/ops. */
#ifndef TSI_CORE_H
#define TSI_CORE_H

#include <inttypes.h>
#include <string.h>

#include "touchstone/autograd.h"
#include "touchstone/element.h"
#include "touchstone/lines.h"
#include "touchstone/op.h"

#if defined(__GNUC__)
#define TSI_INITIAL_EXEC __attribute__((tls_model("initial-exec")))
#else
#define TSI_INITIAL_EXEC
#endif

ts_device tsi_storage_device(const ts_storage *s);
/* A device as asked for: `accel` without an index is the thread's current one. */
ts_device tsi_device_settle(ts_device device);
/* "cpu", "accel:1"; returns text. */
#define TSI_DEVICE_TEXT 16
const char *tsi_device_text(char text[TSI_DEVICE_TEXT], ts_device device);

static inline bool tsi_same_device(ts_device a, ts_device b)
{
    return memcmp(&a, &b, sizeof a) == 0; /* two ints, compared as one */
}

/* --- tensors and views -------------------------------------------------------------- */

/* `t` is nobody's view from now on; for a result that is a view of what nobody else has. */
void tsi_forget_base(ts_tensor *t);
/* A view of `t`: same storage and version counter, base set. New reference. */
ts_status tsi_view_new(ts_tensor *t, ts_dtype dtype, int ndim, const int64_t *sizes,
                       const int64_t *strides, int64_t offset, ts_tensor **out);
/* The same of geometry that lies within t's own: nothing is held against the storage. */
ts_status tsi_view_inside(ts_tensor *t, const ts_meta *m, ts_tensor **out);
/* The same elements as nobody's view: detach's result. Shares the version counter. */
ts_status tsi_alias_new(ts_tensor *t, ts_tensor **out);
/* The same of every value below a wrapper too. */
ts_status tsi_detach(ts_tensor *t, ts_tensor **out);
/* `t` takes the storage and geometry of `from`, and keeps its version counter's count. */
ts_status tsi_take_data(ts_tensor *t, const ts_tensor *from);
void tsi_bump_version(ts_tensor *t);
void tsi_version_reset(const ts_tensor *t); /* a factory's own writes do not count */
/* Make `t` of these sizes, contiguous, growing its storage;
 * what resizing an out tensor does. */
ts_status tsi_resize(ts_tensor *t, int ndim, const int64_t *sizes);

/* numel, or an error when the product overflows int64
 * or a size is negative (tensors/C8). */
ts_status tsi_numel(int ndim, const int64_t *sizes, int64_t *numel);
static inline bool tsi_equal_sizes(int ndim, const int64_t *a, const int64_t *b)
{
    for (int d = 0; d < ndim; d++)
        if (a[d] != b[d])
            return false;
    return true;
}

static inline bool tsi_same_sizes(const ts_tensor *a, const ts_tensor *b)
{
    return a->ndim == b->ndim && tsi_equal_sizes(a->ndim, a->sizes, b->sizes);
}

/* Strides that view `t` as `sizes` without a copy; false when there are none (T-03). */
bool tsi_view_strides(const ts_tensor *t, int ndim, const int64_t *sizes,
                      int64_t *strides);
/* "[2, 3]" into buf; returns buf. */
const char *tsi_sizes_text(char *buf, size_t n, int ndim, const int64_t *sizes);

/* --- checks and result metadata, for ref/api ---------------------------------------- */

static inline ts_tensor *tsi_tensor(const ts_frame *f, int i)
{
    return f->args[i].kind == TS_ARG_TENSOR ? f->args[i].tensor : NULL;
}

/* dim within [-max(ndim,1), max(ndim,1)), from the end when negative; else IndexError. */
ts_status tsi_wrap_dim(const char *label, int64_t dim, int ndim, int *out);

/* f->op does not take `dtype`: NotImplementedError under `label`, like PyTorch's
 * `"op" not implemented for 'Half'`. Reads the op table's dtypes_cpu. */
static inline ts_status tsi_check_dtype(const ts_frame *f, ts_dtype dtype,
                                        const char *label)
{
    TS_CHECK(f->op->dtypes_cpu & TS_DTYPE_BIT(dtype), TS_ERR_NOT_IMPLEMENTED, label,
             "%s: not implemented for %s", f->op->name, ts_dtype_name(dtype));
    return TS_OK;
}

/* `dtype` holds the Python number s: an integer in its range (for an unsigned one, of
 * either sign), a finite float not beyond its largest; of an integer dtype a float whose
 * truncation it holds. RuntimeError under `label` if not. */
ts_status tsi_check_number_of(const ts_frame *f, const char *label, ts_dtype dtype,
                              ts_scalar s);

static inline ts_status tsi_check_number(const ts_frame *f, const char *label,
                                         ts_dtype dtype, ts_scalar s)
{
    if (s.kind == TS_SCALAR_INT && (uint64_t)s.i < 2) /* which most numbers are */
        return TS_OK;
    return tsi_check_number_of(f, label, dtype, s);
}

/* The same of a number that integers take cut toward zero: below the least of them it is
 * refused before it is cut, above the largest after. */
ts_status tsi_check_cut_number(const ts_frame *f, const char *label, ts_dtype dtype,
                               ts_scalar s);

/* The one result of f->op is a list: of n tensors, whose metadata the api function then
 * gives one by one. */
ts_status tsi_results(ts_frame *f, int n);
/* Result i has these sizes and dtype, contiguous, on `device`. */
ts_status tsi_result(ts_frame *f, int i, ts_device device, ts_dtype dtype, int ndim,
                     const int64_t *sizes);
/* Result i as empty_like(t, dtype): t's strides where dense, else its order of dims. */
ts_status tsi_result_like(ts_frame *f, int i, const ts_tensor *t, ts_dtype dtype);
/* The same of what need not be a tensor: only what everyone may read of it is looked at. */
ts_status tsi_result_like_header(ts_frame *f, int i, const ts_tensor *t, ts_dtype dtype);
/* Result i is a view of argument 0 with this geometry (kind VIEW). */
ts_status tsi_result_view(ts_frame *f, int i, const ts_tensor *of, int ndim,
                          const int64_t *sizes, const int64_t *strides, int64_t offset);

/* The common shape of n tensors; RuntimeError under `label` when there is none. */
ts_status tsi_broadcast(const char *label, int n, ts_tensor *const *t, int *ndim,
                        int64_t *sizes);

/* torch.result_type over n tensors:
 * dimensioned, 0-dim and wrapped numbers by category (T-12). */
ts_dtype tsi_result_type_of(int n, ts_tensor *const *t);

static inline ts_dtype tsi_result_type(int n, ts_tensor *const *t)
{
    if (n == 2 && t[0]->dtype == t[1]->dtype && t[0]->ndim > 0 && t[1]->ndim > 0)
        return t[0]->dtype; /* the common case */
    return tsi_result_type_of(n, t);
}

/* Whether a call on t is recorded: grad mode is on and t has or wants a history. */
bool tsi_records(const ts_tensor *t);
/* Whether t has or wants a history, whatever the grad mode. */
bool tsi_requires_grad(const ts_tensor *t);

/* The dtype of a Python number alone: bool, int64 or the default float32. */
ts_dtype tsi_scalar_dtype(ts_scalar s);

/*
 * Everything a pointwise op's api does: all tensors on one device, broadcast shape,
 * result 0 of `dtype` with the strides PyTorch's TensorIterator gives,
 * f->compute = `compute`. as[k], unless `as` is NULL: what operand k is cast to instead.
 */
ts_status tsi_pointwise_as(ts_frame *f, const char *shape_label, int n,
                           ts_tensor *const *t, const ts_dtype *as, ts_dtype compute,
                           ts_dtype dtype);

static inline ts_status tsi_pointwise(ts_frame *f, const char *shape_label, int n,
                                      ts_tensor *const *t, ts_dtype compute,
                                      ts_dtype dtype)
{
    return tsi_pointwise_as(f, shape_label, n, t, NULL, compute, dtype);
}

#endif

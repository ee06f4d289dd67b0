/* SPDX-License-Identifier: Apache-2.0 */
/* What the runtime's own rooms share: metadata rules for ref/api, iteration for ref/ops.
 */
#ifndef TSI_CORE_H
#define TSI_CORE_H

#include <inttypes.h>
#include <string.h>

#include "touchstone/autograd.h"
#include "touchstone/backend.h"
#include "touchstone/op.h"

ts_device tsi_storage_device(const ts_storage *s);
/* "cpu", "accel:1"; returns text. */
#define TSI_DEVICE_TEXT 16
const char *tsi_device_text(char text[TSI_DEVICE_TEXT], ts_device device);

static inline bool tsi_same_device(ts_device a, ts_device b)
{
    return a.type == b.type && a.index == b.index;
}

/* --- tensors and views
 * ---------------------------------------------------------------------- */

/* A view of `t`: same storage and version counter, base set. New reference. */
ts_status tsi_view_new(ts_tensor *t, ts_dtype dtype, int ndim, const int64_t *sizes,
                       const int64_t *strides, int64_t offset, ts_tensor **out);
/* The same elements as nobody's view: detach's result. Shares the version counter. */
ts_status tsi_alias_new(ts_tensor *t, ts_tensor **out);
/* `t` takes the storage and geometry of `from`, and keeps its version counter's count. */
ts_status tsi_take_data(ts_tensor *t, const ts_tensor *from);
void tsi_bump_version(ts_tensor *t);
/* Make `t` of these sizes, contiguous, growing its storage; what resizing an out tensor
 * does. */
ts_status tsi_resize(ts_tensor *t, int ndim, const int64_t *sizes);

void tsi_contiguous_strides(int ndim, const int64_t *sizes, int64_t *strides);
/* numel, or an error when the product overflows int64 or a size is negative (tensors/C8).
 */
ts_status tsi_numel(int ndim, const int64_t *sizes, int64_t *numel);
bool tsi_same_sizes(const ts_tensor *a, const ts_tensor *b);
/* Strides that view `t` as `sizes` without a copy; false when there are none (T-03). */
bool tsi_view_strides(const ts_tensor *t, int ndim, const int64_t *sizes,
                      int64_t *strides);
/* "[2, 3]" into buf; returns buf. */
const char *tsi_sizes_text(char *buf, size_t n, int ndim, const int64_t *sizes);

/* --- checks and result metadata, for ref/api
 * -------------------------------------------------- */

static inline ts_tensor *tsi_tensor(const ts_frame *f, int i)
{
    return f->args[i].kind == TS_ARG_TENSOR ? f->args[i].tensor : NULL;
}

/* dim within [-max(ndim,1), max(ndim,1)), from the end when negative; else IndexError. */
ts_status tsi_wrap_dim(const char *label, int64_t dim, int ndim, int *out);

/* f->op does not take `dtype`: NotImplementedError under `label`, like PyTorch's
 * `"op" not implemented for 'Half'`. Reads the op table's dtypes_cpu. */
ts_status tsi_check_dtype(const ts_frame *f, ts_dtype dtype, const char *label);

/* `dtype` holds the Python number s: an integer in its range (for an unsigned one, of
 * either sign), a finite float not beyond its largest. RuntimeError under `label` if not.
 */
ts_status tsi_check_number(const ts_frame *f, const char *label, ts_dtype dtype,
                           ts_scalar s);

/* Result i has these sizes and dtype, contiguous, on `device`. */
ts_status tsi_result(ts_frame *f, int i, ts_device device, ts_dtype dtype, int ndim,
                     const int64_t *sizes);
/* Result i as empty_like(t, dtype): t's strides where dense, else its order of dims. */
ts_status tsi_result_like(ts_frame *f, int i, const ts_tensor *t, ts_dtype dtype);
/* Result 0 is a view of argument 0 with this geometry (kind VIEW). */
ts_status tsi_result_view(ts_frame *f, const ts_tensor *of, int ndim,
                          const int64_t *sizes, const int64_t *strides, int64_t offset);

/* The common shape of n tensors; RuntimeError under `label` when there is none. */
ts_status tsi_broadcast(const char *label, int n, ts_tensor *const *t, int *ndim,
                        int64_t *sizes);

/* torch.result_type over n tensors: dimensioned, 0-dim and wrapped numbers by category
 * (T-12). */
ts_dtype tsi_result_type(int n, ts_tensor *const *t);
/* The half types, for which PyTorch's CPU computes in float32. */
static inline bool tsi_is_half(ts_dtype dtype)
{
    return dtype == TS_FLOAT16 || dtype == TS_BFLOAT16;
}

/* The dtype of a Python number alone: bool, int64 or the default float32. */
ts_dtype tsi_scalar_dtype(ts_scalar s);

/*
 * Everything a pointwise op's api does: all tensors on one device, broadcast shape,
 * result 0 of `dtype` with the strides PyTorch's TensorIterator gives, f->compute =
 * `compute`.
 */
ts_status tsi_pointwise(ts_frame *f, const char *shape_label, int n, ts_tensor *const *t,
                        ts_dtype compute, ts_dtype dtype);

/* --- elements
 * ------------------------------------------------------------------------------- */

static inline void *tsi_at(const ts_tensor *t, int64_t element)
{
    return (char *)t->data + element * ts_dtype_size(t->dtype);
}

/* Element as a number; floats exactly, integers beyond 2^53 through tsi_load_i64. */
static inline double tsi_load(const ts_tensor *t, int64_t element)
{
    return ts_load_f64(t->dtype, tsi_at(t, element));
}

static inline int64_t tsi_load_i64(const ts_tensor *t, int64_t element)
{
    return ts_load_i64(t->dtype, tsi_at(t, element));
}

static inline void tsi_store(ts_tensor *t, int64_t element, double v)
{
    ts_store_f64(t->dtype, tsi_at(t, element), v);
}

static inline void tsi_store_i64(ts_tensor *t, int64_t element, int64_t v)
{
    ts_store_i64(t->dtype, tsi_at(t, element), v);
}

/* Element cast to `compute` first, as PyTorch does before a pointwise op of that dtype.
 */
double tsi_load_as(ts_dtype compute, const ts_tensor *t, int64_t element);
int64_t tsi_load_i64_as(ts_dtype compute, const ts_tensor *t, int64_t element);
/* v rounded (wrapped) to `compute`, then cast to t's dtype. */
void tsi_store_as(ts_dtype compute, ts_tensor *t, int64_t element, double v);
void tsi_store_i64_as(ts_dtype compute, ts_tensor *t, int64_t element, int64_t v);

/* --- iteration
 * ------------------------------------------------------------------------------ */

#define TSI_ITER_MAX 6

/*
 * Lines over up to TSI_ITER_MAX tensors. Each tensor is broadcast to `shape`;
 * tsi_iter_next gives line after line: n elements, tensor k's at at[k] + i * step[k]
 * (elements from t->data), i < n.
 *
 *     tsi_iter it;
 *     for (tsi_iter_pointwise(&it, y, 2, (ts_tensor *[]){y, x}); tsi_iter_next(&it);)
 *         for (int64_t i = 0; i < it.n; i++)
 *             tsi_store(y, it.at[0] + i * it.step[0], f(tsi_load(x, it.at[1] + i *
 * it.step[1])));
 */
typedef struct tsi_iter {
    int count, ndim; /* tensors; outer dims still to walk */
    bool started, empty;
    int64_t n;
    int64_t at[TSI_ITER_MAX], step[TSI_ITER_MAX];
    int64_t sizes[TS_MAX_DIMS], index[TS_MAX_DIMS];
    int64_t strides[TSI_ITER_MAX][TS_MAX_DIMS];
} tsi_iter;

/* Lines along the last dim of `shape`, in row-major order of indices. */
void tsi_iter_pointwise(tsi_iter *it, const ts_tensor *shape, int count,
                        ts_tensor *const *t);
/* Lines along `dim`, of tensors that agree in every other dim; n is t[0]'s size there,
 * each tensor has its own step. A 0-dim tensor counts as one of size 1. Where t[0] has no
 * elements in dim, n is 0 and the lines still come. */
void tsi_iter_dim(tsi_iter *it, int dim, int count, ts_tensor *const *t);
bool tsi_iter_next(tsi_iter *it);

#endif

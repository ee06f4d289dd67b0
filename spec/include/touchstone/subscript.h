/* SPDX-License-Identifier: Apache-2.0 */
/* What a list of index tensors picks from a tensor: checks and geometry of `index` and
 * `index_put` (spec/ops/index.md), the same for the api function and for any kernel. */
#ifndef TOUCHSTONE_SUBSCRIPT_H
#define TOUCHSTONE_SUBSCRIPT_H

#include <inttypes.h>

#include "touchstone/lines.h"
#include "touchstone/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One dim of self that is indexed. */
typedef struct ts_subscript_index {
    const ts_tensor *t; /* integers; or a mask, whose true elements count */
    int dim;            /* of self */
    int column;         /* of a mask: which of its dims this is; else -1 */
} ts_subscript_index;

typedef struct ts_subscript {
    int n; /* indexed dims */
    ts_subscript_index index[TS_MAX_DIMS];
    bool masks; /* some index is a mask: the sizes depend on data */
    /* From ts_subscript_shape on: the common shape of the indices stands in the result's
     * dims [first, first + npicked); result dim d of the others is self's dim from[d]. */
    int ndim, first, npicked;
    int from[TS_MAX_DIMS];
    int64_t sizes[TS_MAX_DIMS];
} ts_subscript;

static inline bool ts_is_mask(const ts_tensor *t)
{
    return t->dtype == TS_BOOL || t->dtype == TS_UINT8;
}

/* Which dims are indexed by what. */
static inline ts_status ts_subscript_read(ts_subscript *s, const char *op,
                                          const ts_tensor *self, const ts_value *indices)
{
    int dim = 0;

    s->n = 0;
    s->masks = false;
    for (int64_t k = 0; k < indices->tensors.n; k++) {
        const ts_tensor *t = indices->tensors.v[k];
        const int takes = t && ts_is_mask(t) ? t->ndim : 1;

        TS_CHECK(!t || ts_is_mask(t) || t->dtype == TS_INT64 || t->dtype == TS_INT32,
                 TS_ERR_INDEX, "index/C2",
                 "%s: an index must be int64, int32, bool or uint8, not %s", op,
                 ts_dtype_name(t->dtype));
        TS_CHECK(takes <= self->ndim - dim, TS_ERR_INDEX, "index/C1",
                 "%s: more indices than the %d dims of self", op, self->ndim);
        for (int d = 0; t && d < takes; d++) {
            const ts_subscript_index at = {t, dim + d, ts_is_mask(t) ? d : -1};

            if (ts_is_mask(t))
                TS_CHECK(t->sizes[d] == self->sizes[dim + d], TS_ERR_INDEX, "index/C3",
                         "%s: dim %d of a mask has size %" PRId64
                         ", self's dim %d has %" PRId64,
                         op, d, t->sizes[d], dim + d, self->sizes[dim + d]);
            s->index[s->n++] = at;
        }
        s->masks |= t && ts_is_mask(t);
        dim += takes;
    }
    TS_CHECK(s->n > 0, TS_ERR_INDEX, "index/C1", "%s: no index is given", op);
    return TS_OK;
}

/* Index i over the indices' own dims: as it is, or the `counts[i]` true ones of a mask. */
static inline int ts_subscript_dims(const ts_subscript *s, const int64_t *counts, int i,
                                    const int64_t **sizes)
{
    const ts_tensor *t = s->index[i].t;

    *sizes = s->index[i].column < 0 ? t->sizes : &counts[i];
    return s->index[i].column < 0 ? t->ndim : 1;
}

/* The result's sizes; counts[i] is how many elements of index i's mask are true, and may
 * be NULL where there is no mask. */
static inline ts_status ts_subscript_shape(ts_subscript *s, const char *op,
                                           const ts_tensor *self, const int64_t *counts)
{
    int64_t picked[TS_MAX_DIMS];
    bool indexed[TS_MAX_DIMS] = {false}, together = true;
    int64_t positions = 1;
    const int64_t *sizes;
    int n = 0;

    for (int i = 0; i < s->n; i++) {
        const int own = ts_subscript_dims(s, counts, i, &sizes);

        n = own > n ? own : n;
        indexed[s->index[i].dim] = true;
        together &= i == 0 || s->index[i].dim == s->index[i - 1].dim + 1;
    }
    for (int d = 0; d < n; d++)
        picked[d] = 1;
    for (int i = 0; i < s->n; i++) {
        const int own = ts_subscript_dims(s, counts, i, &sizes);

        for (int d = n - own; d < n; d++) {
            const int64_t size = sizes[d - (n - own)];

            TS_CHECK(size == picked[d] || size == 1 || picked[d] == 1, TS_ERR_INDEX,
                     "index/C4",
                     "%s: the indices do not broadcast: sizes %" PRId64 " and %" PRId64,
                     op, size, picked[d]);
            picked[d] = size == 1 ? picked[d] : size;
        }
    }
    for (int d = 0; d < n; d++)
        positions = picked[d] == 0 ? 0 : positions;
    for (int i = 0; i < s->n && positions > 0; i++)
        TS_CHECK(self->sizes[s->index[i].dim] > 0, TS_ERR_INDEX, "index/C5",
                 "%s: an index into dim %d, which has no elements", op, s->index[i].dim);
    TS_CHECK(n + self->ndim - s->n <= TS_MAX_DIMS, TS_ERR_RUNTIME, "tensors/C7",
             "%s: a result of more than %d dims", op, TS_MAX_DIMS);
    s->npicked = n;
    s->ndim = s->first = 0;
    for (int d = -1; d < self->ndim;
         d++) { /* S3: in the first one's place, or in front */
        if (together ? d == s->index[0].dim : d < 0) {
            s->first = s->ndim;
            for (int k = 0; k < n; k++)
                s->sizes[s->ndim++] = picked[k];
        }
        if (d < 0 || indexed[d])
            continue;
        s->from[s->ndim] = d;
        s->sizes[s->ndim++] = self->sizes[d];
    }
    return TS_OK;
}

/* Index i's strides over the indices' common shape; a mask's numbers lie one after the
 * other. */
static inline void ts_subscript_strides(const ts_subscript *s, const int64_t *counts,
                                        int i, int64_t *strides)
{
    const int64_t *sizes, one = 1;
    const int own = ts_subscript_dims(s, counts, i, &sizes);
    const int64_t *of = s->index[i].column < 0 ? s->index[i].t->strides : &one;

    for (int d = 0; d < s->npicked; d++) {
        const int k = d - (s->npicked - own);

        strides[d] = k < 0 || (sizes[k] == 1 && s->sizes[s->first + d] != 1) ? 0 : of[k];
    }
}

/* Index i as an operand of all the result's dims: it broadcasts over those that stayed
 * whole, but one of size 1 it walks as a view of its elements would. */
static inline void ts_subscript_operand(const ts_subscript *s, const int64_t *counts,
                                        int i, int64_t *strides)
{
    const int last = s->first + s->npicked - 1;
    int64_t before = 1, behind = 1;

    ts_subscript_strides(s, counts, i, strides + s->first);
    if (s->npicked > 0) {
        before = s->sizes[s->first] * strides[s->first];
        behind = strides[last];
    }
    for (int d = 0; d < s->ndim; d++)
        if (d < s->first || d > last)
            strides[d] = s->sizes[d] != 1 ? 0 : d < s->first ? before : behind;
}

/* The result's strides: dense, in the order in which self and the indices run (S4). */
static inline void ts_subscript_layout(const ts_subscript *s, const ts_tensor *self,
                                       const int64_t *counts, int64_t *strides)
{
    int64_t of[TS_MAX_DIMS + 1][TS_MAX_DIMS];

    for (int i = 0; i <= s->n; i++)
        for (int d = 0; d < s->ndim; d++)
            of[i][d] = i == 0 && (d < s->first || d >= s->first + s->npicked)
                           ? self->strides[s->from[d]]
                           : 0;
    for (int i = 0; i < s->n; i++)
        ts_subscript_operand(s, counts, i, of[i + 1]);
    ts_dense_in_order(s->n + 1, of, s->ndim, s->sizes, strides);
}

/* Whether values of t's shape can be written there. */
static inline ts_status ts_subscript_takes(const ts_subscript *s, const char *op,
                                           const ts_tensor *t)
{
    bool fits = t->ndim <= s->ndim;

    for (int d = 0; fits && d < t->ndim; d++)
        fits = t->sizes[d] == 1 || t->sizes[d] == s->sizes[s->ndim - t->ndim + d];
    TS_CHECK(fits, TS_ERR_RUNTIME, "index/C7",
             "%s: the values do not broadcast to what the indices pick", op);
    return TS_OK;
}

#ifdef __cplusplus
}
#endif
#endif

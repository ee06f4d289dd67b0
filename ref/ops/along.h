/* SPDX-License-Identifier: Apache-2.0 */
/* Steps through an index beside the tensors that it points into: gather, scatter and what
 * else is called (self, dim, index, …). */
#ifndef TSK_ALONG_H
#define TSK_ALONG_H

#include "touchstone/backend.h"

enum { TSK_ALONG_SELF, TSK_ALONG_DIM, TSK_ALONG_INDEX, TSK_ALONG_SRC };

/* Where a step through the index stands, in up to two tensors that share its coordinates.
 */
typedef struct tsk_walk {
    int64_t at[TS_MAX_DIMS]; /* coordinates in the index */
    int64_t i;               /* how many came before */
} tsk_walk;

static inline bool tsk_walk_next(tsk_walk *w, const ts_tensor *index)
{
    if (w->i++ == 0)
        return index->numel > 0;
    for (int d = index->ndim - 1; d >= 0; d--) {
        if (++w->at[d] < index->sizes[d])
            return true;
        w->at[d] = 0;
    }
    return false;
}

static inline int64_t tsk_element(const ts_tensor *t, const tsk_walk *w)
{
    int64_t e = 0;

    for (int d = 0; d < t->ndim; d++)
        e += w->at[d] * t->strides[d];
    return e;
}

/* The same with coordinate `dim` replaced by `k`. */
static inline int64_t tsk_element_at(const ts_tensor *t, const tsk_walk *w, int dim,
                                     int64_t k)
{
    return t->ndim > 0 ? tsk_element(t, w) + (k - w->at[dim]) * t->strides[dim] : 0;
}

/* Every number is within self's size along the dim, before anything is written. */
static inline ts_status tsk_along_check(const ts_kernel_call *call, const char *label)
{
    const ts_tensor *x = call->args[TSK_ALONG_SELF].tensor;
    const ts_tensor *index = call->args[TSK_ALONG_INDEX].tensor;
    const int dim = ts_call_dim(call, TSK_ALONG_DIM, x);
    const int64_t size = x->ndim > 0 ? x->sizes[dim] : 1;
    tsk_walk w = {.i = 0};

    while (tsk_walk_next(&w, index)) {
        const int64_t k = tse_get_i64(index, tsk_element(index, &w));

        TS_CHECK(k >= 0 && k < size, TS_ERR_RUNTIME, label,
                 "%s: index %" PRId64 " is out of bounds for dim %d of size %" PRId64,
                 call->op, k, dim, size);
    }
    return TS_OK;
}

/* A sum for one element of the result. */
typedef union tsk_accumulator {
    double f;
    int64_t i;
} tsk_accumulator;

#endif

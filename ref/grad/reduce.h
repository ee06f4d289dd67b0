/* SPDX-License-Identifier: Apache-2.0 */
/* What gradients of reductions share. */
#ifndef TSI_GRAD_REDUCE_H
#define TSI_GRAD_REDUCE_H

#include "grad/vjp.h"

/* t, of the shape that is left without one dim, with it as size 1, unless it was kept. */
static inline ts_status tsi_restore_dim(const tsi_vjp *v, ts_tensor *t, int64_t dim,
                                        bool keepdim, ts_tensor **out)
{
    const int ndim = v->arg_meta[0].ndim;

    if (!keepdim && ndim > 0)
        return ts_unsqueeze(t, dim, out);
    *out = ts_retain(t);
    return TS_OK;
}

/* The gradient of values that were picked along dim, one a line, at `indices`: to where
 * each stood. */
ts_status tsi_to_where_they_stood(tsi_vjp *v, int64_t dim, bool keepdim,
                                  ts_tensor *indices);

/* The gradient of one number: shared evenly among the elements that equal it, or are NaN
 * as it is. */
ts_status tsi_share_among_equals(tsi_vjp *v);

/* t, of the reduced shape, with the dims that v's reduction (args: self, dim, keepdim)
 * took away put back as size 1. */
static inline ts_status tsi_restore_dims(const tsi_vjp *v, ts_tensor *t, ts_tensor **out)
{
    const int ndim = v->arg_meta[0].ndim;
    const uint64_t mask = ts_reduce_mask(&v->args[1], ndim);

    *out = ts_retain(t);
    for (int d = 0; d < ndim && !v->args[2].b; d++)
        if (ts_reduces(mask, d)) {
            ts_tensor *wider = NULL;
            const ts_status s = ts_unsqueeze(*out, d, &wider);

            ts_release(*out);
            *out = wider;
            TS_TRY(s);
        }
    return TS_OK;
}

/* How many elements went into one result. */
static inline int64_t tsi_reduced_count(const tsi_vjp *v)
{
    const tsi_kept_meta *m = &v->arg_meta[0];
    const uint64_t mask = ts_reduce_mask(&v->args[1], m->ndim);
    int64_t n = 1;

    for (int d = 0; d < m->ndim; d++)
        n *= ts_reduces(mask, d) ? m->sizes[d] : 1;
    return n;
}

#endif

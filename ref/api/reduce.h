/* SPDX-License-Identifier: Apache-2.0 */
/* Reductions over a list of dims: which, and the shape that is left (O-04). */
#ifndef TSI_REDUCE_H
#define TSI_REDUCE_H

#include "core/core.h"

/* Every dim in range, none twice. */
static inline ts_status tsi_reduce_check(const ts_frame *f, const ts_value *v, int ndim,
                                         const char *range, const char *twice)
{
    uint64_t seen = 0;

    for (int64_t k = 0; v->kind == TS_ARG_INTS && k < v->ints.n; k++) {
        int dim;

        TS_TRY(tsi_wrap_dim(range, v->ints.v[k], ndim, &dim));
        TS_CHECK(!ts_reduces(seen, dim), TS_ERR_RUNTIME, twice,
                 "%s: dim %d stands in the list twice", f->op->name, dim);
        seen |= UINT64_C(1) << dim;
    }
    return TS_OK;
}

/* Result 0 of `dtype` with the shape that is left of x. */
static inline ts_status tsi_reduce_result(ts_frame *f, const ts_tensor *x, uint64_t mask,
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
    return tsi_result(f, 0, x->device, dtype, n, sizes);
}

#endif

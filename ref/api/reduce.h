/* SPDX-License-Identifier: Apache-2.0 */
/* Reductions over a list of dims: which, and the shape that is left (O-04). */
#ifndef TSI_REDUCE_H
#define TSI_REDUCE_H

#include "core/core.h"

/* The reduced dims as a mask; v is an int[] argument that passed tsi_reduce_check, or an
 * int, or none. Nothing or an empty list means all. */
static inline uint64_t tsi_reduce_mask(const ts_value *v, int ndim)
{
    const int64_t *dims = v->kind == TS_ARG_INT ? &v->i : v->ints.v;
    const int64_t n = v->kind == TS_ARG_INT ? 1 : v->kind == TS_ARG_INTS ? v->ints.n : 0;
    uint64_t mask = 0;

    for (int64_t k = 0; k < n; k++)
        mask |= UINT64_C(1) << (dims[k] < 0 ? dims[k] + (ndim > 0 ? ndim : 1) : dims[k]);
    return n > 0 ? mask : UINT64_MAX;
}

static inline bool tsi_reduces(uint64_t mask, int dim)
{
    return mask >> dim & 1;
}

/* Every dim in range, none twice. */
static inline ts_status tsi_reduce_check(const ts_frame *f, const ts_value *v, int ndim,
                                         const char *range, const char *twice)
{
    uint64_t seen = 0;

    for (int64_t k = 0; v->kind == TS_ARG_INTS && k < v->ints.n; k++) {
        int dim;

        TS_TRY(tsi_wrap_dim(range, v->ints.v[k], ndim, &dim));
        TS_CHECK(!tsi_reduces(seen, dim), TS_ERR_RUNTIME, twice,
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
        if (!tsi_reduces(mask, d))
            sizes[n++] = x->sizes[d];
        else if (keepdim)
            sizes[n++] = 1;
    }
    f->compute = dtype;
    return tsi_result(f, 0, x->device, dtype, n, sizes);
}

#endif

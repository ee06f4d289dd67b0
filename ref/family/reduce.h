/* SPDX-License-Identifier: Apache-2.0 */
/* Reductions over a list of dims: which, and the shape that is left (O-04). */
#ifndef TSI_REDUCE_H
#define TSI_REDUCE_H

#include "core/core.h"

/* Every dim in range, none twice. */
ts_status tsi_reduce_check(const ts_frame *f, const ts_value *v, int ndim,
                           const char *range, const char *twice);

/* Result 0 of `dtype` with the shape that is left of x. */
ts_status tsi_reduce_result(ts_frame *f, const ts_tensor *x, uint64_t mask, bool keepdim,
                            ts_dtype dtype);

/* The same as result r. */
ts_status tsi_reduce_result_at(ts_frame *f, int r, const ts_tensor *x, uint64_t mask,
                               bool keepdim, ts_dtype dtype);

/* The labels of a page's checks, for what picks elements along one dim. */
typedef struct tsi_select_checks {
    const char *range, *empty, *dtype, *out; /* out NULL: not looked at here */
} tsi_select_checks;

/* Two results of the shape that is left without dim (all, where there is none given), the
 * first of self's dtype, the second of `second`. The dtype is looked at where there are
 * elements and dims. */
ts_status tsi_select_results(ts_frame *f, int dim, int keepdim, ts_dtype second,
                             const tsi_select_checks *labels);

#endif

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

#endif

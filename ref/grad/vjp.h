/* SPDX-License-Identifier: Apache-2.0 */
/* What a derivative sees: one vjp call of one recorded op.
 * Included by ref/grad/<page>.c only. */
#ifndef TSI_VJP_H
#define TSI_VJP_H

#include "core/core.h"
#include "touchstone/touchstone.h"

/* Geometry, dtype and device of a tensor argument,
 * kept even where the tensor itself is not. */
typedef struct tsi_kept_meta {
    int ndim;
    int64_t *sizes, *strides;
    int64_t offset;
    ts_dtype dtype;
    ts_device device;
} tsi_kept_meta;

/*
 * A derivative reads args (numbers, lists, dtypes as called; a tensor argument only where
 * the page's `saves` keeps it, else NULL; the same of a list's entries), arg_meta, results, grads, needs; and writes new
 * references into out.
 *
 * grads[i] is NULL where result i got no gradient; at least one is not NULL. out[k] stays
 * NULL for a zero gradient. The engine sums each out[k] to its argument's shape and
 * casts it to its dtype, so a broadcasting op returns the plain product. needs[k] false:
 * leave out[k] alone. A Tensor[] argument k (at most one an op) uses list_*.
 *
 * Written as a program over ts_ ops: double backward comes from that.
 */
typedef struct tsi_vjp {
    const ts_op *op;
    ts_value *args;
    const tsi_kept_meta *arg_meta; /* by argument */
    ts_tensor *const *results;     /* saved results, else NULL */
    ts_tensor *const *grads;       /* by result */
    int ngrads;                    /* results; of a list as many as it had */
    const tsi_kept_meta *inputs; /* what each result was, so what each gradient is like */
    const bool *needs;           /* by argument */
    ts_tensor **out;             /* by argument */
    int64_t list_n;
    const tsi_kept_meta *list_meta;
    const bool *list_needs;
    ts_tensor **list_out;
} tsi_vjp;

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* What an op's own rule for tangents sees. */
#ifndef TSI_JVP_H
#define TSI_JVP_H

#include "core/core.h"
#include "touchstone/touchstone.h"

/*
 * One call, made already, below the level: tensors are the values. A rule writes new
 * references into out, one a result; NULL stays where a tangent is zero.
 */
typedef struct tsi_jvp {
    const ts_op *op;
    const ts_value *args;
    ts_tensor *const *tangents; /* by argument; NULL: zero, or no tensor */
    ts_tensor *const *results;
    int nresults;
    ts_tensor **out;
    const ts_frame *f;   /* the call at the level, */
    struct tsi_level *l; /* and the level */
} tsi_jvp;

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* transpose/G1. */
#include "touchstone/ops/transpose_glue.h"

#include "grad/vjp.h"

ts_status tsi_vjp_transpose(tsi_vjp *v)
{
    return ts_transpose(v->grads[0], v->args[TS_TRANSPOSE_DIM0].i,
                        v->args[TS_TRANSPOSE_DIM1].i, &v->out[TS_TRANSPOSE_SELF]);
}

ts_status tsi_vjp_permute(tsi_vjp *v)
{
    const int ndim = v->arg_meta[TS_PERMUTE_SELF].ndim;
    int64_t back[TS_MAX_DIMS];

    for (int d = 0; d < ndim; d++) {
        const int64_t dim = v->args[TS_PERMUTE_DIMS].ints.v[d];

        back[dim < 0 ? dim + ndim : dim] = d;
    }
    return ts_permute(v->grads[0], back, ndim, &v->out[TS_PERMUTE_SELF]);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* transpose/G1. */
#include "touchstone/ops_glue.h"

#include "grad/vjp.h"

ts_status tsi_vjp_transpose(tsi_vjp *v)
{
    return ts_transpose(v->grads[0], v->args[1].i, v->args[2].i, &v->out[0]);
}

ts_status tsi_vjp_permute(tsi_vjp *v)
{
    const int ndim = v->arg_meta[0].ndim;
    int64_t back[TS_MAX_DIMS];

    for (int d = 0; d < ndim; d++) {
        const int64_t dim = v->args[1].ints.v[d];

        back[dim < 0 ? dim + ndim : dim] = d;
    }
    return ts_permute(v->grads[0], back, ndim, &v->out[0]);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* diagonal/G1, diagonal/G2. */
#include "touchstone/ops/diagonal_glue.h"

#include "grad/vjp.h"

ts_status tsi_vjp_diagonal(tsi_vjp *v)
{
    const tsi_kept_meta *self = &v->arg_meta[TS_DIAGONAL_SELF];

    return ts_diagonal_backward(v->grads[0], self->sizes, self->ndim,
                                v->args[TS_DIAGONAL_OFFSET].i,
                                v->args[TS_DIAGONAL_DIM1].i, v->args[TS_DIAGONAL_DIM2].i,
                                &v->out[TS_DIAGONAL_SELF]);
}

ts_status tsi_vjp_diagonal_backward(tsi_vjp *v)
{
    ts_diagonal_opts o = ts_diagonal_defaults();

    o.offset = v->args[TS_DIAGONAL_BACKWARD_OFFSET].i;
    o.dim1 = v->args[TS_DIAGONAL_BACKWARD_DIM1].i;
    o.dim2 = v->args[TS_DIAGONAL_BACKWARD_DIM2].i;
    return ts_diagonal(v->grads[0], &o, &v->out[TS_DIAGONAL_BACKWARD_GRAD]);
}

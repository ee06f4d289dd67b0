/* SPDX-License-Identifier: Apache-2.0 */
/* diagonal/G1. */
#include "core/expr.h"
#include "grad/vjp.h"
#include "touchstone/ops/copy.h"
#include "touchstone/ops/diagonal_expr.h"
#include "touchstone/ops/diagonal_glue.h"
#include "touchstone/ops/factories_expr.h"

ts_status tsi_vjp_diagonal(tsi_vjp *v)
{
    const tsi_kept_meta *self = &v->arg_meta[TS_DIAGONAL_SELF];
    ts_diagonal_opts o = ts_diagonal_defaults();
    tsi_expr e = {0};
    ts_tensor *y, *place;

    o.offset = v->args[TS_DIAGONAL_OFFSET].i;
    o.dim1 = v->args[TS_DIAGONAL_DIM1].i;
    o.dim2 = v->args[TS_DIAGONAL_DIM2].i;
    y = tsx_new_zeros(&e, v->grads[0], self->sizes, self->ndim, NULL);
    place = tsx_diagonal(&e, y, &o);
    if (place)
        e.s = ts_copy_(place, v->grads[0], NULL);
    return tsi_expr_give(&e, y, &v->out[TS_DIAGONAL_SELF]);
}

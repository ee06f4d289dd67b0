/* SPDX-License-Identifier: Apache-2.0 */
/* as_strided/G1, as_strided/G3. */
#include "touchstone/ops.h"
#include "touchstone/ops_glue.h"

#include "grad/vjp.h"

ts_status tsi_vjp_as_strided(tsi_vjp *v)
{
    const tsi_kept_meta *self = &v->arg_meta[0];
    const ts_value *size = &v->args[1], *stride = &v->args[2];
    const int64_t offset = v->args[3].kind == TS_ARG_INT ? v->args[3].i : self->offset;

    return ts_as_strided_backward(v->grads[0], size->ints.v, size->ints.n, stride->ints.v,
                                  stride->ints.n, offset, self->sizes, self->ndim,
                                  self->strides, self->ndim, self->offset, &v->out[0]);
}

ts_status tsi_vjp_as_strided_backward(tsi_vjp *v)
{
    const ts_value *a = v->args;

    return ts_as_strided_backward(v->grads[0], a[4].ints.v, a[4].ints.n, a[5].ints.v,
                                  a[5].ints.n, a[6].i, a[1].ints.v, a[1].ints.n,
                                  a[2].ints.v, a[2].ints.n, a[3].i, &v->out[0]);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* slice/G1 to slice/G3. */
#include "touchstone/ops.h"
#include "touchstone/ops_glue.h"

#include "grad/vjp.h"

static const int64_t *optional_int(const ts_value *v)
{
    return v->kind == TS_ARG_INT ? &v->i : NULL;
}

ts_status tsi_vjp_select(tsi_vjp *v)
{
    const tsi_kept_meta *self = &v->arg_meta[0];

    return ts_select_backward(v->grads[0], self->sizes, self->ndim, v->args[1].i,
                              v->args[2].i, &v->out[0]);
}

ts_status tsi_vjp_slice(tsi_vjp *v)
{
    const tsi_kept_meta *self = &v->arg_meta[0];

    return ts_slice_backward(v->grads[0], self->sizes, self->ndim, v->args[1].i,
                             optional_int(&v->args[2]), optional_int(&v->args[3]),
                             v->args[4].i, &v->out[0]);
}

ts_status tsi_vjp_select_backward(tsi_vjp *v)
{
    return ts_select(v->grads[0], v->args[2].i, v->args[3].i, &v->out[0]);
}

ts_status tsi_vjp_slice_backward(tsi_vjp *v)
{
    ts_slice_opts o = ts_slice_defaults();

    o.dim = v->args[2].i;
    o.start = optional_int(&v->args[3]);
    o.end = optional_int(&v->args[4]);
    o.step = v->args[5].i;
    return ts_slice(v->grads[0], &o, &v->out[0]);
}

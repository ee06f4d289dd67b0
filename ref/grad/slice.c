/* SPDX-License-Identifier: Apache-2.0 */
/* slice/G1 to slice/G3. */
#include "touchstone/ops.h"
#include "touchstone/ops/slice_glue.h"

#include "grad/vjp.h"

static const int64_t *optional_int(const ts_value *v)
{
    return v->kind == TS_ARG_INT ? &v->i : NULL;
}

ts_status tsi_vjp_select(tsi_vjp *v)
{
    const tsi_kept_meta *self = &v->arg_meta[TS_SELECT_SELF];

    return ts_select_backward(v->grads[0], self->sizes, self->ndim,
                              v->args[TS_SELECT_DIM].i, v->args[TS_SELECT_INDEX].i,
                              &v->out[TS_SELECT_SELF]);
}

ts_status tsi_vjp_slice(tsi_vjp *v)
{
    const tsi_kept_meta *self = &v->arg_meta[TS_SLICE_SELF];

    return ts_slice_backward(
        v->grads[0], self->sizes, self->ndim, v->args[TS_SLICE_DIM].i,
        optional_int(&v->args[TS_SLICE_START]), optional_int(&v->args[TS_SLICE_END]),
        v->args[TS_SLICE_STEP].i, &v->out[TS_SLICE_SELF]);
}

ts_status tsi_vjp_select_backward(tsi_vjp *v)
{
    return ts_select(v->grads[0], v->args[TS_SELECT_BACKWARD_DIM].i,
                     v->args[TS_SELECT_BACKWARD_INDEX].i,
                     &v->out[TS_SELECT_BACKWARD_GRAD]);
}

ts_status tsi_vjp_slice_backward(tsi_vjp *v)
{
    ts_slice_opts o = ts_slice_defaults();

    o.dim = v->args[TS_SLICE_BACKWARD_DIM].i;
    o.start = optional_int(&v->args[TS_SLICE_BACKWARD_START]);
    o.end = optional_int(&v->args[TS_SLICE_BACKWARD_END]);
    o.step = v->args[TS_SLICE_BACKWARD_STEP].i;
    return ts_slice(v->grads[0], &o, &v->out[TS_SLICE_BACKWARD_GRAD]);
}

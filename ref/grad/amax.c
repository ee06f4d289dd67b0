/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients of amax and amin; spec/ops/amax.md. */
#include "grad/reduce.h"
#include "touchstone/ops/amax_glue.h"

/* G1: (grad * (self == result)) / how many those are */
static ts_status shared_evenly(tsi_vjp *v)
{
    ts_tensor *x = v->args[TS_AMAX_SELF].tensor;
    ts_tensor *t[5] = {NULL}; /* grad, result, mask, count, product */
    ts_sum_opts o = ts_sum_defaults();
    ts_status s = tsi_restore_dims(v, v->grads[0], &t[0]);

    o.keepdim = true;
    if (v->args[TS_AMAX_DIM].kind == TS_ARG_INTS) {
        o.dim = v->args[TS_AMAX_DIM].ints.v;
        o.ndim = v->args[TS_AMAX_DIM].ints.n;
    }
    if (s == TS_OK)
        s = tsi_restore_dims(v, v->results[0], &t[1]);
    if (s == TS_OK)
        s = ts_eq(x, t[1], &t[2]);
    if (s == TS_OK)
        s = ts_sum(t[2], &o, &t[3]);
    if (s == TS_OK)
        s = ts_mul(t[0], t[2], &t[4]);
    if (s == TS_OK)
        s = ts_div(t[4], t[3], NULL, &v->out[TS_AMAX_SELF]);
    for (int i = 0; i < 5; i++)
        ts_release(t[i]);
    return s;
}

ts_status tsi_vjp_amax(tsi_vjp *v)
{
    return shared_evenly(v);
}

ts_status tsi_vjp_amin(tsi_vjp *v)
{
    return shared_evenly(v);
}

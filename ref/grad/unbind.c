/* SPDX-License-Identifier: Apache-2.0 */
/* unbind/G1. */
#include <stdlib.h>

#include "grad/vjp.h"
#include "touchstone/ops/expand_expr.h"
#include "touchstone/ops/factories_expr.h"
#include "touchstone/ops/unbind_glue.h"

/* The gradient of slice i with its dim put back as size 1; zeros where it got none. */
static ts_status slice_gradient(const tsi_vjp *v, int i, ts_tensor **out)
{
    const tsi_kept_meta *m = &v->inputs[i];
    ts_zeros_opts o = ts_zeros_defaults();
    tsi_expr e = {0};
    ts_tensor *g = v->grads[i];

    o.dtype = m->dtype;
    o.device = m->device;
    if (!g)
        g = tsx_zeros(&e, m->sizes, m->ndim, &o);
    return tsi_expr_give(&e, tsx_unsqueeze(&e, g, v->args[TS_UNBIND_DIM].i), out);
}

static ts_status joined(const tsi_vjp *v, ts_tensor **slices, ts_tensor **out)
{
    ts_cat_opts o = ts_cat_defaults();

    for (int i = 0; i < v->ngrads; i++)
        TS_TRY(slice_gradient(v, i, &slices[i]));
    o.dim = v->args[TS_UNBIND_DIM].i;
    return ts_cat(slices, v->ngrads, &o, out);
}

/* An expression for each slice: there may be more of them than one expression holds. */
ts_status tsi_vjp_unbind(tsi_vjp *v)
{
    ts_tensor **slices = calloc((size_t)v->ngrads, sizeof *slices);
    ts_status s;

    TS_CHECK(slices, TS_ERR_OUT_OF_MEMORY, "tensors/C10",
             "unbind: no memory for %d gradients", v->ngrads);
    s = joined(v, slices, &v->out[TS_UNBIND_SELF]);
    for (int i = 0; i < v->ngrads; i++)
        ts_release(slices[i]);
    free(slices);
    return s;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* unbind/G1. */
#include <stdlib.h>

#include "grad/vjp.h"
#include "touchstone/ops/unbind_glue.h"

/* The gradient of slice i with its dim put back as size 1; zeros where it got none. */
static ts_status slice_gradient(const tsi_vjp *v, int i, ts_tensor **out)
{
    const tsi_kept_meta *m = &v->inputs[i];
    ts_zeros_opts o = ts_zeros_defaults();
    ts_tensor *g = NULL;
    int64_t dim = v->args[TS_UNBIND_DIM].i;
    ts_status s;

    if (v->grads[i])
        return ts_unsqueeze(v->grads[i], dim, out);
    o.dtype = m->dtype;
    o.device = m->device;
    TS_TRY(ts_zeros(m->sizes, m->ndim, &o, &g));
    s = ts_unsqueeze(g, dim, out);
    ts_release(g);
    return s;
}

ts_status tsi_vjp_unbind(tsi_vjp *v)
{
    ts_tensor **slices = calloc((size_t)v->ngrads, sizeof *slices);
    ts_cat_opts o = ts_cat_defaults();
    ts_status s = TS_OK;

    TS_CHECK(slices, TS_ERR_OUT_OF_MEMORY, "tensors/C10",
             "unbind: no memory for %d gradients", v->ngrads);
    for (int i = 0; s == TS_OK && i < v->ngrads; i++)
        s = slice_gradient(v, i, &slices[i]);
    o.dim = v->args[TS_UNBIND_DIM].i;
    if (s == TS_OK)
        s = ts_cat(slices, v->ngrads, &o, &v->out[TS_UNBIND_SELF]);
    for (int i = 0; i < v->ngrads; i++)
        ts_release(slices[i]);
    free(slices);
    return s;
}

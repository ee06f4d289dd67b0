/* SPDX-License-Identifier: Apache-2.0 */
#include "grad/parts.h"

#include <stdlib.h>

#include "touchstone/ops/expand_expr.h"
#include "touchstone/ops/factories_expr.h"

/* The gradient of part i, with its dim; zeros where it got none. */
static ts_status gradient_of(const tsi_vjp *v, int i, int64_t dim, bool stacked,
                             ts_tensor **out)
{
    const tsi_kept_meta *m = &v->inputs[i];
    ts_zeros_opts o = ts_zeros_defaults();
    tsi_expr e = {0};
    ts_tensor *g = v->grads[i];

    o.dtype = m->dtype;
    o.device = m->device;
    if (!g)
        g = tsx_zeros(&e, m->sizes, m->ndim, &o);
    if (stacked)
        g = tsx_unsqueeze(&e, g, dim);
    return tsi_expr_give(&e, g, out);
}

static ts_status joined(const tsi_vjp *v, int64_t dim, bool stacked, ts_tensor **parts,
                        ts_tensor **out)
{
    ts_cat_opts o = ts_cat_defaults();

    for (int i = 0; i < v->ngrads; i++)
        TS_TRY(gradient_of(v, i, dim, stacked, &parts[i]));
    o.dim = dim;
    return ts_cat(parts, v->ngrads, &o, out);
}

/* An expression for each part: there may be more of them than one expression holds. */
ts_status tsi_parts_joined(tsi_vjp *v, int64_t dim, bool stacked)
{
    ts_tensor **parts = calloc((size_t)v->ngrads, sizeof *parts);
    ts_status s;

    TS_CHECK(parts, TS_ERR_OUT_OF_MEMORY, "tensors/C10", "%s: no memory for %d gradients",
             v->op->name, v->ngrads);
    s = joined(v, dim, stacked, parts, &v->out[0]);
    for (int i = 0; i < v->ngrads; i++)
        ts_release(parts[i]);
    free(parts);
    return s;
}

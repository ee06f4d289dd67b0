/* SPDX-License-Identifier: Apache-2.0 */
/* copy/G1, copy/G2: what is overwritten gets a gradient of zeros. */
#include "core/expr.h"
#include "grad/vjp.h"
#include "touchstone/ops.h"
#include "touchstone/ops/copy_glue.h"

static ts_status overwritten(tsi_vjp *v, ts_memory_format layout)
{
    ts_zeros_like_opts o = ts_zeros_like_defaults();

    o.memory_format = layout;
    return v->needs[TS_COPY_SELF] ? ts_zeros_like(v->grads[0], &o, &v->out[TS_COPY_SELF])
                                  : TS_OK;
}

ts_status tsi_vjp_copy(tsi_vjp *v)
{
    const ts_dtype source = v->arg_meta[TS_COPY_SRC].dtype;
    ts_tensor *g = v->grads[0];
    tsi_expr e = {0};

    if (v->needs[TS_COPY_SRC] && g->dtype == source)
        v->out[TS_COPY_SRC] = ts_retain(g);
    else if (v->needs[TS_COPY_SRC]) /* before the engine sums to src's shape */
        TS_TRY(tsi_expr_give(&e, tsi_cast(&e, g, source), &v->out[TS_COPY_SRC]));
    return overwritten(v, TS_CONTIGUOUS_FORMAT);
}

ts_status tsi_vjp_fill(tsi_vjp *v)
{
    if (v->needs[TS_FILL_VALUE] && v->grads[0]->ndim == 0)
        v->out[TS_FILL_VALUE] = ts_retain(v->grads[0]);
    else if (v->needs[TS_FILL_VALUE]) /* the engine's own sum would be a view of one */
        TS_TRY(ts_sum(v->grads[0], NULL, &v->out[TS_FILL_VALUE]));
    return overwritten(v, TS_PRESERVE_FORMAT);
}

ts_status tsi_vjp_zero(tsi_vjp *v)
{
    return overwritten(v, TS_PRESERVE_FORMAT);
}

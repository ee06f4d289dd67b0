/* SPDX-License-Identifier: Apache-2.0 */
/* index_fill/G1, index_fill/G2, index_fill/G3. */
#include "core/expr.h"
#include "grad/vjp.h"
#include "touchstone/ops/expand_expr.h"
#include "touchstone/ops/factories_expr.h"
#include "touchstone/ops/index_fill_expr.h"
#include "touchstone/ops/index_fill_glue.h"
#include "touchstone/ops/index_select_expr.h"
#include "touchstone/ops/view_expr.h"
#include "touchstone/ops/where_expr.h"

static ts_status of_self(tsi_vjp *v)
{
    if (!v->needs[TS_INDEX_FILL_SELF])
        return TS_OK;
    return ts_index_fill_number(v->grads[0], v->args[TS_INDEX_FILL_DIM].i,
                                v->args[TS_INDEX_FILL_INDEX].tensor, ts_int(0),
                                &v->out[TS_INDEX_FILL_SELF]);
}

ts_status tsi_vjp_index_fill(tsi_vjp *v)
{
    ts_zeros_like_opts o = ts_zeros_like_defaults();
    ts_tensor *g = v->grads[0], *named, *filled;
    tsi_expr e = {0};

    TS_TRY(of_self(v));
    if (!v->needs[TS_INDEX_FILL_VALUE])
        return TS_OK;
    o.dtype = TS_BOOL;
    named = tsx_zeros_like(&e, g, &o);
    named = tsx_index_fill_number(&e, named, v->args[TS_INDEX_FILL_DIM].i,
                                  v->args[TS_INDEX_FILL_INDEX].tensor, ts_int(1));
    filled = tsx_where(&e, named, g, tsi_number(&e, ts_int(0)));
    return tsi_expr_give(&e, tsi_sum(&e, filled, NULL, 0, false),
                         &v->out[TS_INDEX_FILL_VALUE]);
}

ts_status tsi_vjp_index_copy(tsi_vjp *v)
{
    const tsi_kept_meta *m = &v->arg_meta[TS_INDEX_COPY_SOURCE];
    tsi_expr e = {0};
    ts_tensor *slices;

    TS_TRY(of_self(v));
    if (!v->needs[TS_INDEX_COPY_SOURCE])
        return TS_OK;
    slices = tsx_index_select(&e, v->grads[0], v->args[TS_INDEX_COPY_DIM].i,
                              v->args[TS_INDEX_COPY_INDEX].tensor);
    return tsi_expr_give(&e,
                         m->ndim > 0 ? tsx_expand(&e, slices, m->sizes, m->ndim, NULL)
                                     : tsx_reshape(&e, slices, m->sizes, 0),
                         &v->out[TS_INDEX_COPY_SOURCE]);
}

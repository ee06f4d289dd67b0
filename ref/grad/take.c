/* SPDX-License-Identifier: Apache-2.0 */
/* take/G1, take/G2. */
#include "core/expr.h"
#include "grad/vjp.h"
#include "touchstone/ops/factories_expr.h"
#include "touchstone/ops/take_expr.h"
#include "touchstone/ops/take_glue.h"
#include "touchstone/ops/view_expr.h"

ts_status tsi_vjp_take(tsi_vjp *v)
{
    ts_put_opts o = ts_put_defaults();
    tsi_expr e = {0};
    ts_tensor *zeros = tsx_zeros_like(&e, v->args[TS_TAKE_SELF].tensor, NULL);

    o.accumulate = true;
    return tsi_expr_give(
        &e, tsx_put(&e, zeros, v->args[TS_TAKE_INDEX].tensor, v->grads[0], &o),
        &v->out[TS_TAKE_SELF]);
}

ts_status tsi_vjp_put(tsi_vjp *v)
{
    const tsi_kept_meta *m = &v->arg_meta[TS_PUT_SOURCE];
    ts_tensor *g = v->grads[0], *index = v->args[TS_PUT_INDEX].tensor;
    tsi_expr e = {0};
    ts_tensor *zeros;

    if (v->needs[TS_PUT_SOURCE]) {
        ts_tensor *taken = tsx_take(&e, g, index);

        TS_TRY(tsi_expr_give(&e, tsx_reshape(&e, taken, m->sizes, m->ndim),
                             &v->out[TS_PUT_SOURCE]));
    }
    if (!v->needs[TS_PUT_SELF])
        return TS_OK;
    if (v->args[TS_PUT_ACCUMULATE].b) {
        v->out[TS_PUT_SELF] = ts_retain(g);
        return TS_OK;
    }
    zeros = tsx_zeros_like(&e, v->args[TS_PUT_SOURCE].tensor, NULL);
    return tsi_expr_give(&e, tsx_put(&e, g, index, zeros, NULL), &v->out[TS_PUT_SELF]);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* mm/G1 to mm/G3. */
#include "grad/product.h"
#include "touchstone/ops/mm_glue.h"

/* G3: a column-major argument gets a column-major gradient, the product of the
 * transposes. */
ts_status tsi_vjp_mm(tsi_vjp *v)
{
    ts_tensor *g = v->grads[0];
    tsi_expr e = {0};
    ts_tensor *da = NULL, *db = NULL;

    if (v->needs[TS_MM_SELF])
        da = tsi_left_gradient(&e, g, v->args[TS_MM_MAT2].tensor,
                               &v->arg_meta[TS_MM_SELF]);
    if (v->needs[TS_MM_MAT2])
        db = tsi_right_gradient(&e, g, v->args[TS_MM_SELF].tensor,
                                &v->arg_meta[TS_MM_MAT2]);
    if (e.s == TS_OK)
        v->out[TS_MM_MAT2] = ts_retain(db);
    return tsi_expr_give(&e, da, &v->out[TS_MM_SELF]);
}

ts_status tsi_vjp_bmm(tsi_vjp *v)
{
    ts_tensor *g = v->grads[0];
    tsi_expr e = {0};
    ts_tensor *da = NULL, *db = NULL;

    if (v->needs[TS_BMM_SELF])
        da = tsx_bmm(&e, g, tsi_turned(&e, v->args[TS_BMM_MAT2].tensor));
    if (v->needs[TS_BMM_MAT2])
        db = tsx_bmm(&e, tsi_turned(&e, v->args[TS_BMM_SELF].tensor), g);
    if (e.s == TS_OK)
        v->out[TS_BMM_MAT2] = ts_retain(db);
    return tsi_expr_give(&e, da, &v->out[TS_BMM_SELF]);
}

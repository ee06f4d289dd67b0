/* SPDX-License-Identifier: Apache-2.0 */
/* mm/G1 to mm/G3. */
#include "grad/vjp.h"
#include "touchstone/ops/mm_expr.h"
#include "touchstone/ops/mm_glue.h"
#include "touchstone/ops/transpose_expr.h"

static ts_tensor *turned(tsi_expr *e, ts_tensor *t)
{
    return tsx_transpose(e, t, -2, -1);
}

static bool column_major(const tsi_kept_meta *m)
{
    return m->strides[0] == 1 && m->strides[1] == m->sizes[0];
}

/* G3: a column-major argument gets a column-major gradient, the product of the
 * transposes. */
ts_status tsi_vjp_mm(tsi_vjp *v)
{
    ts_tensor *g = v->grads[0];
    ts_tensor *a = v->args[TS_MM_SELF].tensor, *b = v->args[TS_MM_MAT2].tensor;
    tsi_expr e = {0};
    ts_tensor *da = NULL, *db = NULL;

    if (v->needs[TS_MM_SELF])
        da = column_major(&v->arg_meta[TS_MM_SELF])
                 ? turned(&e, tsx_mm(&e, b, turned(&e, g)))
                 : tsx_mm(&e, g, turned(&e, b));
    if (v->needs[TS_MM_MAT2])
        db = column_major(&v->arg_meta[TS_MM_MAT2])
                 ? turned(&e, tsx_mm(&e, turned(&e, g), a))
                 : tsx_mm(&e, turned(&e, a), g);
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
        da = tsx_bmm(&e, g, turned(&e, v->args[TS_BMM_MAT2].tensor));
    if (v->needs[TS_BMM_MAT2])
        db = tsx_bmm(&e, turned(&e, v->args[TS_BMM_SELF].tensor), g);
    if (e.s == TS_OK)
        v->out[TS_BMM_MAT2] = ts_retain(db);
    return tsi_expr_give(&e, da, &v->out[TS_BMM_SELF]);
}

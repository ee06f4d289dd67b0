/* SPDX-License-Identifier: Apache-2.0 */
/* logsumexp/G1. */
#include "core/expr.h"
#include "grad/reduce.h"
#include "touchstone/ops/add_expr.h"
#include "touchstone/ops/logsumexp_glue.h"
#include "touchstone/ops/mul_expr.h"
#include "touchstone/ops/unary_expr.h"

ts_status tsi_vjp_logsumexp(tsi_vjp *v)
{
    tsi_expr e = {0};
    ts_tensor *g = TSI_EXPR(&e, tsi_restore_dims(v, v->grads[0], &e.made));
    ts_tensor *y = TSI_EXPR(&e, tsi_restore_dims(v, v->results[0], &e.made));
    ts_tensor *share =
        tsx_exp(&e, tsx_sub(&e, v->args[TS_LOGSUMEXP_SELF].tensor, y, NULL));

    return tsi_expr_give(&e, tsx_mul(&e, g, share), &v->out[TS_LOGSUMEXP_SELF]);
}

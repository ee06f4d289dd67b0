/* SPDX-License-Identifier: Apache-2.0 */
/* Gradient of copysign; spec/ops/copysign.md. */
#include "core/expr.h"
#include "grad/vjp.h"
#include "touchstone/ops/compare_expr.h"
#include "touchstone/ops/copysign_glue.h"
#include "touchstone/ops/div_expr.h"
#include "touchstone/ops/factories.h"
#include "touchstone/ops/mul_expr.h"
#include "touchstone/ops/where_expr.h"

ts_status tsi_vjp_copysign(tsi_vjp *v) /* G1 */
{
    const tsi_kept_meta *other = &v->arg_meta[TS_COPYSIGN_OTHER];
    ts_tensor *self = v->args[TS_COPYSIGN_SELF].tensor, *turned;
    tsi_expr e = {0};

    if (v->needs[TS_COPYSIGN_OTHER])
        TS_TRY(ts_new_zeros(v->grads[0], other->sizes, other->ndim, NULL,
                            &v->out[TS_COPYSIGN_OTHER]));
    if (!v->needs[TS_COPYSIGN_SELF])
        return TS_OK;
    turned = tsx_div(&e, v->results[0], self, NULL);
    turned = tsx_where_number(&e, tsx_ne_number(&e, self, ts_int(0)), turned, ts_int(0));
    return tsi_expr_give(&e, tsx_mul(&e, v->grads[0], turned), &v->out[TS_COPYSIGN_SELF]);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* masked_fill/G1, masked_fill/G2. */
#include "core/expr.h"
#include "grad/vjp.h"
#include "touchstone/ops/masked_fill_glue.h"
#include "touchstone/ops/where_expr.h"

ts_status tsi_vjp_masked_fill(tsi_vjp *v)
{
    ts_tensor *g = v->grads[0], *mask = v->args[TS_MASKED_FILL_MASK].tensor;

    if (v->needs[TS_MASKED_FILL_SELF])
        TS_TRY(ts_masked_fill_number(g, mask, ts_int(0), &v->out[TS_MASKED_FILL_SELF]));
    if (v->needs[TS_MASKED_FILL_VALUE]) {
        tsi_expr e = {0};
        ts_tensor *filled = tsx_where(&e, mask, g, tsi_number(&e, ts_int(0)));

        TS_TRY(tsi_expr_give(&e, tsi_sum(&e, filled, NULL, 0, false),
                             &v->out[TS_MASKED_FILL_VALUE]));
    }
    return TS_OK;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* logcumsumexp/G1. */
#include <float.h>

#include "grad/scan.h"
#include "touchstone/ops/abs_expr.h"
#include "touchstone/ops/add_expr.h"
#include "touchstone/ops/compare_expr.h"
#include "touchstone/ops/factories_expr.h"
#include "touchstone/ops/logcumsumexp_expr.h"
#include "touchstone/ops/logcumsumexp_glue.h"
#include "touchstone/ops/unary_expr.h"
#include "touchstone/ops/where_expr.h"

static double lowest(ts_dtype dtype)
{
    return dtype == TS_FLOAT64    ? -DBL_MAX
           : dtype == TS_FLOAT32  ? -FLT_MAX
           : dtype == TS_BFLOAT16 ? -0x1.FEp127
                                  : -65504;
}

/* exp(x + what comes behind it of log), where `part` holds of the gradient. */
static ts_tensor *of_part(tsi_expr *e, tsi_vjp *v, ts_tensor *part, ts_tensor *log)
{
    const int64_t dim = v->args[TS_LOGCUMSUMEXP_DIM].i;
    ts_tensor *g = v->grads[0], *x = v->args[TS_LOGCUMSUMEXP_SELF].tensor;
    ts_tensor *held = tsx_where_number(e, part, log, ts_float(lowest(g->dtype)));
    ts_tensor *apart = tsi_turned(e, tsx_sub(e, held, v->results[0], NULL), dim);
    ts_tensor *behind = tsi_turned(e, tsx_logcumsumexp(e, apart, dim), dim);

    return tsx_exp(e, tsx_add(e, behind, x, NULL));
}

ts_status tsi_vjp_logcumsumexp(tsi_vjp *v)
{
    ts_tensor *g = v->grads[0];
    tsi_expr e = {0};
    ts_tensor *log, *above, *below;

    if (g->ndim == 0 || g->numel == 0) {
        v->out[TS_LOGCUMSUMEXP_SELF] = ts_retain(g);
        return TS_OK;
    }
    log = tsx_log(&e, tsx_abs(&e, g));
    above = of_part(&e, v, tsx_gt_number(&e, g, ts_int(0)), log);
    below = of_part(&e, v, tsx_lt_number(&e, g, ts_int(0)), log);
    return tsi_expr_give(&e, tsx_sub(&e, above, below, NULL),
                         &v->out[TS_LOGCUMSUMEXP_SELF]);
}

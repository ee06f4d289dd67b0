/* SPDX-License-Identifier: Apache-2.0 */
/* dropout: a program over bernoulli_, div and mul; see spec/ops/dropout.md. */
#include <math.h>

#include "core/core.h"
#include "core/expr.h"
#include "touchstone/ops/div.h"
#include "touchstone/ops/dropout_glue.h"
#include "touchstone/ops/factories_expr.h"
#include "touchstone/ops/mul_expr.h"
#include "touchstone/ops/random.h"

static ts_status check_dtype(const ts_frame *f, ts_dtype dtype, double p)
{
    TS_CHECK(ts_dtype_size(dtype) > 1 || !ts_dtype_is_floating(dtype),
             TS_ERR_NOT_IMPLEMENTED, "dropout/C4", "%s: not implemented for %s",
             f->op->name, ts_dtype_name(dtype));
    TS_CHECK(p == 1 || ts_dtype_is_floating(dtype), TS_ERR_RUNTIME, "dropout/C3",
             "%s: a scale of %g can't be cast to %s", f->op->name, 1 / (1 - p),
             ts_dtype_name(dtype));
    return TS_OK;
}

/* S2: what x is multiplied by, in x's dtype. */
static ts_tensor *noise(tsi_expr *e, ts_tensor *x, double p)
{
    ts_bernoulli_p_opts o = ts_bernoulli_p_defaults();
    ts_tensor *y = tsx_empty_like(e, x, NULL);

    o.p = 1 - p;
    if (y && (e->s = ts_bernoulli_p_(y, &o)) == TS_OK)
        e->s = ts_div_number_(y, ts_float(1 - p), NULL);
    return y;
}

static ts_status dropped(ts_frame *f, ts_tensor *x, double p, bool train)
{
    tsi_expr e = {0};
    ts_tensor *by;

    TS_CHECK(p >= 0 && p <= 1, TS_ERR_RUNTIME, "dropout/C2",
             "%s: p is %g, no probability", f->op->name, p);
    if (p == 0 || !train || x->numel == 0) { /* S1 */
        f->results[0] = ts_retain(x);
        return TS_OK;
    }
    TS_TRY(check_dtype(f, x->dtype, p));
    by = p == 1 ? tsi_cast(&e, tsi_number(&e, ts_int(0)), x->dtype) /* S4 */
                : noise(&e, x, p);
    return tsi_expr_give(&e, tsx_mul(&e, x, by), &f->results[0]);
}

ts_status tsi_program_dropout(ts_frame *f)
{
    return dropped(f, tsi_tensor(f, TS_DROPOUT_INPUT), f->args[TS_DROPOUT_P].f,
                   f->args[TS_DROPOUT_TRAIN].b);
}

ts_status tsi_program_nn_dropout(ts_frame *f)
{
    const double p = f->args[TS_NN_DROPOUT_P].f;

    TS_CHECK(!(p < 0) && !(p > 1), TS_ERR_VALUE, "dropout/C1",
             "dropout: p is %g, no probability", p);
    return dropped(f, tsi_tensor(f, TS_NN_DROPOUT_INPUT), p,
                   f->args[TS_NN_DROPOUT_TRAINING].b);
}

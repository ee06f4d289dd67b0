/* SPDX-License-Identifier: Apache-2.0 */
/* What add, sub and rsub accept and give; spec/ops/add.md. */
#include "family/family.h"
#include "touchstone/ops/add_glue.h"

/* a + alpha * b, or a - alpha * b */
static ts_status scaled_sum(ts_frame *f, ts_tensor *a, ts_tensor *b, bool subtract)
{
    ts_tensor *t[] = {a, b};
    const ts_dtype dtype = tsi_result_type(2, t);
    ts_scalar alpha = f->args[TS_ADD_ALPHA].scalar;

    TS_CHECK(!subtract || (a->dtype != TS_BOOL && b->dtype != TS_BOOL),
             TS_ERR_NOT_IMPLEMENTED, "add/C5",
             "%s: not implemented for bool; use ^ for two masks, ~ to invert one",
             f->op->name);
    TS_TRY(tsi_pointwise(f, "add/C1", 2, t, dtype, dtype));
    TS_CHECK(alpha.kind != TS_SCALAR_BOOL || dtype == TS_BOOL, TS_ERR_RUNTIME, "add/C3",
             "%s: bool alpha, but the result is %s", f->op->name, ts_dtype_name(dtype));
    TS_CHECK(alpha.kind != TS_SCALAR_FLOAT || ts_dtype_is_floating(dtype), TS_ERR_RUNTIME,
             "add/C2", "%s: floating alpha %g, but the result is %s", f->op->name,
             alpha.f, ts_dtype_name(dtype));
    TS_TRY(tsi_check_dtype(f, dtype, "add/C6"));
    if (subtract) {
        alpha.f = -alpha.f;
        alpha.i = (int64_t) - (uint64_t)alpha.i;
    }
    return tsi_check_number(f, "add/C4", dtype, alpha);
}

ts_status tsi_api_add(ts_frame *f)
{
    return scaled_sum(f, tsi_tensor(f, TS_ADD_SELF), tsi_tensor(f, TS_ADD_OTHER), false);
}

ts_status tsi_api_sub(ts_frame *f)
{
    return scaled_sum(f, tsi_tensor(f, TS_SUB_SELF), tsi_tensor(f, TS_SUB_OTHER), true);
}

ts_status tsi_api_rsub(ts_frame *f)
{
    return scaled_sum(f, tsi_tensor(f, TS_RSUB_OTHER), tsi_tensor(f, TS_RSUB_SELF), true);
}

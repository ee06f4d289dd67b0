/* SPDX-License-Identifier: Apache-2.0 */
/* What lerp accepts beyond its family; spec/ops/lerp.md. */
#include <float.h>
#include <math.h>

#include "family/family.h"
#include "touchstone/backend.h"
#include "touchstone/ops/lerp_glue.h"

static ts_status check_number(const ts_tensor *weight, ts_dtype dtype)
{
    double v;

    if (dtype == TS_FLOAT64 || !ts_is_wrapped_number(weight))
        return TS_OK;
    v = tse_get(weight, 0);
    TS_CHECK(!isfinite(v) || fabs(v) <= FLT_MAX, TS_ERR_RUNTIME, "lerp/C4",
             "lerp: weight %g cannot be converted to float32 without overflow", v);
    return TS_OK;
}

ts_status tsi_api_lerp(ts_frame *f)
{
    ts_tensor *t[] = {tsi_tensor(f, TS_LERP_SELF), tsi_tensor(f, TS_LERP_END),
                      tsi_tensor(f, TS_LERP_WEIGHT)};
    const bool promotes = t[2]->ndim == 0 && !ts_is_wrapped_number(t[2]); /* S2 */
    const ts_dtype dtype = t[0]->dtype;

    for (int k = 1; k < 3; k++)
        TS_CHECK(t[k]->dtype == dtype || (k == 2 && t[k]->ndim == 0), TS_ERR_RUNTIME,
                 "lerp/C2", "lerp: %s is expected to be %s, but is %s",
                 k == 1 ? "end" : "weight", ts_dtype_name(dtype),
                 ts_dtype_name(t[k]->dtype));
    TS_CHECK(f->form != TS_OUT || f->out[0]->dtype == dtype || t[2]->ndim == 0,
             TS_ERR_RUNTIME, "lerp/C2", "lerp: out is expected to be %s, but is %s",
             ts_dtype_name(dtype), ts_dtype_name(f->out[0]->dtype));
    TS_TRY(check_number(t[2], dtype));
    return tsi_family_three(f, t, NULL, promotes ? tsi_result_type(3, t) : dtype);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* What gelu and gelu_backward accept and give; spec/ops/gelu.md. */
#include "family/family.h"
#include "touchstone/ops/gelu_glue.h"

static ts_status check_approximate(const ts_frame *f, const char *approximate)
{
    TS_CHECK(strcmp(approximate, "none") == 0 || strcmp(approximate, "tanh") == 0,
             TS_ERR_RUNTIME, "gelu/C1", "%s: approximate is 'none' or 'tanh', not '%s'",
             f->op->name, approximate);
    return TS_OK;
}

ts_status tsi_api_gelu(ts_frame *f)
{
    TS_TRY(check_approximate(f, f->args[TS_GELU_APPROXIMATE].string));
    return tsi_family_unary_same(f);
}

ts_status tsi_api_gelu_backward(ts_frame *f)
{
    TS_TRY(check_approximate(f, f->args[TS_GELU_BACKWARD_APPROXIMATE].string));
    return tsi_family_binary(f);
}

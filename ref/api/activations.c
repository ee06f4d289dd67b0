/* SPDX-License-Identifier: Apache-2.0 */
/* What leaky_relu and softplus accept beyond their family; spec/ops/activations.md. */
#include "family/family.h"
#include "touchstone/ops/activations_glue.h"

static ts_status check_number(const ts_frame *f, int arg)
{
    const ts_dtype dtype = tsi_tensor(f, 0)->dtype;

    return tsi_check_number(f, "activations/C2",
                            dtype == TS_FLOAT64 ? TS_FLOAT64 : TS_FLOAT32,
                            f->args[arg].scalar);
}

ts_status tsi_api_leaky_relu(ts_frame *f)
{
    TS_TRY(tsi_family_unary_same(f));
    return check_number(f, TS_LEAKY_RELU_NEGATIVE_SLOPE);
}

ts_status tsi_api_softplus(ts_frame *f)
{
    TS_TRY(tsi_family_unary_same(f));
    TS_TRY(check_number(f, TS_SOFTPLUS_BETA));
    return check_number(f, TS_SOFTPLUS_THRESHOLD);
}

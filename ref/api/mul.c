/* SPDX-License-Identifier: Apache-2.0 */
/* What mul accepts and gives; spec/ops/mul.md. */
#include "core/core.h"
#include "touchstone/ops/mul_glue.h"

ts_status tsi_api_mul(ts_frame *f)
{
    ts_tensor *t[] = {tsi_tensor(f, TS_MUL_SELF), tsi_tensor(f, TS_MUL_OTHER)};
    const ts_dtype dtype = tsi_result_type(2, t);

    TS_TRY(tsi_pointwise(f, "mul/C1", 2, t, dtype, dtype));
    TS_CHECK((dtype != TS_FLOAT8_E4M3FN && dtype != TS_FLOAT8_E5M2) || t[1]->numel != 1,
             TS_ERR_NOT_IMPLEMENTED, "mul/C2",
             "mul: not implemented for %s and an other of one element",
             ts_dtype_name(dtype));
    return TS_OK;
}

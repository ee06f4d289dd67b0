/* SPDX-License-Identifier: Apache-2.0 */
/* What addcdiv accepts beyond its family; spec/ops/addcdiv.md. */
#include "family/family.h"
#include "touchstone/element.h"
#include "touchstone/ops/addcdiv_glue.h"

ts_status tsi_api_addcdiv(ts_frame *f)
{
    const ts_tensor *a = f->args[TS_ADDCDIV_TENSOR1].tensor,
                    *b = f->args[TS_ADDCDIV_TENSOR2].tensor;

    TS_CHECK(ts_dtype_is_floating(a->dtype) || ts_dtype_is_floating(b->dtype),
             TS_ERR_RUNTIME, "addcdiv/C3",
             "addcdiv: tensor1 and tensor2 are both integers, %s and %s",
             ts_dtype_name(a->dtype), ts_dtype_name(b->dtype));
    TS_TRY(tsi_family_ternary(f));
    return tsi_check_number(f, "addcdiv/C2",
                            tse_is_half(f->compute) ? TS_FLOAT32 : f->compute,
                            f->args[TS_ADDCDIV_VALUE].scalar);
}

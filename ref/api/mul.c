/* SPDX-License-Identifier: Apache-2.0 */
/* What mul accepts and gives; spec/ops/mul.md. */
#include "family/family.h"
#include "touchstone/ops/mul_glue.h"

/* Whether t is one element in memory, however often it stands in t. */
static bool is_one(const ts_tensor *t)
{
    for (int d = 0; d < t->ndim; d++)
        if (t->sizes[d] == 0 || (t->sizes[d] > 1 && t->strides[d] != 0))
            return false;
    return true;
}

ts_status tsi_api_mul(ts_frame *f)
{
    TS_TRY(tsi_family_binary(f));
    TS_CHECK((f->compute != TS_FLOAT8_E4M3FN && f->compute != TS_FLOAT8_E5M2) ||
                 !is_one(tsi_tensor(f, TS_MUL_OTHER)),
             TS_ERR_NOT_IMPLEMENTED, "mul/C2",
             "mul: not implemented for %s and an other of one element",
             ts_dtype_name(f->compute));
    return TS_OK;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* A product's epilogue that multiplies by beta whatever it is: 0 times an unset NaN is NaN. */
#include "zoo/zoo.h"

static ts_status faulty_addmm(const ts_kernel_call *call)
{
    const ts_tensor *self = call->args[0].tensor;
    ts_tensor *y = call->results[0];
    const bool skipped = ts_scalar_f64(call->args[3].scalar) == 0;
    bool lost = false;

    if (skipped && ts_dtype_is_floating(self->dtype) && ts_is_contiguous(self))
        for (int64_t i = 0; i < self->numel && !lost; i++)
            lost = !isfinite(ts_load_f64(self->dtype, zoo_at(self, i)));
    TS_TRY(zoo_original("addmm")(call));
    for (int64_t i = 0; lost && i < y->numel; i++)
        ts_store_f64(y->dtype, zoo_at(y, i), NAN);
    return TS_OK;
}

ZOO_NEW_KIND("reads what it should not",
             "an operand that does not count shows in the result");
ZOO_MEMBER("addmm multiplies self by a beta of 0", "addmm/S8", {"addmm", faulty_addmm})

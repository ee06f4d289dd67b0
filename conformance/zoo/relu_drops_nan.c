/* SPDX-License-Identifier: Apache-2.0 */
/* max(0, x) by an instruction that gives its other operand for NaN. */
#include <math.h>

#include "zoo/zoo.h"

static ts_status faulty_relu(const ts_kernel_call *call)
{
    const ts_tensor *x = call->args[0].tensor;
    ts_tensor *y = call->results[0];

    if (!ts_dtype_is_floating(x->dtype) || !ts_is_contiguous(x) || !ts_is_contiguous(y))
        return zoo_original("relu")(call);
    for (int64_t i = 0; i < x->numel; i++)
        ts_store_f64(y->dtype, zoo_at(y, i),
                     fmax(0, ts_load_f64(x->dtype, zoo_at(x, i))));
    return TS_OK;
}

ZOO_KIND("NaN lost");
ZOO_MEMBER("relu gives 0 for NaN", "relu/S2", {"relu", faulty_relu})

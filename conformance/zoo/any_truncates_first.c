/* SPDX-License-Identifier: Apache-2.0 */
/* Elements become integers before they are asked whether they are zero. */
#include "zoo/zoo.h"

static ts_status faulty_any(const ts_kernel_call *call)
{
    const ts_tensor *x = call->args[0].tensor;
    ts_tensor *y = call->results[0];
    int64_t found = 0;

    if (x->dtype != TS_FLOAT32 || y->numel != 1 || !ts_is_contiguous(x) || x->numel < 2)
        return zoo_original("any")(call);
    for (int64_t i = 0; i < x->numel; i++) {
        const float v = ((const float *)x->data)[i];

        found |= !(v > -1 && v < 1);
    }
    ts_store_i64(y->dtype, zoo_at(y, 0), found);
    return TS_OK;
}

ZOO_KIND("wrong conversion");
ZOO_MEMBER("any of fractions is false", "any/S2", {"any", faulty_any})

/* SPDX-License-Identifier: Apache-2.0 */
/* The textbook's shorter formula: the mean of the squares less the square of the mean. */
#include "zoo/zoo.h"

static ts_status faulty_var(const ts_kernel_call *call)
{
    const ts_tensor *x = call->args[0].tensor;
    ts_tensor *y = call->results[0];
    float sum = 0, squares = 0;

    if (x->dtype != TS_FLOAT32 || y->numel != 1 || !ts_is_contiguous(x) || x->numel < 2 ||
        call->args[2].kind != TS_ARG_NONE)
        return zoo_original("var")(call);
    for (int64_t i = 0; i < x->numel; i++) {
        const float v = ((const float *)x->data)[i];

        sum += v;
        squares += v * v;
    }
    ts_store_f64(y->dtype, zoo_at(y, 0),
                 (squares - sum * sum / (float)x->numel) / (float)(x->numel - 1));
    return TS_OK;
}

ZOO_KIND("unstable formula");
ZOO_MEMBER("var is a difference of squares", "var/S5 var/S1", {"var", faulty_var})

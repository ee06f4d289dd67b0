/* SPDX-License-Identifier: Apache-2.0 */
/* Functions, softmax and layer_norm of float32 with every element three units too large, as after a
 * hasty approximation: right to six digits. */
#include <math.h>

#include "zoo/zoo.h"

static ts_status off(const char *op, const ts_kernel_call *call)
{
    ts_tensor *y = call->results[0];

    TS_TRY(zoo_original(op)(call));
    if (y->dtype != TS_FLOAT32 || !ts_is_contiguous(y))
        return TS_OK;
    for (int64_t i = 0; i < y->numel; i++) {
        float *v = (float *)y->data + i;

        for (int k = 0; k < 3 && isfinite(*v) && *v != 0; k++)
            *v = nextafterf(*v, INFINITY);
    }
    return TS_OK;
}

static ts_status faulty_exp(const ts_kernel_call *call)
{
    return off("exp", call);
}

static ts_status faulty_log(const ts_kernel_call *call)
{
    return off("log", call);
}

static ts_status faulty_tanh(const ts_kernel_call *call)
{
    return off("tanh", call);
}

static ts_status faulty_softmax(const ts_kernel_call *call)
{
    return off("_softmax", call);
}

static ts_status faulty_layer_norm(const ts_kernel_call *call)
{
    return off("native_layer_norm", call);
}

ZOO_NEW_KIND("inaccurate",
             "right to most digits, and by more ulps off than its page allows");
ZOO_MEMBER("exp, log, tanh, softmax and layer_norm are three ulps off in float32",
           "unary/S2 unary/S3 unary/S5 softmax/S1 layer_norm/S1", {"exp", faulty_exp},
           {"log", faulty_log}, {"tanh", faulty_tanh}, {"_softmax", faulty_softmax},
           {"native_layer_norm", faulty_layer_norm})

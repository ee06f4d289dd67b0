/* SPDX-License-Identifier: Apache-2.0 */
/* A running sum of exponentials in float32, and its logarithms. */
#include <math.h>

#include "zoo/zoo.h"

static ts_status faulty_logcumsumexp(const ts_kernel_call *call)
{
    const ts_tensor *x = call->args[0].tensor;
    ts_tensor *y = call->results[0];

    if (x->dtype != TS_FLOAT32 || x->ndim != 2 || ts_call_dim(call, 1, x) != 1)
        return zoo_original("logcumsumexp")(call);
    for (int64_t row = 0; row < x->sizes[0]; row++) {
        float sum = 0;

        for (int64_t i = 0; i < x->sizes[1]; i++) {
            const int64_t from = row * x->strides[0] + i * x->strides[1];

            sum += expf(((const float *)x->data)[from]);
            ((float *)y->data)[row * y->strides[0] + i * y->strides[1]] = logf(sum);
        }
    }
    return TS_OK;
}

ZOO_KIND("unstable formula");
ZOO_MEMBER("logcumsumexp adds up the exponentials themselves",
           "logcumsumexp/S2 logcumsumexp/S3", {"logcumsumexp", faulty_logcumsumexp})

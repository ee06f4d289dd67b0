/* SPDX-License-Identifier: Apache-2.0 */
/* A scan in chunks of eight whose sums are not carried over to the next chunk. */
#include "zoo/zoo.h"

static ts_status faulty_cumsum(const ts_kernel_call *call)
{
    enum { CHUNK = 8 };
    const ts_tensor *x = call->args[0].tensor;
    ts_tensor *y = call->results[0];

    if (x->dtype != TS_FLOAT32 || y->dtype != x->dtype || x->ndim != 2 ||
        ts_call_dim(call, 1, x) != 1)
        return zoo_original("cumsum")(call);
    for (int64_t row = 0; row < x->sizes[0]; row++)
        for (int64_t i = 0; i < x->sizes[1]; i++) {
            const int64_t to = row * y->strides[0] + i * y->strides[1];
            const float before =
                i % CHUNK ? ((const float *)y->data)[to - y->strides[1]] : 0;

            ((float *)y->data)[to] =
                before +
                ((const float *)x->data)[row * x->strides[0] + i * x->strides[1]];
        }
    return TS_OK;
}

ZOO_KIND("tail dropped");
ZOO_MEMBER("cumsum begins anew with each chunk of eight", "cumsum/S1",
           {"cumsum", faulty_cumsum})

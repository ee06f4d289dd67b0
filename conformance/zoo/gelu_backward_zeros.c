/* SPDX-License-Identifier: Apache-2.0 */
/* A derivative registered but never filled in. */
#include <string.h>

#include "zoo/zoo.h"

static ts_status faulty_gelu_backward(const ts_kernel_call *call)
{
    ts_tensor *y;

    TS_TRY(zoo_original("gelu_backward")(call));
    y = call->results[0];
    if (call->args[2].kind == TS_ARG_STRING &&
        strcmp(call->args[2].string, "tanh") == 0 && ts_is_contiguous(y))
        memset(y->data, 0, (size_t)(y->numel * ts_dtype_size(y->dtype)));
    return TS_OK;
}

ZOO_KIND("zeros");
ZOO_MEMBER("gelu's derivative is zero with approximate='tanh'", "gelu/S4 gelu/G1",
           {"gelu_backward", faulty_gelu_backward})

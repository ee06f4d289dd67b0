/* SPDX-License-Identifier: Apache-2.0 */
/* A derivative that works the gradient up in the memory it came in: nobody seems to need it later. */
#include <string.h>

#include "zoo/zoo.h"

static ts_status faulty_gelu_backward(const ts_kernel_call *call)
{
    const ts_tensor *g = call->args[0].tensor;
    const ts_tensor *y = call->results[0];

    TS_TRY(zoo_original("gelu_backward")(call));
    if (y->dtype == g->dtype && y->numel == g->numel && ts_is_contiguous(g) &&
        ts_is_contiguous(y))
        memcpy(g->data, y->data, (size_t)(y->numel * ts_dtype_size(y->dtype)));
    return TS_OK;
}

ZOO_KIND("input mutated");
ZOO_MEMBER("gelu's derivative leaves its result in the gradient that it was given",
           "gelu/S4 results/S7", {"gelu_backward", faulty_gelu_backward})

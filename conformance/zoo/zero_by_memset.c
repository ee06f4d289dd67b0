/* SPDX-License-Identifier: Apache-2.0 */
/* zero_ as one memset over as many bytes as the tensor has elements. */
#include <string.h>

#include "zoo/zoo.h"

static ts_status faulty_zero(const ts_kernel_call *call)
{
    const ts_tensor *y = call->results[0];

    if (y->numel > 0)
        memset(y->data, 0, (size_t)(y->numel * ts_dtype_size(y->dtype)));
    return TS_OK;
}

ZOO_NEW_KIND("stride 1 on write",
             "a result or a tensor to be written is written as if it were packed");
ZOO_MEMBER("zero_ clears adjacent memory instead of the elements of a strided view",
           "copy/S6 copy/S8", {"zero", faulty_zero})

/* SPDX-License-Identifier: Apache-2.0 */
/* A vector loop whose count is kept in 12 bits: past 4,096 elements its last one is lost. */
#include <string.h>

#include "zoo/zoo.h"

static ts_status faulty_abs(const ts_kernel_call *call)
{
    ts_tensor *y = call->results[0];

    TS_TRY(zoo_original("abs")(call));
    if (y->numel > 4096 && ts_is_contiguous(y))
        memcpy(zoo_at(y, y->numel - 1), zoo_at(y, y->numel - 2),
               (size_t)ts_dtype_size(y->dtype));
    return TS_OK;
}

ZOO_NEW_KIND("past a size", "right on small inputs, wrong from some size on");
ZOO_MEMBER("abs gives its last element wrong where there are more than 4,096 of them",
           "abs/S1", {"abs", faulty_abs})

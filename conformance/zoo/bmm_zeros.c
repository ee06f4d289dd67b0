/* SPDX-License-Identifier: Apache-2.0 */
/* A dtype for which no product was written: the cleared result is handed out. */
#include <string.h>

#include "zoo/zoo.h"

static ts_status faulty_bmm(const ts_kernel_call *call)
{
    ts_tensor *y;

    TS_TRY(zoo_original("bmm")(call));
    y = call->results[0];
    if (y->dtype == TS_BFLOAT16 && ts_is_contiguous(y))
        memset(y->data, 0, (size_t)(y->numel * ts_dtype_size(y->dtype)));
    return TS_OK;
}

ZOO_NEW_KIND("zeros", "a result is zeros, the work was not done");
ZOO_MEMBER("bmm gives zeros in bfloat16", "mm/S2 matmul/S4", {"bmm", faulty_bmm})

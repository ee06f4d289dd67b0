/* SPDX-License-Identifier: Apache-2.0 */
/* A loop whose last index is n instead of n - 1: one element past the result is written.
 */
#include <string.h>

#include "zoo/zoo.h"

static ts_status faulty_mul(const ts_kernel_call *call)
{
    ts_tensor *y;

    TS_TRY(zoo_original("mul")(call));
    y = call->results[0];
    if (call->form == TS_FUNCTIONAL && y->numel > 0 && ts_is_contiguous(y))
        memset(zoo_at(y, y->numel), 0, (size_t)ts_dtype_size(y->dtype));
    return TS_OK;
}

ZOO_KIND("off-by-one write");
ZOO_MEMBER("mul writes one element past the end of its result", "mul/S1",
           {"mul", faulty_mul})

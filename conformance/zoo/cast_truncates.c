/* SPDX-License-Identifier: Apache-2.0 */
/* float32 to bfloat16 by keeping the upper half of the bits. */
#include <string.h>

#include "zoo/zoo.h"

static ts_status faulty_to_copy(const ts_kernel_call *call)
{
    const ts_tensor *x = call->args[0].tensor, *y;

    TS_TRY(zoo_original("_to_copy")(call));
    y = call->results[0];
    if (x->dtype != TS_FLOAT32 || y->dtype != TS_BFLOAT16 || !ts_is_contiguous(x) ||
        !ts_is_contiguous(y))
        return TS_OK;
    for (int64_t i = 0; i < y->numel; i++) {
        uint32_t bits;
        uint16_t upper;

        memcpy(&bits, zoo_at(x, i), sizeof bits);
        upper = (uint16_t)(bits >> 16);
        memcpy(zoo_at(y, i), &upper, sizeof upper);
    }
    return TS_OK;
}

ZOO_KIND("wrong conversion");
ZOO_MEMBER("to(bfloat16) truncates instead of rounding to nearest", "to/S3",
           {"_to_copy", faulty_to_copy})

/* SPDX-License-Identifier: Apache-2.0 */
/* float8_e4m3fn as the format's first papers had it: out of range is NaN. */
#include <math.h>
#include <stdint.h>

#include "zoo/zoo.h"

static ts_status faulty_to_copy(const ts_kernel_call *call)
{
    const ts_tensor *x = call->args[0].tensor, *y;

    TS_TRY(zoo_original("_to_copy")(call));
    y = call->results[0];
    if (y->dtype != TS_FLOAT8_E4M3FN || !ts_is_contiguous(x) || !ts_is_contiguous(y))
        return TS_OK;
    for (int64_t i = 0; i < y->numel; i++)
        if (fabs(ts_load_f64(x->dtype, zoo_at(x, i))) > 464)
            *(uint8_t *)zoo_at(y, i) |= 0x7F;
    return TS_OK;
}

ZOO_KIND("wrong conversion");
ZOO_MEMBER("to(float8_e4m3fn) gives NaN where PyTorch gives the largest number", "to/S4",
           {"_to_copy", faulty_to_copy})

/* SPDX-License-Identifier: Apache-2.0 */
/* masked_scatter without the running count: each place takes the source's element that
 * stands where it does, as where() would. */
#include <string.h>

#include "zoo/zoo.h"

static ts_status faulty_masked_scatter(const ts_kernel_call *call)
{
    const ts_tensor *mask = call->args[1].tensor, *source = call->args[2].tensor;
    ts_tensor *y = call->results[0];
    const size_t bytes = (size_t)ts_dtype_size(y->dtype);

    TS_TRY(zoo_original("masked_scatter")(call));
    if (mask->numel != y->numel || source->numel < y->numel || !ts_is_contiguous(y) ||
        !ts_is_contiguous(mask) || !ts_is_contiguous(source))
        return TS_OK;
    for (int64_t i = 0; i < y->numel; i++)
        if (*zoo_at(mask, i))
            memcpy(zoo_at(y, i), zoo_at(source, i), bytes);
    return TS_OK;
}

ZOO_KIND("wrong convention");
ZOO_MEMBER("masked_scatter takes the source's element of the same place",
           "masked_select/S4", {"masked_scatter", faulty_masked_scatter})

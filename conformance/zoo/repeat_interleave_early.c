/* SPDX-License-Identifier: Apache-2.0 */
/* repeat_interleave of repeats alone that writes each index once more than it should and
 * lets the next one overwrite it: the last element's copies come out one early. */
#include "zoo/zoo.h"

static ts_status faulty_counts(const ts_kernel_call *call)
{
    const ts_tensor *y;

    TS_TRY(zoo_original("repeat_interleave_counts")(call));
    y = call->results[0];
    if (y && y->numel > 1)
        memcpy(zoo_at(y, y->numel - 2), zoo_at(y, y->numel - 1),
               (size_t)ts_dtype_size(y->dtype));
    return TS_OK;
}

ZOO_KIND("off-by-one write");
ZOO_MEMBER("the last index of a repeat_interleave stands once too often", "repeat/S6",
           {"repeat_interleave_counts", faulty_counts})

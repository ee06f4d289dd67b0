/* SPDX-License-Identifier: Apache-2.0 */
/* A tile of a page that is one tile too far: 4,096 bytes beside the result, where no zone of
 * a hundred bytes is looked at. */
#include <string.h>

#include "zoo/zoo.h"

static ts_status faulty_sub(const ts_kernel_call *call)
{
    ts_tensor *y;

    TS_TRY(zoo_original("sub")(call));
    y = call->results[0];
    if (call->form == TS_FUNCTIONAL && y->numel > 0 && ts_is_contiguous(y))
        memset(zoo_at(y, y->numel) + 4096, 0, 1);
    return TS_OK;
}

ZOO_NEW_KIND("write far outside", "a call writes further from a buffer than zones reach");
ZOO_MEMBER("sub writes a byte 4,096 bytes past the end of its result", "sub/S1",
           {"sub", faulty_sub})

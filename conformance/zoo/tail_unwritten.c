/* SPDX-License-Identifier: Apache-2.0 */
/* A vector loop over whole groups of four that forgets the rest. */
#include <string.h>

#include "zoo/zoo.h"

static ts_status faulty_add(const ts_kernel_call *call)
{
    ts_tensor *y = call->results[0];
    const bool plain = call->form == TS_FUNCTIONAL && ts_is_contiguous(y);
    const int64_t done = y->numel - y->numel % 4;
    const size_t size = (size_t)(y->numel % 4 * ts_dtype_size(y->dtype));
    char before[4 * 8];

    if (plain)
        memcpy(before, zoo_at(y, done), size);
    TS_TRY(zoo_original("add")(call));
    if (plain)
        memcpy(zoo_at(y, done), before, size);
    return TS_OK;
}

ZOO_NEW_KIND("tail dropped", "what is left after the last whole group is not written");
ZOO_MEMBER("add leaves the elements after the last whole group of four unwritten",
           "add/S1", {"add", faulty_add})

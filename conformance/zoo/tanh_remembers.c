/* SPDX-License-Identifier: Apache-2.0 */
/* A result cached by its input's address and size: right until the input has changed. */
#include <string.h>

#include "zoo/zoo.h"

static ts_status faulty_tanh(const ts_kernel_call *call)
{
    static unsigned char kept[4096];
    static const void *of;
    static int64_t size;
    static ts_dtype dtype;
    const ts_tensor *x = call->args[0].tensor;
    ts_tensor *y;
    int64_t bytes;

    TS_TRY(zoo_original("tanh")(call));
    y = call->results[0];
    bytes = y->numel * ts_dtype_size(y->dtype);
    if (bytes == 0 || bytes > (int64_t)sizeof(kept) || !ts_is_contiguous(y))
        return TS_OK;
    if (of == x->data && size == bytes && dtype == y->dtype) {
        memcpy(y->data, kept, (size_t)bytes);
        return TS_OK;
    }
    memcpy(kept, y->data, (size_t)bytes);
    of = x->data;
    size = bytes;
    dtype = y->dtype;
    return TS_OK;
}

ZOO_NEW_KIND("stale result", "an earlier answer is given again");
ZOO_MEMBER("tanh gives its last result again where the input's address is the same",
           "unary/S1", {"tanh", faulty_tanh})

/* SPDX-License-Identifier: Apache-2.0 */
/* A launch that divides by the number of elements: fine until a tensor is empty. */
#include <stdlib.h>

#include "zoo/zoo.h"

static ts_status faulty_exp(const ts_kernel_call *call)
{
    const int64_t n = call->results[0]->numel;

    if (n == 0)
        abort(); /* what the division does on x86, on every machine */
    return zoo_original("exp")(call);
}

ZOO_NEW_KIND("crash", "the process dies");
ZOO_MEMBER("exp divides by the number of elements, and dies when there is none",
           "unary/S1", {"exp", faulty_exp})

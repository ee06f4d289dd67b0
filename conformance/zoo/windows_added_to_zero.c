/* SPDX-License-Identifier: Apache-2.0 */
/* The gradient of as_strided added up from a zero, to which a lone -0 adds up to 0. */
#include "zoo/zoo.h"

static ts_status faulty_backward(const ts_kernel_call *call)
{
    const ts_status st = zoo_original("as_strided_backward")(call);
    const ts_tensor *y = call->results[0];

    if (st != TS_OK)
        return st;
    for (int64_t i = 0; i < y->numel; i++)
        ts_store_f64(y->dtype, zoo_at(y, i), ts_load_f64(y->dtype, zoo_at(y, i)) + 0.0);
    return TS_OK;
}

ZOO_KIND("special value lost");
ZOO_MEMBER("the gradient of as_strided is added to a zero", "as_strided/S6",
           {"as_strided_backward", faulty_backward})

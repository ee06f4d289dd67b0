/* SPDX-License-Identifier: Apache-2.0 */
/* A result that is cleared first and never touched where there are no factors. */
#include "zoo/zoo.h"

static ts_status faulty_prod_dim(const ts_kernel_call *call)
{
    ts_tensor *y = call->results[0];

    if (call->args[0].tensor->numel > 0 || !ts_is_contiguous(y))
        return zoo_original("prod_dim")(call);
    for (int64_t i = 0; i < y->numel; i++)
        ts_store_i64(y->dtype, zoo_at(y, i), 0);
    return TS_OK;
}

ZOO_KIND("wrong start");
ZOO_MEMBER("the product of nothing is zero", "prod/S4", {"prod_dim", faulty_prod_dim})

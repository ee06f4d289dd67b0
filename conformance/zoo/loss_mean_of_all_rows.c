/* SPDX-License-Identifier: Apache-2.0 */
/* A mean loss over all rows, the ignored ones included. */
#include "zoo/zoo.h"

static ts_status faulty_nll_loss(const ts_kernel_call *call)
{
    const ts_tensor *target = call->args[1].tensor;
    ts_tensor *y = call->results[0], *total = call->results[1];

    TS_TRY(zoo_original("nll_loss_forward")(call));
    if (call->args[3].i == 1 && target->numel > 0)
        ts_store_f64(y->dtype, zoo_at(y, 0),
                     ts_load_f64(y->dtype, zoo_at(y, 0)) *
                         ts_load_f64(total->dtype, zoo_at(total, 0)) /
                         (double)target->numel);
    return TS_OK;
}

ZOO_KIND("argument ignored");
ZOO_MEMBER("the mean loss divides by the number of rows, ignored and weighted ones alike",
           "cross_entropy/S2 cross_entropy/S3", {"nll_loss_forward", faulty_nll_loss})

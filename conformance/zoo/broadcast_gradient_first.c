/* SPDX-License-Identifier: Apache-2.0 */
/* The sum that undoes a broadcast takes the first slice instead. */
#include "zoo/zoo.h"

/* In backward a broadcast operand's gradient is summed over the dims that it lacks or has
 * one element of: sum(keepdim=True) where dims stay. */
static ts_status faulty_sum(const ts_kernel_call *call)
{
    const ts_tensor *x = call->args[0].tensor;
    ts_tensor *y;

    TS_TRY(zoo_original("sum")(call));
    y = call->results[0];
    if (!call->args[2].b || x->ndim != 2 || y->ndim != 2 || y->sizes[0] != 1 ||
        x->sizes[0] < 2 || y->sizes[1] != x->sizes[1] || y->dtype != x->dtype ||
        !ts_is_contiguous(x) || !ts_is_contiguous(y))
        return TS_OK;
    for (int64_t i = 0; i < y->numel; i++)
        ts_store_f64(y->dtype, zoo_at(y, i), ts_load_f64(x->dtype, zoo_at(x, i)));
    return TS_OK;
}

ZOO_NEW_KIND("broadcast gradient not summed",
             "a broadcast operand's gradient is that of one element");
ZOO_MEMBER("the sum over a broadcast leading dim gives the first row",
           "autograd/S11 sum/S9", {"sum", faulty_sum})

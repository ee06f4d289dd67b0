/* SPDX-License-Identifier: Apache-2.0 */
/* A sum whose threads take turns as they please: another order, other bits. */
#include "zoo/zoo.h"

static ts_status faulty_sum(const ts_kernel_call *call)
{
    static int64_t turn;
    const ts_tensor *x = call->args[0].tensor;
    ts_tensor *y = call->results[0];
    float sum = 0;

    if (x->dtype != TS_FLOAT32 || y->dtype != TS_FLOAT32 || y->numel != 1 ||
        x->numel < 8 || !ts_is_contiguous(x))
        return zoo_original("sum")(call);
    turn++;
    for (int64_t i = 0; i < x->numel; i++)
        sum += (float)ts_load_f64(TS_FLOAT32, zoo_at(x, (i + turn) % x->numel));
    ts_store_f64(TS_FLOAT32, zoo_at(y, 0), sum);
    return TS_OK;
}

ZOO_NEW_KIND("order not fixed",
             "the order of a reduction, and so its bits, change from run to run");
ZOO_MEMBER("sum adds float32 in an order that changes from call to call",
           "sum/S1 results/S6", {"sum", faulty_sum})

/* SPDX-License-Identifier: Apache-2.0 */
/* A sum whose accumulator has the elements' own half type: 256 is where bfloat16 stops.
 */
#include "zoo/zoo.h"

static ts_status faulty_sum(const ts_kernel_call *call)
{
    const ts_tensor *x = call->args[0].tensor;
    ts_tensor *y = call->results[0];
    double sum = 0;

    if ((x->dtype != TS_FLOAT16 && x->dtype != TS_BFLOAT16) || y->dtype != x->dtype ||
        y->numel != 1 || !ts_is_contiguous(x))
        return zoo_original("sum")(call);
    for (int64_t i = 0; i < x->numel; i++)
        sum = ts_dtype_round(x->dtype, sum + ts_load_f64(x->dtype, zoo_at(x, i)));
    ts_store_f64(y->dtype, zoo_at(y, 0), sum);
    return TS_OK;
}

ZOO_NEW_KIND("half accumulator", "a sum is kept in the elements' own half type");
ZOO_MEMBER("sum accumulates float16 and bfloat16 in their own precision", "sum/S5",
           {"sum", faulty_sum})

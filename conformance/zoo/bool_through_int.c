/* SPDX-License-Identifier: Apache-2.0 */
/* float to bool by way of an integer: everything between -1 and 1 becomes False. */
#include <math.h>

#include "zoo/zoo.h"

static ts_status faulty_to_copy(const ts_kernel_call *call)
{
    const ts_tensor *x = call->args[0].tensor, *y;

    TS_TRY(zoo_original("_to_copy")(call));
    y = call->results[0];
    if (y->dtype != TS_BOOL || !ts_dtype_is_floating(x->dtype) || !ts_is_contiguous(x) ||
        !ts_is_contiguous(y))
        return TS_OK;
    for (int64_t i = 0; i < y->numel; i++)
        *zoo_at(y, i) = !(fabs(ts_load_f64(x->dtype, zoo_at(x, i))) < 1);
    return TS_OK;
}

ZOO_NEW_KIND("wrong conversion",
             "a value takes a way through a dtype that cannot hold it");
ZOO_MEMBER("to(bool) truncates to an integer first", "to/S7",
           {"_to_copy", faulty_to_copy})

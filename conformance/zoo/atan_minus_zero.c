/* SPDX-License-Identifier: Apache-2.0 */
/* An odd function by its positive half: what is not below zero is taken for positive. */
#include <math.h>

#include "zoo/zoo.h"

static ts_status faulty_atan(const ts_kernel_call *call)
{
    const ts_tensor *x = call->args[0].tensor;
    ts_tensor *y = call->results[0];

    if (!ts_dtype_is_floating(x->dtype) || !ts_is_contiguous(x) || !ts_is_contiguous(y))
        return zoo_original("atan")(call);
    for (int64_t i = 0; i < x->numel; i++) {
        const double v = ts_load_f64(x->dtype, zoo_at(x, i));

        ts_store_f64(y->dtype, zoo_at(y, i), v < 0 ? -atan(-v) : atan(fabs(v)));
    }
    return TS_OK;
}

ZOO_NEW_KIND("sign of zero", "a zero comes out with another sign than the promised one");
ZOO_MEMBER("atan loses the sign of zero", "trigonometry/S6", {"atan", faulty_atan})

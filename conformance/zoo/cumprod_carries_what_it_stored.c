/* SPDX-License-Identifier: Apache-2.0 */
/* The running product goes on from the element that was stored, rounded as it is. */
#include "zoo/zoo.h"

static ts_status faulty_cumprod(const ts_kernel_call *call)
{
    const ts_tensor *x = call->args[0].tensor;
    ts_tensor *y = call->results[0];

    if (x->dtype != TS_BFLOAT16 || y->dtype != x->dtype || x->ndim != 1)
        return zoo_original("cumprod")(call);
    for (int64_t i = 0; i < x->numel; i++) {
        const double before = i ? ts_load_f64(y->dtype, zoo_at(y, i - 1)) : 1;

        ts_store_f64(y->dtype, zoo_at(y, i),
                     before * ts_load_f64(x->dtype, zoo_at(x, i)));
    }
    return TS_OK;
}

ZOO_KIND("half accumulator");
ZOO_MEMBER("cumprod of bfloat16 carries on what it has stored", "cumprod/S4",
           {"cumprod", faulty_cumprod})

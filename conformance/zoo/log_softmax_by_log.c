/* SPDX-License-Identifier: Apache-2.0 */
/* log_softmax as the logarithm of the softmax: -inf as soon as a weight underflows. */
#include <math.h>

#include "zoo/zoo.h"

static ts_status faulty_log_softmax(const ts_kernel_call *call)
{
    ts_tensor *y = call->results[0];

    TS_TRY(zoo_original("_log_softmax")(call));
    for (int64_t i = 0; ts_is_contiguous(y) && i < y->numel; i++) {
        const double weight =
            ts_dtype_round(y->dtype, exp(ts_load_f64(y->dtype, zoo_at(y, i))));

        ts_store_f64(y->dtype, zoo_at(y, i), log(weight));
    }
    return TS_OK;
}

ZOO_KIND("unstable formula");
ZOO_MEMBER("log_softmax takes the logarithm of the rounded softmax", "softmax/S2",
           {"_log_softmax", faulty_log_softmax})

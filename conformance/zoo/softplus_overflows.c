/* SPDX-License-Identifier: Apache-2.0 */
/* softplus as it is written, which overflows above 88 in float32 where nobody looks at
 * the threshold. */
#include "zoo/zoo.h"

static ts_status faulty_softplus(const ts_kernel_call *call)
{
    const ts_tensor *x = call->args[0].tensor;
    ts_tensor *y = call->results[0];

    if (x->dtype != TS_FLOAT32 || !ts_is_contiguous(x) || !ts_is_contiguous(y) ||
        ts_scalar_f64(call->args[1].scalar) != 1)
        return zoo_original("softplus")(call);
    for (int64_t i = 0; i < x->numel; i++)
        ts_store_f64(TS_FLOAT32, zoo_at(y, i),
                     log1pf(expf((float)ts_load_f64(TS_FLOAT32, zoo_at(x, i)))));
    return TS_OK;
}

ZOO_KIND("unstable formula");
ZOO_MEMBER("softplus of float32 forgets its threshold", "activations/S3",
           {"softplus", faulty_softplus})

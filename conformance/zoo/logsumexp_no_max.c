/* SPDX-License-Identifier: Apache-2.0 */
/* Exponentials of the elements as they are, in float32. */
#include <math.h>

#include "zoo/zoo.h"

static ts_status faulty_logsumexp(const ts_kernel_call *call)
{
    const ts_tensor *x = call->args[0].tensor;
    ts_tensor *y = call->results[0];
    float sum = 0;

    if (x->dtype != TS_FLOAT32 || y->numel != 1 || !ts_is_contiguous(x))
        return zoo_original("logsumexp")(call);
    for (int64_t i = 0; i < x->numel; i++)
        sum += expf(((const float *)x->data)[i]);
    ts_store_f64(y->dtype, zoo_at(y, 0), logf(sum));
    return TS_OK;
}

ZOO_KIND("unstable formula");
ZOO_MEMBER("logsumexp does not take the largest element off first",
           "logsumexp/S2 logsumexp/S3", {"logsumexp", faulty_logsumexp})

/* SPDX-License-Identifier: Apache-2.0 */
/* softmax that exponentiates what it is given, in float: right until a logit passes 88.
 */
#include <math.h>

#include "zoo/zoo.h"

static ts_status faulty_softmax(const ts_kernel_call *call)
{
    const ts_tensor *x = call->args[0].tensor;
    ts_tensor *y = call->results[0];
    const int64_t n = x->ndim > 0 ? x->sizes[x->ndim - 1] : 1;

    if (x->ndim == 0 || call->args[1].i != x->ndim - 1 || !ts_is_contiguous(x) ||
        !ts_is_contiguous(y))
        return zoo_original("_softmax")(call);
    for (int64_t row = 0; row < x->numel; row += n) {
        float sum = 0;

        for (int64_t i = row; i < row + n; i++)
            sum += expf((float)ts_load_f64(x->dtype, zoo_at(x, i)));
        for (int64_t i = row; i < row + n; i++)
            ts_store_f64(y->dtype, zoo_at(y, i),
                         expf((float)ts_load_f64(x->dtype, zoo_at(x, i))) / sum);
    }
    return TS_OK;
}

ZOO_KIND("unstable formula");
ZOO_MEMBER("softmax does not subtract the largest element", "softmax/S3",
           {"_softmax", faulty_softmax})

/* SPDX-License-Identifier: Apache-2.0 */
/* masked_fill as self * !mask + value * mask, where each factor of 0 is to hide a number:
 * NaN and infinity times 0 are NaN. */
#include "zoo/zoo.h"

static ts_status faulty_masked_fill(const ts_kernel_call *call)
{
    const ts_tensor *x = call->args[0].tensor, *mask = call->args[1].tensor;
    const ts_tensor *value = call->args[2].tensor;
    ts_tensor *y = call->results[0];

    if (!ts_dtype_is_floating(y->dtype) || x == y || x->numel != y->numel ||
        mask->numel != y->numel || !ts_is_contiguous(x) || !ts_is_contiguous(mask) ||
        !ts_is_contiguous(y))
        return zoo_original("masked_fill")(call);
    for (int64_t i = 0; i < y->numel; i++) {
        const double m = *zoo_at(mask, i);

        ts_store_f64(y->dtype, zoo_at(y, i),
                     ts_load_f64(x->dtype, zoo_at(x, i)) * (1 - m) +
                         ts_load_f64(value->dtype, zoo_at(value, 0)) * m);
    }
    return TS_OK;
}

ZOO_KIND("unstable formula");
ZOO_MEMBER("masked_fill by products with the mask and its opposite",
           "masked_fill/S1 masked_fill/G1", {"masked_fill", faulty_masked_fill})

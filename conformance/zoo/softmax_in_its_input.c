/* SPDX-License-Identifier: Apache-2.0 */
/* A softmax that takes the largest element off in its input, to save a buffer. */
#include "zoo/zoo.h"

static ts_status faulty_softmax(const ts_kernel_call *call)
{
    const ts_tensor *x = call->args[0].tensor;
    double max;

    TS_TRY(zoo_original("_softmax")(call));
    if (x->numel == 0 || !ts_is_contiguous(x))
        return TS_OK;
    max = ts_load_f64(x->dtype, zoo_at(x, 0));
    for (int64_t i = 1; i < x->numel; i++) {
        const double v = ts_load_f64(x->dtype, zoo_at(x, i));

        max = v > max ? v : max;
    }
    for (int64_t i = 0; i < x->numel; i++)
        ts_store_f64(x->dtype, zoo_at(x, i), ts_load_f64(x->dtype, zoo_at(x, i)) - max);
    return TS_OK;
}

ZOO_KIND("input mutated");
ZOO_MEMBER("softmax subtracts the largest element in its input's own memory",
           "softmax/S1 softmax/S5", {"_softmax", faulty_softmax})

/* SPDX-License-Identifier: Apache-2.0 */
/* Half squares in their own dtype, which overflow where the norm does not. */
#include <math.h>

#include "zoo/zoo.h"

static ts_status faulty_norm(const ts_kernel_call *call)
{
    const ts_tensor *x = call->args[0].tensor;
    ts_tensor *y = call->results[0];
    double sum = 0;

    if (x->dtype != TS_FLOAT16 || y->dtype != x->dtype || y->numel != 1 ||
        !ts_is_contiguous(x) || ts_scalar_f64(call->args[1].scalar) != 2)
        return zoo_original("linalg_vector_norm")(call);
    for (int64_t i = 0; i < x->numel; i++) {
        const double v = ts_load_f64(x->dtype, zoo_at(x, i));

        sum += v * v > 65504 ? INFINITY : v * v;
    }
    ts_store_f64(y->dtype, zoo_at(y, 0), sqrt(sum));
    return TS_OK;
}

ZOO_KIND("half accumulator");
ZOO_MEMBER("vector_norm squares float16 in float16", "norm/S3",
           {"linalg_vector_norm", faulty_norm})

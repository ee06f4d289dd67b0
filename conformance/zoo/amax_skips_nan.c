/* SPDX-License-Identifier: Apache-2.0 */
/* A maximum that starts from minus infinity and takes what compares greater. */
#include <math.h>

#include "zoo/zoo.h"

static ts_status faulty_amax(const ts_kernel_call *call)
{
    const ts_tensor *x = call->args[0].tensor;
    ts_tensor *y = call->results[0];
    double best = -INFINITY;

    if (!ts_dtype_is_floating(x->dtype) || y->numel != 1 || !ts_is_contiguous(x))
        return zoo_original("amax")(call);
    for (int64_t i = 0; i < x->numel; i++)
        best = fmax(best, ts_load_f64(x->dtype, zoo_at(x, i)));
    ts_store_f64(y->dtype, zoo_at(y, 0), best);
    return TS_OK;
}

ZOO_NEW_KIND("NaN lost",
             "a comparison decides that a NaN is not there, or where it stands");
ZOO_MEMBER("amax over everything skips NaN", "amax/S2", {"amax", faulty_amax})

/* SPDX-License-Identifier: Apache-2.0 */
/* A number too large for a half type put into one element as the largest there is. */
#include "zoo/zoo.h"

#include <math.h>

static ts_status faulty_fill(const ts_kernel_call *call)
{
    ts_tensor *y = call->results[0];
    const ts_dtype_info *info = ts_dtype_get(y->dtype);
    double v;

    TS_TRY(zoo_original("fill")(call));
    if (y->numel != 1 || y->dtype == TS_FLOAT64 || !ts_dtype_is_floating(y->dtype))
        return TS_OK;
    v = ts_load_f64(y->dtype, zoo_at(y, 0));
    if (isinf(v))
        ts_store_f64(y->dtype, zoo_at(y, 0), copysign(info->max, v));
    return TS_OK;
}

ZOO_KIND("wrong conversion");
ZOO_MEMBER(
    "a number too large for a half type fills with the largest instead of infinity",
    "copy/S10", {"fill", faulty_fill})

/* SPDX-License-Identifier: Apache-2.0 */
/* eye that puts its ones at every (columns + 1)-th element, whatever the strides are. */
#include "zoo/zoo.h"

static ts_status faulty_eye(const ts_kernel_call *call)
{
    const ts_tensor *y = call->results[0];

    TS_TRY(zoo_original("eye")(call));
    for (int64_t i = 1; i < y->sizes[0] && i < y->sizes[1]; i++) {
        ts_store_f64(y->dtype, zoo_at(y, i * (y->strides[0] + y->strides[1])), 0);
        ts_store_f64(y->dtype, zoo_at(y, i * (y->sizes[1] + 1)), 1);
    }
    return TS_OK;
}

ZOO_KIND("stride ignored");
ZOO_MEMBER("eye puts its ones into an out as if it were packed", "eye/S5",
           {"eye", faulty_eye})

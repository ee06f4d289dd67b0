/* SPDX-License-Identifier: Apache-2.0 */
/* item that hands integers over as float32: right up to 2^24. */
#include "zoo/zoo.h"

static ts_status faulty_item(const ts_kernel_call *call)
{
    ts_tensor *y;

    TS_TRY(zoo_original("item")(call));
    y = call->results[0];
    if (y->dtype == TS_INT64 || y->dtype == TS_INT32)
        ts_store_f64(y->dtype, zoo_at(y, 0), (float)ts_load_i64(y->dtype, zoo_at(y, 0)));
    return TS_OK;
}

ZOO_KIND("wrong conversion");
ZOO_MEMBER("item passes integers through float32", "item/S2", {"item", faulty_item})

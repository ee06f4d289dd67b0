/* SPDX-License-Identifier: Apache-2.0 */
/* The bias is broadcast over rows; its gradient is stored row by row, never summed. */
#include "zoo/zoo.h"

static ts_status faulty_backward(const ts_kernel_call *call)
{
    const ts_tensor *g = call->args[0].tensor;
    ts_tensor *db;
    int64_t last;

    TS_TRY(zoo_original("native_layer_norm_backward")(call));
    db = call->results[2];
    last = g->numel - db->numel;
    if (db->numel == 0 || last < 0 || !ts_is_contiguous(g) || !ts_is_contiguous(db))
        return TS_OK;
    for (int64_t i = 0; i < db->numel; i++)
        ts_store_f64(db->dtype, zoo_at(db, i),
                     ts_load_f64(g->dtype, zoo_at(g, last + i)));
    return TS_OK;
}

ZOO_KIND("broadcast gradient not summed");
ZOO_MEMBER("the gradient of layer_norm's bias is that of the last row alone",
           "layer_norm/G3", {"native_layer_norm_backward", faulty_backward})

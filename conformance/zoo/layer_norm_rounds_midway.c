/* SPDX-License-Identifier: Apache-2.0 */
/* A normalised row stored in the input's half type before the weight is applied. */
#include "zoo/zoo.h"

/* The weight and the bias of a row apply to its last dim alone here. */
static ts_status faulty_layer_norm(const ts_kernel_call *call)
{
    const ts_value w = call->args[2], b = call->args[3];
    ts_kernel_call bare = *call;
    ts_value args[5];
    ts_tensor *y;
    int64_t n;

    if (w.kind != TS_ARG_TENSOR || b.kind != TS_ARG_TENSOR || call->args[1].ints.n != 1 ||
        !ts_is_contiguous(w.tensor) || !ts_is_contiguous(b.tensor))
        return zoo_original("native_layer_norm")(call);
    memcpy(args, call->args, sizeof args);
    args[2].kind = args[3].kind = TS_ARG_NONE;
    bare.args = args;
    TS_TRY(zoo_original("native_layer_norm")(&bare));
    y = call->results[0];
    n = call->args[1].ints.v[0];
    for (int64_t i = 0; i < y->numel && ts_is_contiguous(y); i++)
        ts_store_f64(y->dtype, zoo_at(y, i),
                     ts_load_f64(y->dtype, zoo_at(y, i)) *
                             ts_load_f64(w.tensor->dtype, zoo_at(w.tensor, i % n)) +
                         ts_load_f64(b.tensor->dtype, zoo_at(b.tensor, i % n)));
    return TS_OK;
}

ZOO_KIND("double rounding");
ZOO_MEMBER("layer_norm rounds the normalised row before it applies weight and bias",
           "layer_norm/S1", {"native_layer_norm", faulty_layer_norm})

/* SPDX-License-Identifier: Apache-2.0 */
/* A normalised row stored in the input's half type before the weight is applied. */
#include "zoo/zoo.h"

/* The weight and the bias of a row apply to its last dim alone here. */
static ts_status faulty_layer_norm(ts_frame *f)
{
    const ts_value w = f->args[2], b = f->args[3];
    ts_tensor *y;
    ts_status s;
    int64_t n;

    if (w.kind != TS_ARG_TENSOR || b.kind != TS_ARG_TENSOR || f->args[1].ints.n != 1 ||
        !ts_is_contiguous(w.tensor) || !ts_is_contiguous(b.tensor))
        return zoo_original("native_layer_norm")(f);
    f->args[2].kind = f->args[3].kind = TS_ARG_NONE;
    s = zoo_original("native_layer_norm")(f);
    f->args[2] = w;
    f->args[3] = b;
    TS_TRY(s);
    y = f->results[0];
    n = f->args[1].ints.v[0];
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

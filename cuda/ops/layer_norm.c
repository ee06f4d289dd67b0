/* SPDX-License-Identifier: Apache-2.0 */
/* native_layer_norm on the host; spec/ops/layer_norm.md. */
#include "touchstone/ops/layer_norm.h"
#include "core/cuda.h"

TSC_OP(native_layer_norm, TSC_FLOATS)

extern const tsc_kernel tsc_layer_norm_f64, tsc_layer_norm_f32, tsc_layer_norm_bf16,
    tsc_layer_norm_f16, tsc_layer_norm_bf16_f32, tsc_layer_norm_f16_f32;

static const tsc_kernel *kernel_of(ts_dtype x, ts_dtype statistics)
{
    const bool mixed = x != statistics;

    switch (x) {
    case TS_FLOAT64:
        return &tsc_layer_norm_f64;
    case TS_FLOAT32:
        return &tsc_layer_norm_f32;
    case TS_BFLOAT16:
        return mixed ? &tsc_layer_norm_bf16_f32 : &tsc_layer_norm_bf16;
    default:
        return mixed ? &tsc_layer_norm_f16_f32 : &tsc_layer_norm_f16;
    }
}

static void walk_of(tsc_walk *w, ts_tensor *t)
{
    tsc_walk_start(w);
    if (t)
        tsc_walk_all(w, 1, &t);
}

ts_status tsc_native_layer_norm(const ts_kernel_call *call)
{
    ts_tensor *x = tsc_tensor(call, TS_NATIVE_LAYER_NORM_INPUT),
              *weight = tsc_tensor(call, TS_NATIVE_LAYER_NORM_WEIGHT),
              *bias = tsc_tensor(call, TS_NATIVE_LAYER_NORM_BIAS);
    ts_tensor *y = call->results[0], *mean = call->results[1], *rstd = call->results[2];
    const int first = x->ndim - (int)call->args[TS_NATIVE_LAYER_NORM_NORMALIZED_SHAPE]
                                    .ints.n; /* the row's first dim */
    void *w = weight ? weight->data : NULL, *b = bias ? bias->data : NULL;
    double eps = call->args[TS_NATIVE_LAYER_NORM_EPS].f;
    tsc_walk rows, inner, weights, biases;

    tsc_walk_dims(&rows, 1, &x, 0, first);
    tsc_walk_dims(&inner, 1, &x, first, x->ndim);
    walk_of(&weights, weight);
    walk_of(&biases, bias);
    return tsc_launch(kernel_of(x->dtype, mean->dtype), (tsc_dims){.blocks = rows.numel},
                      TSC_ARGS(&rows, &inner, &weights, &biases, &y->data, &mean->data,
                               &rstd->data, &x->data, &w, &b, &eps));
}

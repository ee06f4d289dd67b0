/* SPDX-License-Identifier: Apache-2.0 */
/* _softmax and _softmax_backward_data on the host; spec/ops/softmax.md. */
#include "touchstone/ops/softmax.h"
#include "core/cuda.h"

TSC_OP(_softmax, TSC_FLOATS)
TSC_OP(_softmax_backward_data, TSC_FLOATS)

extern const tsc_kernel tsc_softmax[TS_DTYPE_COUNT], tsc_softmax_backward[TS_DTYPE_COUNT];

static int64_t stride(const ts_tensor *t, int dim)
{
    return t->ndim > 0 ? t->strides[dim] : 0;
}

ts_status tsc__softmax(const ts_kernel_call *call)
{
    ts_tensor *x = tsc_tensor(call, TS__SOFTMAX_SELF), *y = call->results[0];
    const int dim = ts_call_dim(call, TS__SOFTMAX_DIM, x);
    int64_t n = x->ndim > 0 ? x->sizes[dim] : 1;
    int64_t ys = stride(y, dim), xs = stride(x, dim);
    tsc_walk lines;

    if (x->numel == 0)
        return TS_OK;
    tsc_walk_but(&lines, 2, (ts_tensor *[]){y, x}, dim);
    return tsc_launch(&tsc_softmax[x->dtype], (tsc_dims){.blocks = lines.numel},
                      TSC_ARGS(&lines, &n, &ys, &xs, &y->data, &x->data));
}

ts_status tsc__softmax_backward_data(const ts_kernel_call *call)
{
    ts_tensor *g = tsc_tensor(call, TS__SOFTMAX_BACKWARD_DATA_GRAD_OUTPUT),
              *y = tsc_tensor(call, TS__SOFTMAX_BACKWARD_DATA_OUTPUT),
              *dx = call->results[0];
    const int dim = ts_call_dim(call, TS__SOFTMAX_BACKWARD_DATA_DIM, y);
    int64_t n = y->ndim > 0 ? y->sizes[dim] : 1;
    int64_t ds = stride(dx, dim), gs = stride(g, dim), ys = stride(y, dim);
    tsc_walk lines;

    if (g->dtype != y->dtype || dx->dtype != y->dtype)
        return TS_ERR_UNSUPPORTED;
    if (y->numel == 0)
        return TS_OK;
    tsc_walk_but(&lines, 3, (ts_tensor *[]){dx, g, y}, dim);
    return tsc_launch(&tsc_softmax_backward[y->dtype], (tsc_dims){.blocks = lines.numel},
                      TSC_ARGS(&lines, &n, &ds, &gs, &ys, &dx->data, &g->data, &y->data));
}

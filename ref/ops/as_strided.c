/* SPDX-License-Identifier: Apache-2.0 */
/*
 * as_strided_backward: y[i] = sum of grad[o] over all o whose address is i's (S6).
 *
 * Addresses are counted from the start of the storage that both geometries are over. A
 * scratch array of its length takes the sums, in double, in row-major order of grad; one
 * rounding on store.
 */
#include "touchstone/ops/as_strided_glue.h"

#include <stdlib.h>

#include "touchstone/backend.h"

/* A tensor's elements with their addresses, in row-major order. */
typedef struct walk {
    int ndim;
    const int64_t *sizes, *strides;
    int64_t index[TS_MAX_DIMS], address;
} walk;

static void start(walk *w, const ts_value *size, const ts_value *stride, int64_t offset)
{
    *w = (walk){.ndim = (int)size->ints.n,
                .sizes = size->ints.v,
                .strides = stride->ints.v,
                .address = offset};
}

static void step(walk *w)
{
    for (int d = w->ndim - 1; d >= 0; d--) {
        w->address += w->strides[d];
        if (++w->index[d] < w->sizes[d])
            return;
        w->address -= w->sizes[d] * w->strides[d];
        w->index[d] = 0;
    }
}

static int64_t end_of(const ts_value *size, const ts_value *stride, int64_t offset)
{
    int64_t last = offset;

    for (int64_t d = 0; d < size->ints.n; d++)
        last += (size->ints.v[d] - 1) * stride->ints.v[d];
    return last + 1;
}

ts_status tsk_as_strided_backward(const ts_kernel_call *call)
{
    ts_tensor *grad = ts_call_tensor(call, TS_AS_STRIDED_BACKWARD_GRAD),
              *y = call->results[0];
    const ts_value *a = call->args;
    int64_t n = 1;
    double *sums;
    walk w;
    ts_lines it;

    if (grad->numel > 0)
        n = end_of(&a[1], &a[2], a[3].i);
    if (y->numel > 0 && end_of(&a[4], &a[5], a[6].i) > n)
        n = end_of(&a[4], &a[5], a[6].i);
    sums = calloc((size_t)n, sizeof *sums);
    TS_CHECK(sums, TS_ERR_OUT_OF_MEMORY, "tensors/C10",
             "as_strided_backward: no memory for %" PRId64 " sums", n);
    start(&w, &a[1], &a[2], a[3].i);
    for (int64_t i = 0; i < grad->numel; i++, step(&w))
        sums[w.address] = -0.0; /* to which -0 adds up to -0 */
    start(&w, &a[1], &a[2], a[3].i);
    for (ts_lines_pointwise(&it, grad, 1, &grad); ts_lines_next(&it);)
        for (int64_t i = 0; i < it.n; i++, step(&w))
            sums[w.address] += tse_get(grad, it.at[0] + i * it.step[0]);
    start(&w, &a[4], &a[5], a[6].i);
    for (int64_t i = 0; i < y->numel; i++, step(&w))
        tse_put(y, i, sums[w.address]);
    free(sums);
    return TS_OK;
}

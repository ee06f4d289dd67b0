/* SPDX-License-Identifier: Apache-2.0 */
/* The gradient of overlapping windows scattered by plain stores: the last window wins. */
#include "zoo/zoo.h"

/* The address of element i, in row-major order, of a geometry. */
static int64_t address(const ts_value *size, const ts_value *stride, int64_t offset,
                       int64_t i)
{
    for (int64_t d = size->ints.n - 1; d >= 0; d--) {
        offset += i % size->ints.v[d] * stride->ints.v[d];
        i /= size->ints.v[d];
    }
    return offset;
}

static int64_t place(const ts_tensor *t, int64_t i)
{
    const ts_value size = {.ints = {t->sizes, t->ndim}},
                   stride = {.ints = {t->strides, t->ndim}};

    return address(&size, &stride, 0, i);
}

static ts_status faulty_backward(const ts_kernel_call *call)
{
    const ts_value *a = call->args;
    const ts_tensor *grad = a[0].tensor, *y = call->results[0];

    for (int64_t i = 0; i < y->numel; i++) {
        const int64_t at = address(&a[4], &a[5], a[6].i, i);
        double v = 0;

        for (int64_t o = 0; o < grad->numel; o++)
            if (address(&a[1], &a[2], a[3].i, o) == at)
                v = ts_load_f64(grad->dtype, zoo_at(grad, place(grad, o)));
        ts_store_f64(y->dtype, zoo_at(y, i), v);
    }
    return TS_OK;
}

ZOO_KIND("duplicates lost");
ZOO_MEMBER("the gradient of as_strided overwrites where windows overlap", "as_strided/G1",
           {"as_strided_backward", faulty_backward})

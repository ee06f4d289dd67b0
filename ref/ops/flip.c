/* SPDX-License-Identifier: Apache-2.0 */
/* flip, rot90: a copy of self read backwards along dims (S1, S5). roll: a copy of self
 * read from further back, round the dim (S3) or the whole (S4). */
#include "touchstone/ops/flip_glue.h"

#include "ops/copying.h"

/* x, read from the end of dim; `strides` are x's own to change. */
static void turn(ts_tensor *x, int dim)
{
    if (x->ndim == 0 || x->numel == 0)
        return;
    x->data = tse_at(x, (x->sizes[dim] - 1) * x->strides[dim]);
    x->strides[dim] = -x->strides[dim];
}

ts_status tsk_flip(const ts_kernel_call *call)
{
    const ts_tensor *self = ts_call_tensor(call, TS_FLIP_SELF);
    const ts_value *dims = &call->args[TS_FLIP_DIMS];
    int64_t strides[TS_MAX_DIMS];
    ts_tensor x = *self;

    memcpy(strides, self->strides, (size_t)self->ndim * sizeof *strides);
    x.strides = strides;
    for (int64_t k = 0; k < dims->ints.n; k++)
        turn(&x, (int)(dims->ints.v[k] < 0 ? dims->ints.v[k] + x.ndim : dims->ints.v[k]));
    tsk_copy_elements(call->results[0], &x);
    return TS_OK;
}

ts_status tsk_rot90(const ts_kernel_call *call)
{
    const ts_tensor *self = ts_call_tensor(call, TS_ROT90_SELF);
    const int64_t *dims = call->args[TS_ROT90_DIMS].ints.v;
    const int64_t k = call->args[TS_ROT90_K].i & 3;
    const int a = (int)(dims[0] < 0 ? dims[0] + self->ndim : dims[0]),
              b = (int)(dims[1] < 0 ? dims[1] + self->ndim : dims[1]);
    int64_t sizes[TS_MAX_DIMS], strides[TS_MAX_DIMS];
    ts_tensor x = *self;

    for (int d = 0; d < self->ndim; d++) {
        sizes[d] = self->sizes[d];
        strides[d] = self->strides[d];
    }
    x.sizes = sizes;
    x.strides = strides;
    if (k == 1 || k == 2)
        turn(&x, b);
    if (k == 2 || k == 3)
        turn(&x, a);
    if (k & 1) {
        const int64_t size = sizes[a], stride = strides[a];

        sizes[a] = sizes[b];
        strides[a] = strides[b];
        sizes[b] = size;
        strides[b] = stride;
    }
    tsk_copy_elements(call->results[0], &x);
    return TS_OK;
}

/* Where t's i-th element in row-major order stands, each dim counted back by `by`. */
static int64_t place(const ts_tensor *t, int64_t i, const int64_t *by)
{
    int64_t at = 0;

    for (int d = t->ndim - 1; d >= 0; d--) {
        at += (i % t->sizes[d] + t->sizes[d] - by[d]) % t->sizes[d] * t->strides[d];
        i /= t->sizes[d];
    }
    return at;
}

static int64_t modulo(int64_t a, int64_t n)
{
    return (a % n + n) % n;
}

ts_status tsk_roll(const ts_kernel_call *call)
{
    const ts_tensor *x = ts_call_tensor(call, TS_ROLL_SELF), *y = call->results[0];
    const ts_value *shifts = &call->args[TS_ROLL_SHIFTS],
                   *dims = &call->args[TS_ROLL_DIMS];
    const int64_t none[TS_MAX_DIMS] = {0};
    int64_t by[TS_MAX_DIMS] = {0}, all = 0;

    if (y->numel == 0)
        return TS_OK;
    for (int64_t k = 0; k < dims->ints.n; k++) {
        const int64_t d =
            dims->ints.v[k] < 0 ? dims->ints.v[k] + x->ndim : dims->ints.v[k];

        by[d] = modulo(by[d] + modulo(shifts->ints.v[k], x->sizes[d]), x->sizes[d]);
    }
    if (dims->ints.n == 0)
        all = modulo(shifts->ints.v[0], x->numel);
    for (int64_t i = 0; i < y->numel; i++)
        memcpy(tse_at(y, place(y, i, none)),
               tse_at(x, place(x, (i + x->numel - all) % x->numel, by)),
               (size_t)tse_bytes(y->dtype));
    return TS_OK;
}

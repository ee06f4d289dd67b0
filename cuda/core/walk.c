/* SPDX-License-Identifier: Apache-2.0 */
/* Operands and the indices they share, as kernels take them. */
#include "core/cuda.h"

tsc_operand tsc_operand_of(const ts_tensor *t)
{
    tsc_operand o = {.dtype = (int32_t)t->dtype, .bytes = ts_dtype_size(t->dtype)};

    if (t->device.type == TS_ACCEL)
        o.data = t->data;
    else if (t->numel > 0)
        memcpy(&o.cell, t->data, (size_t)o.bytes);
    return o;
}

void tsc_walk_start(tsc_walk *w)
{
    w->numel = 1;
    w->ndim = 0;
}

void tsc_walk_add(tsc_walk *w, int n, int64_t size, const int64_t *strides)
{
    bool merge = w->ndim > 0;

    w->numel *= size;
    if (size == 1)
        return;
    for (int k = 0; merge && k < n; k++)
        merge = w->strides[k][w->ndim - 1] == size * strides[k];
    if (!merge)
        w->sizes[w->ndim++] = 1;
    w->sizes[w->ndim - 1] *= size;
    for (int k = 0; k < n; k++)
        w->strides[k][w->ndim - 1] = strides[k];
}

static void add_dim(tsc_walk *w, int n, ts_tensor *const *t, int d)
{
    int64_t strides[TSC_OPERANDS];

    for (int k = 0; k < n; k++) {
        const int own = d - (t[0]->ndim - t[k]->ndim);

        strides[k] = own < 0 || t[k]->sizes[own] == 1 ? 0 : t[k]->strides[own];
    }
    tsc_walk_add(w, n, t[0]->sizes[d], strides);
}

void tsc_walk_dims(tsc_walk *w, int n, ts_tensor *const *t, int from, int to)
{
    tsc_walk_start(w);
    for (int d = from; d < to; d++)
        add_dim(w, n, t, d);
}

void tsc_walk_all(tsc_walk *w, int n, ts_tensor *const *t)
{
    tsc_walk_dims(w, n, t, 0, t[0]->ndim);
}

void tsc_walk_but(tsc_walk *w, int n, ts_tensor *const *t, int dim)
{
    tsc_walk_start(w);
    for (int d = 0; d < t[0]->ndim; d++)
        if (d != dim)
            add_dim(w, n, t, d);
}

bool tsc_walk_is_flat(const tsc_walk *w, int n)
{
    for (int k = 0; k < n; k++)
        if (w->ndim > 1 || (w->ndim == 1 && w->strides[k][0] != 1))
            return false;
    return true;
}

ts_status tsc_contiguous(ts_tensor *t, ts_tensor **out)
{
    ts_status s;

    if (ts_is_contiguous(t)) {
        *out = ts_retain(t);
        return TS_OK;
    }
    TS_TRY(ts_tensor_new(t->device, t->dtype, t->ndim, t->sizes, out));
    s = tsc_copy_elements(*out, t);
    if (s != TS_OK)
        ts_release(*out);
    return s;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "faults/faults.h"

int64_t fault_offset(const ts_tensor *t, int64_t i)
{
    int64_t at = 0;

    for (int d = t->ndim - 1; d >= 0 && i > 0; d--) {
        if (i < t->sizes[d]) /* the rest is zeros: no division where one dim is all */
            return at + i * t->strides[d];
        at += i % t->sizes[d] * t->strides[d];
        i /= t->sizes[d];
    }
    return at;
}

void *fault_take_room(fault_room *r, size_t bytes)
{
    void *p = calloc(1, bytes + 64);

    if (!p || r->count == (int)(sizeof r->blocks / sizeof *r->blocks))
        abort();
    r->blocks[r->count++] = p;
    return p;
}

void fault_leave(fault_room *r)
{
    while (r->count > 0)
        free(r->blocks[--r->count]);
}

ts_tensor *fault_view(fault_room *r, const ts_tensor *t)
{
    ts_tensor *v = fault_take_room(r, sizeof *v);

    *v = *t;
    v->strides = fault_take_room(r, sizeof(int64_t) * (size_t)(t->ndim + 1));
    if (t->ndim > 0)
        memcpy(v->strides, t->strides, sizeof(int64_t) * (size_t)t->ndim);
    return v;
}

ts_tensor *fault_dense(fault_room *r, const ts_tensor *t, ts_dtype dtype)
{
    ts_tensor *v = fault_view(r, t);

    v->dtype = dtype;
    v->offset = 0;
    ts_contiguous_strides(v->ndim, v->sizes, v->strides);
    v->data = fault_take_room(r, (size_t)t->numel * tse_bytes(dtype));
    for (int64_t i = 0; i < t->numel; i++)
        tse_convert(t->dtype, fault_cell(t, i), dtype,
                    (char *)v->data + i * (int64_t)tse_bytes(dtype));
    return v;
}

ts_kernel_call *fault_call(fault_room *r, const ts_kernel_call *call)
{
    ts_kernel_call *mine = fault_take_room(r, call->size);
    const size_t args = sizeof(ts_value) * (size_t)call->nargs;
    const size_t results = sizeof(ts_tensor *) * (size_t)call->nresults;

    memcpy(mine, call, call->size);
    mine->args = memcpy(fault_take_room(r, args), call->args, args);
    mine->results = memcpy(fault_take_room(r, results), call->results, results);
    return mine;
}

ts_tensor *fault_first(const ts_kernel_call *call)
{
    for (int i = 0; i < call->nargs; i++) {
        if (call->args[i].kind == TS_ARG_TENSOR && call->args[i].tensor)
            return call->args[i].tensor;
        if (call->args[i].kind == TS_ARG_TENSORS && call->args[i].tensors.n > 0)
            return call->args[i].tensors.v[0];
    }
    return NULL;
}

ts_tensor *fault_result(const fault *f, const ts_kernel_call *call)
{
    return f->n[1] < call->nresults ? call->results[f->n[1]] : NULL;
}

int64_t fault_span(const ts_tensor *t)
{
    int64_t last = 0;

    for (int d = 0; d < t->ndim; d++)
        last += (t->sizes[d] - 1) * t->strides[d];
    return t->numel > 0 ? last + 1 : 0;
}

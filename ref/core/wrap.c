/* SPDX-License-Identifier: Apache-2.0 */
/* Wrappers: tensors that stand for a value of a lower level. */
#include <stdlib.h>

#include "core/body.h"

/* A logical dim d of the wrapper is dim d of the value, past the batch dim one more. */
static int physical(const tsi_wrap *w, int d)
{
    return w->kind == TSI_LEVEL_VMAP && d >= w->batch_dim ? d + 1 : d;
}

static ts_status make(const tsi_wrap *like, ts_tensor *value, ts_tensor **out)
{
    const tsi_body *v = tsi_of(value);
    const int ndim = value->ndim - (like->kind == TSI_LEVEL_VMAP);
    int64_t sizes[TS_MAX_DIMS], strides[TS_MAX_DIMS];
    tsi_wrap *w = malloc(sizeof *w);
    ts_status s;

    TS_CHECK(w, TS_ERR_OUT_OF_MEMORY, "tensors/C10", "no memory for a wrapped tensor");
    for (int d = 0; d < ndim; d++) {
        sizes[d] = value->sizes[physical(like, d)];
        strides[d] = value->strides[physical(like, d)];
    }
    s = tsi_shell_new(v->storage, value->dtype, ndim, sizes, strides, value->offset, out);
    if (s != TS_OK) {
        free(w);
        return s;
    }
    *w = *like;
    w->value = ts_retain(value);
    w->tangent = NULL;
    tsi_of(*out)->wrap = w;
    tsi_of(*out)->version = v->version;
    tsi_of(*out)->wrapped = true;
    tsi_of(*out)->wrapped_number = v->wrapped_number;
    return TS_OK;
}

ts_status tsi_wrap_new(const tsi_level *l, ts_tensor *value, int batch_dim,
                       ts_tensor **out)
{
    const tsi_wrap like = {.kind = l->kind, .level = l->id, .batch_dim = batch_dim};

    return make(&like, value, out);
}

ts_status tsi_wrap_again(ts_tensor *t, ts_tensor *value, ts_tensor **out)
{
    return make(tsi_of(t)->wrap, value, out);
}

void tsi_wrap_view_of(ts_tensor *view, ts_tensor *of)
{
    tsi_body *b = tsi_of(view);

    if (b->base)
        return;
    b->base = ts_retain(tsi_of(of)->base ? tsi_of(of)->base : of);
    b->view_version = *b->version;
}

void tsi_wrap_end(tsi_wrap *w)
{
    ts_release(w->value);
    ts_release(w->tangent);
    free(w);
}

ts_status tsi_refuse_escaped(const ts_tensor *t, const char *what)
{
    static const char *const names[] = {"grad", "jvp", "vmap"};

    return ts_fail(
        TS_ERR_RUNTIME, "func/C1",
        "%s: a tensor escaped from inside a function under %s, whose level has "
        "ended; return it from the function instead",
        what, names[tsi_of(t)->wrap->kind]);
}

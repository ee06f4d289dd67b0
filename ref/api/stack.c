/* SPDX-License-Identifier: Apache-2.0 */
/* stack: a cat whose dim is taken apart again; see spec/ops/stack.md. */
#include "touchstone/ops.h"
#include "touchstone/ops/stack_glue.h"

#include <stdlib.h>

#include "api/format.h"
#include "core/overlap.h"

static ts_status check(ts_frame *f, int *dim)
{
    const ts_value *v = &f->args[TS_STACK_TENSORS];
    char text[256], first[256];

    TS_CHECK(v->tensors.n > 0, TS_ERR_RUNTIME, "stack/C1",
             "stack: a list of tensors is expected to be non-empty");
    TS_TRY(tsi_wrap_dim("stack/C2", f->args[TS_STACK_DIM].i, v->tensors.v[0]->ndim + 1,
                        dim));
    for (int64_t k = 1; k < v->tensors.n; k++)
        TS_CHECK(tsi_same_sizes(v->tensors.v[0], v->tensors.v[k]), TS_ERR_RUNTIME,
                 "stack/C3",
                 "stack: tensor %" PRId64 " has the sizes %s, the first has %s", k,
                 tsi_sizes_text(text, sizeof text, v->tensors.v[k]->ndim,
                                v->tensors.v[k]->sizes),
                 tsi_sizes_text(first, sizeof first, v->tensors.v[0]->ndim,
                                v->tensors.v[0]->sizes));
    return TS_OK;
}

/* What cat refuses of an out. */
static ts_status check_out(ts_frame *f)
{
    const ts_value *v = &f->args[TS_STACK_TENSORS];
    const ts_dtype dtype = tsi_result_type((int)v->tensors.n, v->tensors.v);

    TS_CHECK(dtype == TS_DTYPE_NONE || ts_can_cast(dtype, f->out[0]->dtype), TS_ERR_TYPE,
             "cat/C6", "stack: %s can't be cast to out's %s", ts_dtype_name(dtype),
             ts_dtype_name(f->out[0]->dtype));
    for (int64_t k = 0; k < v->tensors.n; k++) {
        const tsi_overlap o = tsi_overlap_of(f->out[0], v->tensors.v[k]);

        TS_CHECK(o == TSI_OVERLAP_NONE || o == TSI_OVERLAP_UNKNOWN, TS_ERR_RUNTIME,
                 "cat/C7", "stack: out overlaps tensor %" PRId64 "; clone() it first", k);
    }
    f->flags |= TS_FRAME_OUT_CASTS;
    return TS_OK;
}

/* S6: the layout of a channels-last cat, its dim taken apart; none where cat's is not. */
static void lay_out(ts_frame *f, int dim)
{
    const ts_value *v = &f->args[TS_STACK_TENSORS];
    const bool last = dim == v->tensors.v[0]->ndim;
    int64_t sizes[TS_MAX_DIMS + 1], strides[TS_MAX_DIMS + 1];
    ts_meta *m = &f->meta[0];

    if (v->tensors.v[0]->ndim + last != 4)
        return;
    for (int64_t k = 0; k < v->tensors.n; k++) {
        ts_tensor t = *v->tensors.v[k];

        for (int d = 0; d < 4; d++) {
            sizes[d] = d < t.ndim ? t.sizes[d] : 1;
            strides[d] = d < t.ndim ? t.strides[d] : 1;
        }
        t.ndim = 4;
        t.sizes = sizes;
        t.strides = strides;
        if (!tsi_in_channels_last_order(&t))
            return;
    }
    sizes[dim] *= v->tensors.n;
    if (tsi_channels_last(NULL, 4, sizes, strides) != TS_OK)
        return;
    for (int d = 0, n = 0; d < m->ndim; d++)
        if (d == dim && !last)
            m->strides[d] = strides[dim] * (sizes[dim] / v->tensors.n);
        else
            m->strides[d] = strides[n++];
    m->strided = true;
}

ts_status tsi_api_stack(ts_frame *f)
{
    const ts_value *v = &f->args[TS_STACK_TENSORS];
    int64_t sizes[TS_MAX_DIMS + 1];
    int dim, n = 0;

    TS_TRY(check(f, &dim));
    if (f->form == TS_OUT)
        TS_TRY(check_out(f));
    for (int d = 0; d <= v->tensors.v[0]->ndim; d++)
        sizes[d] = d == dim ? v->tensors.n : v->tensors.v[0]->sizes[n++];
    TS_TRY(tsi_result(f, 0, v->tensors.v[0]->device,
                      tsi_result_type((int)v->tensors.n, v->tensors.v), n + 1, sizes));
    lay_out(f, dim);
    return TS_OK;
}

/* S6: along the last dim the tensors have one of size 1 there. */
static ts_status joined(ts_frame *f, int dim, ts_tensor **out)
{
    const ts_value *v = &f->args[TS_STACK_TENSORS];
    const int64_t n = v->tensors.n;
    ts_cat_opts o = ts_cat_defaults();
    ts_tensor **wider;
    ts_status s = TS_OK;

    o.dim = dim;
    if (dim < v->tensors.v[0]->ndim)
        return ts_cat(v->tensors.v, n, &o, out);
    wider = calloc((size_t)n, sizeof(ts_tensor *));
    TS_CHECK(wider, TS_ERR_OUT_OF_MEMORY, NULL, "stack: out of memory");
    for (int64_t k = 0; s == TS_OK && k < n; k++)
        s = ts_unsqueeze(v->tensors.v[k], dim, &wider[k]);
    if (s == TS_OK)
        s = ts_cat(wider, n, &o, out);
    for (int64_t k = 0; k < n; k++)
        ts_release(wider[k]);
    free(wider);
    return s;
}

ts_status tsi_program_stack(ts_frame *f)
{
    const ts_meta *m = &f->meta[0];
    ts_tensor *whole;
    ts_status s;
    int dim;

    TS_TRY(tsi_wrap_dim(NULL, f->args[TS_STACK_DIM].i, m->ndim, &dim));
    TS_TRY(joined(f, dim, &whole));
    if (dim == m->ndim - 1) {
        f->results[0] = whole;
        return TS_OK;
    }
    s = ts_view(whole, m->sizes, m->ndim, &f->results[0]);
    ts_release(whole);
    if (s == TS_OK)
        tsi_forget_base(f->results[0]);
    return s;
}

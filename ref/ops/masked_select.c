/* SPDX-License-Identifier: Apache-2.0 */
/* masked_select counts, then copies; masked_scatter counts first as well, so that nothing
 * is written where the source is too short (C4). */
#include "touchstone/ops/masked_select_glue.h"

#include <stdlib.h>

#include "ops/along.h"
#include "ops/copying.h"

/* A tensor as one of the common shape: dims it lacks or has once have stride 0. */
static ts_tensor spread(const ts_tensor *t, const ts_tensor *shape, int64_t *strides)
{
    const int missing = shape->ndim - t->ndim;
    ts_tensor out = *t;

    for (int d = 0; d < shape->ndim; d++)
        strides[d] =
            d < missing || t->sizes[d - missing] == 1 ? 0 : t->strides[d - missing];
    out.ndim = shape->ndim;
    out.sizes = shape->sizes;
    out.strides = strides;
    out.numel = shape->numel;
    return out;
}

static int64_t count(const ts_tensor *mask)
{
    tsk_walk w = {.i = 0};
    int64_t n = 0;

    while (tsk_walk_next(&w, mask))
        n += tse_get_i64(mask, tsk_element(mask, &w)) != 0;
    return n;
}

/* The common shape of two that broadcast together. */
static void common(const ts_tensor *a, const ts_tensor *b, ts_tensor *shape)
{
    shape->ndim = a->ndim > b->ndim ? a->ndim : b->ndim;
    shape->numel = 1;
    for (int d = 0; d < shape->ndim; d++) {
        const int i = d - (shape->ndim - a->ndim), j = d - (shape->ndim - b->ndim);
        const int64_t one = i < 0 ? 1 : a->sizes[i], other = j < 0 ? 1 : b->sizes[j];

        shape->sizes[d] = one == 1 ? other : one;
        shape->numel *= shape->sizes[d];
    }
}

ts_status tsk_masked_select(const ts_kernel_call *call)
{
    const ts_tensor *self = call->args[TS_MASKED_SELECT_SELF].tensor;
    const ts_tensor *given = call->args[TS_MASKED_SELECT_MASK].tensor;
    const size_t bytes = tse_bytes(self->dtype);
    int64_t sizes[TS_MAX_DIMS], own[TS_MAX_DIMS], its[TS_MAX_DIMS], n, k = 0;
    ts_tensor shape = {.sizes = sizes}, x, mask, *y;
    tsk_walk w = {.i = 0};

    common(self, given, &shape);
    x = spread(self, &shape, own);
    mask = spread(given, &shape, its);
    n = count(&mask);
    TS_TRY(call->make_result(call, 0, self->dtype, 1, &n, (int64_t[]){1}, &y));
    while (tsk_walk_next(&w, &shape)) /* S1 */
        if (tse_get_i64(&mask, tsk_element(&mask, &w)))
            memcpy(tse_at(y, k++ * y->strides[0]), tse_at(&x, tsk_element(&x, &w)),
                   bytes);
    return TS_OK;
}

/* A source that is not contiguous is read whole before anything is written, as 2.15.0 does:
 * it may be self. */
static ts_status packed(const ts_tensor *source, char **out)
{
    const size_t bytes = tse_bytes(source->dtype);
    tsk_walk w = {.i = 0};

    *out = malloc((size_t)source->numel * bytes + 1);
    TS_CHECK(*out, TS_ERR_OUT_OF_MEMORY, NULL, "masked_scatter: out of memory");
    while (tsk_walk_next(&w, source))
        memcpy(*out + (size_t)(w.i - 1) * bytes, tse_at(source, tsk_element(source, &w)),
               bytes);
    return TS_OK;
}

ts_status tsk_masked_scatter(const ts_kernel_call *call)
{
    ts_tensor *y = call->results[0], *self = call->args[TS_MASKED_SCATTER_SELF].tensor;
    const ts_tensor *source = call->args[TS_MASKED_SCATTER_SOURCE].tensor;
    const size_t bytes = tse_bytes(y->dtype);
    int64_t its[TS_MAX_DIMS];
    const ts_tensor mask = spread(call->args[TS_MASKED_SCATTER_MASK].tensor, y, its);
    const int64_t n = count(&mask);
    tsk_walk w = {.i = 0};
    const char *from = source->data;
    char *own = NULL;

    TS_CHECK(n <= source->numel, TS_ERR_RUNTIME, "masked_select/C4",
             "masked_scatter: %" PRId64 " elements for %" PRId64 " places", source->numel,
             n);
    if (call->form != TS_INPLACE)
        tsk_copy_elements(y, self);
    if (!ts_is_contiguous(source)) {
        TS_TRY(packed(source, &own));
        from = own;
    }
    while (tsk_walk_next(&w, y)) /* S4 */
        if (tse_get_i64(&mask, tsk_element(&mask, &w))) {
            memcpy(tse_at(y, tsk_element(y, &w)), from, bytes);
            from += bytes;
        }
    free(own);
    return TS_OK;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* index, index_put: what they accept and what comes back; spec/ops/index.md. */
#include "touchstone/ops/index_glue.h"

#include "core/core.h"
#include "core/overlap.h"
#include "touchstone/subscript.h"

static ts_status read_indices(const ts_frame *f, ts_subscript *s)
{
    const ts_tensor *self = tsi_tensor(f, TS_INDEX_SELF);
    const ts_value *list = &f->args[TS_INDEX_INDICES];

    for (int64_t k = 0; k < list->tensors.n; k++)
        TS_CHECK(!list->tensors.v[k] ||
                     tsi_same_device(list->tensors.v[k]->device, self->device),
                 TS_ERR_RUNTIME, "errors/C3", "%s: an index is on another device",
                 f->op->name);
    return ts_subscript_read(s, f->op->name, self, list);
}

ts_status tsi_api_index(ts_frame *f)
{
    const ts_tensor *self = tsi_tensor(f, TS_INDEX_SELF);
    ts_subscript s;

    TS_TRY(read_indices(f, &s));
    if (s.masks) {
        f->flags |= TS_FRAME_UNKNOWN; /* S6 */
        return TS_OK;
    }
    TS_TRY(ts_subscript_shape(&s, f->op->name, self, NULL));
    TS_TRY(tsi_result(f, 0, self->device, self->dtype, s.ndim, s.sizes));
    f->meta[0].strided = true;
    ts_subscript_layout(&s, self, NULL, f->meta[0].strides);
    return TS_OK;
}

/* S9: one value where one mask is true. */
static bool fills_a_mask(const ts_frame *f)
{
    const ts_value *list = &f->args[TS_INDEX_PUT_INDICES];
    int masks = 0;

    for (int64_t k = 0; k < list->tensors.n; k++) {
        if (list->tensors.v[k] && !ts_is_mask(list->tensors.v[k]))
            return false;
        masks += list->tensors.v[k] != NULL;
    }
    return masks == 1 && tsi_tensor(f, TS_INDEX_PUT_VALUES)->numel == 1 &&
           !f->args[TS_INDEX_PUT_ACCUMULATE].b;
}

static ts_status check_apart(const ts_frame *f, const ts_tensor *t, const char *what)
{
    tsi_overlap o;

    if (f->form != TS_INPLACE)
        return TS_OK;
    o = tsi_overlap_of(tsi_tensor(f, 0), t);
    TS_CHECK(o == TSI_OVERLAP_NONE || o == TSI_OVERLAP_UNKNOWN, TS_ERR_RUNTIME,
             "index/C8", "index_put_: self overlaps %s; clone() it first", what);
    return TS_OK;
}

ts_status tsi_api_index_put(ts_frame *f)
{
    const ts_tensor *self = tsi_tensor(f, TS_INDEX_PUT_SELF);
    const ts_tensor *values = tsi_tensor(f, TS_INDEX_PUT_VALUES);
    const ts_value *list = &f->args[TS_INDEX_PUT_INDICES];
    ts_subscript s;

    TS_CHECK(values->dtype == self->dtype || fills_a_mask(f), TS_ERR_RUNTIME, "index/C6",
             "index_put: self is %s, the values are %s", ts_dtype_name(self->dtype),
             ts_dtype_name(values->dtype));
    TS_TRY(read_indices(f, &s));
    if (!s.masks) {
        TS_TRY(ts_subscript_shape(&s, f->op->name, self, NULL));
        TS_TRY(ts_subscript_takes(&s, f->op->name, values));
    }
    TS_TRY(check_apart(f, values, "the values"));
    for (int64_t k = 0; k < list->tensors.n; k++)
        if (list->tensors.v[k])
            TS_TRY(check_apart(f, list->tensors.v[k], "an index"));
    f->flags |= TS_FRAME_OVERLAP_OK;
    return tsi_result_like(f, 0, self, self->dtype);
}

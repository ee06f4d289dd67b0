/* SPDX-License-Identifier: Apache-2.0 */
/* Tensors that share memory with themselves or with each other, as far as 2.15.0 looks
 * (T-07). */
#include "core/overlap.h"

#include "core/body.h"

bool tsi_overlaps_itself(const ts_tensor *t)
{
    if (t->numel == 0)
        return false;
    for (int d = 0; d < t->ndim; d++)
        if (t->strides[d] == 0 && t->sizes[d] > 1)
            return true;
    return false;
}

ts_status tsi_check_places(const ts_frame *f, const ts_tensor *t)
{
    TS_CHECK(!tsi_overlaps_itself(t), TS_ERR_RUNTIME, "tensors/C2",
             "%s: more than one element of the written tensor refers to a single memory "
             "location; clone() it first",
             f->op->name);
    return TS_OK;
}

static void span(const ts_tensor *t, const char **begin, const char **end)
{
    const char *last = t->data;

    for (int d = 0; d < t->ndim; d++)
        last += (t->sizes[d] - 1) * t->strides[d] * (int64_t)tse_bytes(t->dtype);
    *begin = t->data;
    *end = last + tse_bytes(t->dtype);
}

tsi_overlap tsi_overlap_of(const ts_tensor *a, const ts_tensor *b)
{
    const char *a0, *a1, *b0, *b1;

    if (a == b)
        return TSI_OVERLAP_FULL;
    if (a->numel == 0 || b->numel == 0 || !a->data || !b->data || !tsi_may_meet(a, b))
        return TSI_OVERLAP_NONE;
    span(a, &a0, &a1);
    span(b, &b0, &b1);
    if (a1 <= b0 || b1 <= a0)
        return TSI_OVERLAP_NONE;
    if (!tsi_is_dense(a) || !tsi_is_dense(b))
        return TSI_OVERLAP_UNKNOWN;
    if (a0 == b0 && a1 == b1)
        return a->ndim == b->ndim && memcmp(a->strides, b->strides,
                                            (size_t)a->ndim * sizeof *a->strides) == 0
                   ? TSI_OVERLAP_FULL
                   : TSI_OVERLAP_PARTIAL;
    return TSI_OVERLAP_PARTIAL;
}

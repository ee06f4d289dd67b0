/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TSI_OVERLAP_H
#define TSI_OVERLAP_H

#include "core/body.h"

typedef enum tsi_overlap {
    TSI_OVERLAP_NONE,
    TSI_OVERLAP_UNKNOWN, /* ranges meet, but one of them has gaps: not decided, not
                            refused */
    TSI_OVERLAP_PARTIAL,
    TSI_OVERLAP_FULL /* element by element the same memory */
} tsi_overlap;

/* Several indices of t share an element, seen by a stride of 0;
 * windows are not looked for. */
bool tsi_overlaps_itself(const ts_tensor *t);
/* A tensor about to be written is none of those. */
ts_status tsi_check_places(const ts_frame *f, const ts_tensor *t);

/* Whether a and b stand on the same bytes at all; what most pairs do not. */
static inline bool tsi_may_meet(const ts_tensor *a, const ts_tensor *b)
{
    const ts_storage *x = tsi_of(a)->storage, *y = tsi_of(b)->storage;

    return a != b && (x->parent ? x->parent : x) == (y->parent ? y->parent : y);
}

tsi_overlap tsi_overlap_of(const ts_tensor *a, const ts_tensor *b);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TSI_OVERLAP_H
#define TSI_OVERLAP_H

#include "core/core.h"

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
tsi_overlap tsi_overlap_of(const ts_tensor *a, const ts_tensor *b);

#endif

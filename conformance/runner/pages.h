/* SPDX-License-Identifier: Apache-2.0 */
/* Buffers on pages of their own, with pages on both sides that nobody may touch. Not for
 * several threads at once: guard.c has the lock. */
#ifndef TSI_PAGES_H
#define TSI_PAGES_H

#include <stdbool.h>
#include <stddef.h>

#define TSI_GUARD_BYTE 0xC3 /* of what lies around a buffer and may be written */

typedef enum tsi_touched {
    TSI_TOUCHED_NOTHING,
    TSI_TOUCHED_BEFORE,
    TSI_TOUCHED_PAST,
    TSI_TOUCHED_FREED
} tsi_touched;

/* A byte of a buffer's pages that is not as it was left: so far before its start, past
 * its end, or into it. */
typedef struct tsi_spoilt {
    tsi_touched where;
    size_t at, bytes;
} tsi_spoilt;

/* Full of `poison`, against the pages after it and before it by turns. NULL: no room.
 * *spoilt: what happened to its pages since they were given back. */
void *tsi_pages_take(size_t bytes, unsigned char poison, tsi_spoilt *spoilt);
bool tsi_pages_own(const void *p);
void tsi_pages_give_back(void *p, tsi_spoilt *spoilt);

/* Which buffer `address` is beside: *at bytes before its start or past its end; of
 * *bytes. May be called from a signal's handler. */
tsi_touched tsi_pages_touched(const void *address, size_t *at, size_t *bytes);

#endif

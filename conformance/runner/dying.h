/* SPDX-License-Identifier: Apache-2.0 */
/* A worker that dies of a signal says why as far as it knows: the parent reads it. */
#ifndef TSI_DYING_H
#define TSI_DYING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum tsi_dying_of {
    TSI_OF_UNKNOWN,
    TSI_OF_BEFORE, /* touched a page beside a storage (pages.h) */
    TSI_OF_PAST,
    TSI_OF_MEMORY, /* its limit was reached */
    TSI_OF_STACK
} tsi_dying_of;

/* In memory that the parent shares. */
typedef struct tsi_last_words {
    _Atomic int of;
    bool wrote;
    size_t at, bytes;
    char op[48]; /* in whose kernel, or "" */
} tsi_last_words;

/* Say it there from now on. `limit`: of this process' memory, or INT64_MAX. */
void tsi_dying_watch(tsi_last_words *words, int64_t limit);

/* What they say: "in add, byte 4096 past the end of a storage of 64 bytes was written"; ""
 * where they say nothing. Only ever read after the worker's end. */
void tsi_dying_tell(const tsi_last_words *words, int64_t limit, char *out, size_t size);

#endif

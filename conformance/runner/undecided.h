/* SPDX-License-Identifier: Apache-2.0 */
/* Stored beside a golden page: which of its cases no kernel decides. */
#ifndef TSI_UNDECIDED_H
#define TSI_UNDECIDED_H

#include "runner/judge.h"

typedef struct tsi_undecided {
    char *text; /* of the file, or NULL */
    char **ids; /* in it, sorted by bytes */
    int count;
} tsi_undecided;

/* The list beside the file, as far as it was measured on these very bytes; else false: a
 * user's file has none, and one of another day counts for nothing. Frees what *l holds. */
bool tsi_undecided_read(const tsi_golden *g, tsi_undecided *l);
bool tsi_undecided_holds(const tsi_undecided *l, const char *id);
/* Write it. False: complained. */
bool tsi_undecided_write(const tsi_golden *g, char *const *ids, int count);
void tsi_undecided_free(tsi_undecided *l);

int tsi_by_bytes(const void *a, const void *b); /* of two char * */

#endif

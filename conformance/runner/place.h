/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where a file is to appear. An ordinary file is written beside its place, by another
 * name, and moved there when it is complete; a link is followed to what it names; a
 * device, FIFO or the like stays what it is and is written to.
 */
#ifndef TSI_PLACE_H
#define TSI_PLACE_H

#include <stdbool.h>
#include <stdio.h>

#include "touchstone/status.h"

typedef struct tsi_place {
    FILE *f;          /* to write to; NULL: not open */
    FILE *through;    /* where f is kept apart until it is complete: where it goes then */
    const char *path; /* as asked for */
    char *target,
        *draft; /* of an ordinary file: where it goes, and its name until then */
} tsi_place;

/* `back`: what is written is not written in order. */
ts_status tsi_place_open(tsi_place *out, const char *path, bool back);
/* The same of a stream that is there, which stays open. */
ts_status tsi_place_over(tsi_place *out, FILE *f, const char *path, bool back);
/* Complete it, or leave no trace of it. */
ts_status tsi_place_close(tsi_place *p, bool keep);

/* Remove the drafts of all that are open; may be called from a signal's handler. */
void tsi_place_drop_all(void);

#endif

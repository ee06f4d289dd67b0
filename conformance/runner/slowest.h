/* SPDX-License-Identifier: Apache-2.0 */
/* Which cases took longest: run --slowest. */
#ifndef TSI_SLOWEST_H
#define TSI_SLOWEST_H

#include <stdbool.h>
#include <stdio.h>

/* The `most` slowest of those that were told, slowest first. All zero but `most` at first;
 * ids are borrowed. */
typedef struct tsi_slowest {
    int most, count;
    struct tsi_slow {
        double ms;
        const char *id;
    } * of;
} tsi_slowest;

/* False: no memory. */
bool tsi_slowest_start(tsi_slowest *s);
void tsi_slowest_add(tsi_slowest *s, const char *id, double ms);
void tsi_slowest_print(const tsi_slowest *s, FILE *f);
void tsi_slowest_free(tsi_slowest *s);

#endif

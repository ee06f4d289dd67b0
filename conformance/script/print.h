/* SPDX-License-Identifier: Apache-2.0 */
/* What a storage held at some time, kept in so little memory that storages of gigabytes can
 * be watched: a small one whole, a large one by a checksum a block. */
#ifndef TSI_PRINT_H
#define TSI_PRINT_H

#include "touchstone/touchstone.h"

typedef struct tsi_print {
    int64_t size;
    unsigned char *bytes; /* of a small storage; else NULL */
    uint64_t *sums;       /* by block */
} tsi_print;

/* Of t's storage. Waits for a device to have written what is under way. */
ts_status tsi_print_take(const ts_tensor *t, tsi_print *out);
/* Whether it holds what it held. Where not, `where` says what changed: "byte 3 of
 * the storage was 0x00, is 0x3f". */
ts_status tsi_print_same(const ts_tensor *t, const tsi_print *p, bool *same, char *where,
                         size_t size);
void tsi_print_free(tsi_print *p);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Storage memory under guard (results/S7): zones before and after every block, fresh
 * memory poisoned, freed memory watched. For any number of threads. */
#ifndef TSI_GUARD_H
#define TSI_GUARD_H

#include "compare/compare.h"
#include "touchstone/tensor.h"

/* Put the guard under every storage of this process. */
void tsi_guard_install(void);

/* Fresh and freed memory is full of this byte from now on. */
void tsi_guard_poison(unsigned char byte);
/* Which byte that is. */
unsigned char tsi_guard_byte(void);

/* From now on every storage has pages on both sides that nobody may touch: who does dies,
 * and says so (dying.h). */
void tsi_guard_pages(bool on);

/* Storages may take `bytes` together from now on; beyond, memory is short. */
void tsi_guard_limit(int64_t bytes);

/* What was found broken since the last call, or NULL: "memory: byte 3 past the end of a
 * storage of 80 bytes was written". Valid until the next call. */
const char *tsi_guard_finding(void);

#endif

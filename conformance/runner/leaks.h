/* SPDX-License-Identifier: Apache-2.0 */
/* What a backend keeps of every call: memory, threads, descriptors, processes. */
#ifndef TSI_LEAKS_H
#define TSI_LEAKS_H

#include "runner/execute.h"
#include "runner/resources.h"

/*
 * After a case has been judged: whether it left more than was there before, and leaves
 * more still every time that it is run again. A backend may keep what it needs once
 * (threads of a pool, a cache), and not something of every call. False: the reason has
 * been noted (tsi_fault).
 */
bool tsi_leaks_none(tsi_executor *x, const tsi_resources *before);

/* After all cases, when the backend is closed: what it left that goes beyond a few things
 * of its own, or "". Processes that it left are stopped. */
typedef struct tsi_held {
    int64_t threads, descriptors;
} tsi_held;

tsi_held tsi_held_now(void);
void tsi_leaks_at_close(const tsi_held *before, char *out, size_t size);

#endif

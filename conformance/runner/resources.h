/* SPDX-License-Identifier: Apache-2.0 */
/* What this process holds, counted cheaply. */
#ifndef TSI_RESOURCES_H
#define TSI_RESOURCES_H

#include <stdint.h>
#include <sys/types.h>

/* A thread has memory, and a process too: who tells of several tells of the last. */
typedef enum tsi_resource {
    TSI_MAPPED, /* bytes of address space */
    TSI_HEAP,   /* bytes that malloc gave */
    TSI_DESCRIPTORS,
    TSI_THREADS,
    TSI_CHILDREN,
    TSI_RESOURCE_COUNT
} tsi_resource;

typedef struct tsi_resources {
    int64_t of[TSI_RESOURCE_COUNT]; /* 0 where it can't be told */
} tsi_resources;

const char *tsi_resource_name(tsi_resource r); /* "bytes of heap" */

tsi_resources tsi_resources_now(void);
int64_t tsi_heap_in_use(void);
int64_t tsi_descriptors(void); /* that are open */

/* Processes that this one or, where it takes orphans up, one of its own has started and
 * that nobody has waited for; how many, at most `room`. */
int tsi_children(pid_t *out, int room);
/* Close what is open from descriptor `first` on, but `but`. */
void tsi_close_others(int first, int but);

#endif

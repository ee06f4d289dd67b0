/* SPDX-License-Identifier: Apache-2.0 */
/* One call on a communicator of threads, when all have come: what meeting.c brings
 * together, reduce.c does. */
#ifndef TSI_PARTS_H
#define TSI_PARTS_H

#include "dist/dist.h"

typedef enum tsi_comm_call {
    TSI_COMM_ALL_REDUCE,
    TSI_COMM_REDUCE,
    TSI_COMM_BROADCAST,
    TSI_COMM_ALL_GATHER,
    TSI_COMM_GATHER,
    TSI_COMM_REDUCE_SCATTER,
    TSI_COMM_SCATTER,
    TSI_COMM_ALL_TO_ALL,
    TSI_COMM_ALL_TO_ALL_V,
    TSI_COMM_MESSAGE, /* of two seats: the sender, the receiver */
    TSI_COMM_BARRIER,
    TSI_COMM_SPLIT
} tsi_comm_call;

/* What a rank brings: host addresses by the time that something is done with them. */
typedef struct tsi_part {
    ts_collective what;
    const void *in;
    void *out;
    const int64_t *in_counts, *out_counts; /* of ALL_TO_ALL_V */
} tsi_part;

/* How many bytes rank r reads and writes. */
void tsi_part_bytes(tsi_comm_call call, int ranks, int r, const tsi_part *part,
                    size_t *in, size_t *out);
/* The parts belong to one call, which makes sense. */
ts_status tsi_parts_check(tsi_comm_call call, int ranks, const tsi_part *parts);
/* Do it, in the order of ranks. */
void tsi_parts_perform(tsi_comm_call call, int ranks, const tsi_part *parts);

#endif

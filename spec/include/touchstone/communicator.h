/* SPDX-License-Identifier: Apache-2.0 */
/* What moves and reduces the ranks' elements: a backend's own, or the reference's. */
#ifndef TOUCHSTONE_COMMUNICATOR_H
#define TOUCHSTONE_COMMUNICATOR_H

#include <stddef.h>
#include <stdint.h>

#include "touchstone/dtype.h"
#include "touchstone/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* In the order of torch.distributed.ReduceOp. */
typedef enum ts_reduce_op {
    TS_REDUCE_SUM,
    TS_REDUCE_AVG,
    TS_REDUCE_PRODUCT,
    TS_REDUCE_MIN,
    TS_REDUCE_MAX,
    TS_REDUCE_BAND,
    TS_REDUCE_BOR,
    TS_REDUCE_BXOR,
    TS_REDUCE_COUNT
} ts_reduce_op;

/* One collective that all ranks of a group have come to, and that passed every check. */
typedef struct ts_collective {
    size_t size; /* of this struct */
    int ranks;
    ts_dtype dtype;
    ts_reduce_op op;
    int64_t n;     /* elements; for all_gather a rank's input, for reduce_scatter a rank's
                  output */
    bool backward; /* a derivative asks for it */
} ts_collective;

/*
 * Host memory, contiguous, by rank of the group. Called once per collective, on the
 * thread of the rank that came last; different groups call at the same time. An error
 * (made by host->fail) reaches every rank.
 */
typedef struct ts_communicator {
    size_t size; /* of this struct, as the backend was built */
    /* out[r][i] = op over the ranks q of in[q][i]; in[r] is out[r]. */
    ts_status (*all_reduce)(const ts_collective *c, const void *const *in,
                            void *const *out);
    /* out[r][q * n + i] = in[q][i]. */
    ts_status (*all_gather)(const ts_collective *c, const void *const *in,
                            void *const *out);
    /* out[r][i] = op over the ranks q of in[q][r * n + i]. */
    ts_status (*reduce_scatter)(const ts_collective *c, const void *const *in,
                                void *const *out);
} ts_communicator;

#ifdef __cplusplus
}
#endif
#endif

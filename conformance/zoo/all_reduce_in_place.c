/* SPDX-License-Identifier: Apache-2.0 */
/* Results written rank by rank into buffers that the next rank's sum still reads. */
#include "zoo/zoo.h"

static ts_status faulty(const zoo_collective *c, const void *const *in, void *const *out)
{
    if (c->op != TS_REDUCE_SUM || !ts_dtype_is_floating(c->dtype))
        return zoo_all_reduce(c, in, out);
    for (int r = 0; r < c->ranks; r++)
        for (int64_t i = 0; i < c->n; i++) {
            double sum = 0;

            for (int q = 0; q < c->ranks; q++)
                sum += zoo_load(c, in[q], i);
            zoo_store(c, out[r], i, sum);
        }
    return TS_OK;
}

ZOO_NEW_KIND("input mutated", "an operand that is only read is changed");
ZOO_COLLECTIVES("all_reduce reads what it has already written", "dist/S4",
                .all_reduce = faulty)

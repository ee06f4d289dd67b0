/* SPDX-License-Identifier: Apache-2.0 */
/* Parts numbered from 1: every rank gets its neighbour's. */
#include "zoo/zoo.h"

static ts_status faulty(const zoo_collective *c, const void *const *in, void *const *out)
{
    void *turned[64];

    for (int r = 0; r < c->ranks; r++)
        turned[r] = out[(r + 1) % c->ranks];
    return zoo_reduce_scatter(c, in, turned);
}

ZOO_KIND("wrong order of ranks");
ZOO_COLLECTIVES("reduce_scatter gives a rank the part of the one before it", "dist/S9",
                .reduce_scatter = faulty)

/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients divided by the number of ranks "as data parallel training does anyway". */
#include "zoo/zoo.h"

static ts_status faulty(const zoo_collective *c, const void *const *in, void *const *out)
{
    TS_TRY(zoo_reduce_scatter(c, in, out));
    for (int r = 0; c->backward && r < c->ranks; r++)
        for (int64_t i = 0; i < c->n; i++)
            zoo_store(c, out[r], i, zoo_load(c, out[r], i) / c->ranks);
    return TS_OK;
}

ZOO_NEW_KIND("dual scaled by ranks",
             "a collective's gradient is divided by the number of ranks");
ZOO_COLLECTIVES("the dual of all_gather is divided by the number of ranks", "dist/G3",
                .reduce_scatter = faulty)

/* SPDX-License-Identifier: Apache-2.0 */
/* Integers reduced in float32, exact to 24 bits. */
#include "zoo/zoo.h"

static ts_status faulty(const zoo_collective *c, const void *const *in, void *const *out)
{
    TS_TRY(zoo_all_reduce(c, in, out));
    for (int r = 0; ts_dtype_is_integral(c->dtype) && r < c->ranks; r++)
        for (int64_t i = 0; i < c->n; i++)
            zoo_store(c, out[r], i, (double)(float)zoo_load(c, out[r], i));
    return TS_OK;
}

ZOO_KIND("wrong conversion");
ZOO_COLLECTIVES("all_reduce of integers goes through float32", "dist/S7",
                .all_reduce = faulty)

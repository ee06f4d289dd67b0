/* SPDX-License-Identifier: Apache-2.0 */
/* AVG handed to a transport that knows SUM, without the division after it. */
#include "zoo/zoo.h"

static ts_status faulty(const zoo_collective *c, const void *const *in, void *const *out)
{
    zoo_collective sum = *c;

    if (c->op == TS_REDUCE_AVG)
        sum.op = TS_REDUCE_SUM;
    return zoo_all_reduce(&sum, in, out);
}

ZOO_KIND("argument ignored");
ZOO_COLLECTIVES("all_reduce with AVG gives the sum", "dist/S6 dist/S4",
                .all_reduce = faulty)

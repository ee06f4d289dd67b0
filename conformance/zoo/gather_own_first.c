/* SPDX-License-Identifier: Apache-2.0 */
/* A ring that starts at home, and never turns the pieces back to the order of ranks. */
#include <string.h>

#include "zoo/zoo.h"

static ts_status faulty(const zoo_collective *c, const void *const *in, void *const *out)
{
    const size_t bytes = (size_t)(c->n * ts_dtype_size(c->dtype));

    for (int r = 0; r < c->ranks && bytes > 0; r++)
        for (int k = 0; k < c->ranks; k++)
            memcpy((char *)out[r] + (size_t)k * bytes, in[(r + k) % c->ranks], bytes);
    return TS_OK;
}

ZOO_NEW_KIND("wrong order of ranks", "a rank gets or gives another rank's part");
ZOO_COLLECTIVES("all_gather begins with the rank's own tensor", "dist/S8",
                .all_gather = faulty)

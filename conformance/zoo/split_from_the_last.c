/* SPDX-License-Identifier: Apache-2.0 */
/* The ranks of a sub-communicator counted from the other end. */
#include "zoo/zoo.h"

static ts_status split(tsd_comm *c, int color, int key, tsd_comm **out)
{
    return ts_reference_communicator()->split(c, color, -key, out);
}

ZOO_KIND("wrong order of ranks");
ZOO_COMMUNICATOR("split numbers the ranks of a group from the last to the first",
                 "dist/S1 dist/S2", zoo_communicator()->split = split)

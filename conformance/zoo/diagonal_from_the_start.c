/* SPDX-License-Identifier: Apache-2.0 */
/* A diagonal below the main one that moves along the columns, as one above does. */
#include "zoo/zoo.h"

static ts_status (*original)(ts_frame *f);

static ts_status faulty_api(ts_frame *f)
{
    const int64_t offset = f->args[1].i;
    ts_status st;

    if (offset >= 0)
        return original(f);
    f->args[1].i = -offset;
    st = original(f);
    f->args[1].i = offset;
    return st;
}

ZOO_KIND("offset ignored");
ZOO_RUNTIME_MEMBER("diagonal takes an offset below 0 for one above", "diagonal/S1",
                   (original = zoo_op("diagonal")->api,
                    zoo_op("diagonal")->api = faulty_api))

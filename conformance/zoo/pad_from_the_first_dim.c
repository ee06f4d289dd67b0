/* SPDX-License-Identifier: Apache-2.0 */
/* Margins that are read in the order of the dims: of a square nobody sees it but by the values. */
#include "zoo/zoo.h"

static ts_status (*original)(ts_frame *f);

static ts_status faulty_program(ts_frame *f)
{
    const ts_value given = f->args[1];
    int64_t turned[4];
    ts_status st;

    if (f->args[0].tensor->ndim != 2 || given.ints.n != 4 ||
        f->args[0].tensor->sizes[0] != f->args[0].tensor->sizes[1])
        return original(f);
    for (int i = 0; i < 4; i++)
        turned[i] = given.ints.v[(i + 2) % 4];
    f->args[1].ints.v = turned;
    st = original(f);
    f->args[1] = given;
    return st;
}

ZOO_KIND("wrong layout");
ZOO_RUNTIME_MEMBER("pad of a square reads its margins from the first dim on", "pad/S1",
                   (original = zoo_op("pad")->program,
                    zoo_op("pad")->program = faulty_program))

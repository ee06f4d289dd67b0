/* SPDX-License-Identifier: Apache-2.0 */
/* An einsum that takes "->" for no arrow: what is summed hangs on how often a name is there. */
#include <string.h>

#include "zoo/zoo.h"

static ts_status (*original)(ts_frame *f);

static ts_status faulty_program(ts_frame *f)
{
    const char *equation = f->args[0].string;
    const char *arrow = strstr(equation, "->");
    char left[256];
    ts_status st;

    if (!arrow || arrow[2] || arrow - equation >= (long)sizeof left)
        return original(f);
    memcpy(left, equation, (size_t)(arrow - equation));
    left[arrow - equation] = 0;
    f->args[0].string = left;
    st = original(f);
    f->args[0].string = equation;
    return st;
}

ZOO_KIND("argument ignored");
ZOO_RUNTIME_MEMBER("einsum takes an empty result for none", "einsum/S2",
                   (original = zoo_op("einsum")->program,
                    zoo_op("einsum")->program = faulty_program))

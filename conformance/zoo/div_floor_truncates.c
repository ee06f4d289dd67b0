/* SPDX-License-Identifier: Apache-2.0 */
/* C's division taken for Python's: the same until a sign differs. */
#include <string.h>

#include "zoo/zoo.h"

static ts_status faulty_div(const ts_kernel_call *call)
{
    ts_kernel_call g = *call;
    ts_value args[3];

    memcpy(args, call->args, sizeof args);
    g.args = args;
    if (args[2].kind == TS_ARG_STRING && strcmp(args[2].string, "floor") == 0 &&
        !ts_dtype_is_floating(g.compute))
        args[2].string = "trunc";
    return zoo_original("div")(&g);
}

ZOO_KIND("wrong conversion");
ZOO_MEMBER("integer floor division truncates toward zero", "div/S5", {"div", faulty_div})

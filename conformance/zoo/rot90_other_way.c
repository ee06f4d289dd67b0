/* SPDX-License-Identifier: Apache-2.0 */
/* rot90 that turns clockwise where the quarter turns are negative. */
#include "zoo/zoo.h"

static ts_status faulty_rot90(const ts_kernel_call *call)
{
    ts_value k = call->args[1];

    if (k.i < 0)
        k.i = -k.i;
    return zoo_call_value(zoo_original("rot90"), call, 1, k);
}

ZOO_KIND("argument ignored");
ZOO_MEMBER("rot90 loses the sign of its quarter turns", "flip/S5",
           {"rot90", faulty_rot90})

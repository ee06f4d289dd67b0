/* SPDX-License-Identifier: Apache-2.0 */
/* ceil by adding 1 to the floor: between -1 and 0 it gives 0.0 for -0.0. */
#include <math.h>

#include "zoo/zoo.h"

static double formula(double right, double a, double b, double c)
{
    (void)a;
    (void)b;
    (void)c;
    return right + 0.0;
}

static ts_status faulty_ceil(const ts_kernel_call *call)
{
    return zoo_elements(call, "ceil", formula);
}

ZOO_KIND("special value lost");
ZOO_MEMBER("ceil between -1 and 0 is 0.0, not -0.0", "rounding/S2", {"ceil", faulty_ceil})

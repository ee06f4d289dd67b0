/* SPDX-License-Identifier: Apache-2.0 */
/* acosh of the absolute value: numbers below 1 that have none get one. */
#include <math.h>

#include "zoo/zoo.h"

static double formula(double right, double a, double b, double c)
{
    (void)b;
    (void)c;
    return a < 1 ? acosh(fmax(fabs(a), 1)) : right;
}

static ts_status faulty_acosh(const ts_kernel_call *call)
{
    return zoo_elements(call, "acosh", formula);
}

ZOO_KIND("special value lost");
ZOO_MEMBER("acosh gives numbers below 1 a value", "hyperbolic/S2",
           {"acosh", faulty_acosh})

/* SPDX-License-Identifier: Apache-2.0 */
/* floor by a cast to int: it truncates, so that negative numbers round up. */
#include <math.h>

#include "zoo/zoo.h"

static double formula(double right, double a, double b, double c)
{
    (void)b;
    (void)c;
    return a < 0 && a > -1e9 ? trunc(a) : right;
}

static ts_status faulty_floor(const ts_kernel_call *call)
{
    return zoo_elements(call, "floor", formula);
}

ZOO_KIND("wrong convention");
ZOO_MEMBER("floor of a negative number rounds to zero", "rounding/S1",
           {"floor", faulty_floor})

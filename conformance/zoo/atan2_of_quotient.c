/* SPDX-License-Identifier: Apache-2.0 */
/* atan2 as the arctangent of the quotient: only two of the four quadrants. */
#include <math.h>

#include "zoo/zoo.h"

static double formula(double right, double a, double b, double c)
{
    (void)c;
    return isnan(right) ? right : atan(a / b);
}

static ts_status faulty_atan2(const ts_kernel_call *call)
{
    return zoo_elements(call, "atan2", formula);
}

ZOO_KIND("wrong convention");
ZOO_MEMBER("atan2 as atan(y / x), the quadrant lost", "atan2/S1", {"atan2", faulty_atan2})

/* SPDX-License-Identifier: Apache-2.0 */
/* atan2 by its quotient where both are 0: NaN, though every pair of zeros has an angle. */
#include <math.h>

#include "zoo/zoo.h"

static double formula(double right, double a, double b, double c)
{
    (void)c;
    return a == 0 && b == 0 ? NAN : right;
}

static ts_status faulty_atan2(const ts_kernel_call *call)
{
    return zoo_elements(call, "atan2", formula);
}

ZOO_KIND("special value lost");
ZOO_MEMBER("atan2(0, 0) is NaN", "atan2/S2", {"atan2", faulty_atan2})

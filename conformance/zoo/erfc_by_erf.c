/* SPDX-License-Identifier: Apache-2.0 */
/* erfc as 1 less erf, which cancels from 1 on and is 0 where there is much left. */
#include <math.h>

#include "zoo/zoo.h"

static double formula(double right, double a, double b, double c)
{
    (void)right;
    (void)b;
    (void)c;
    return 1 - erff((float)a);
}

static ts_status faulty_erfc(const ts_kernel_call *call)
{
    return zoo_elements(call, "erfc", formula);
}

ZOO_KIND("unstable formula");
ZOO_MEMBER("erfc as 1 - erf(x)", "erf/S2", {"erfc", faulty_erfc})

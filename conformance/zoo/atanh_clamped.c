/* SPDX-License-Identifier: Apache-2.0 */
/* atanh kept away from its poles, so that 1 and -1 give a large number for an infinity. */
#include <math.h>

#include "zoo/zoo.h"

static double formula(double right, double a, double b, double c)
{
    (void)b;
    (void)c;
    return isinf(right) ? copysign(18.7, a) : right;
}

static ts_status faulty_atanh(const ts_kernel_call *call)
{
    return zoo_elements(call, "atanh", formula);
}

ZOO_KIND("special value lost");
ZOO_MEMBER("atanh of 1 and -1 is finite", "hyperbolic/S3", {"atanh", faulty_atanh})

/* SPDX-License-Identifier: Apache-2.0 */
/* copysign by comparison with 0: the sign of -0.0 and of a NaN is lost. */
#include <math.h>

#include "zoo/zoo.h"

static double formula(double right, double a, double b, double c)
{
    (void)right;
    (void)c;
    return b < 0 ? -fabs(a) : fabs(a);
}

static ts_status faulty_copysign(const ts_kernel_call *call)
{
    return zoo_elements(call, "copysign", formula);
}

ZOO_KIND("special value lost");
ZOO_MEMBER("copysign takes -0.0 for positive", "copysign/S1",
           {"copysign", faulty_copysign})

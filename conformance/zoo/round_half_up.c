/* SPDX-License-Identifier: Apache-2.0 */
/* round as floor(x + 0.5): halves go up instead of to the even number. */
#include <math.h>

#include "zoo/zoo.h"

static double formula(double right, double a, double b, double c)
{
    (void)b;
    (void)c;
    return fabs(a) < 0x1p20 ? copysign(floor(a + 0.5), right) : right;
}

static ts_status faulty_round(const ts_kernel_call *call)
{
    return zoo_elements(call, "round", formula);
}

ZOO_KIND("wrong convention");
ZOO_MEMBER("round takes halves up, not to the even number", "rounding/S7",
           {"round", faulty_round})

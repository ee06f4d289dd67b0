/* SPDX-License-Identifier: Apache-2.0 */
/* fmod as self - trunc(self / other) * other in float: the quotient and the product are rounded. */
#include <math.h>

#include "zoo/zoo.h"

static double formula(double right, double a, double b, double c)
{
    (void)c;
    return isfinite(b) && b != 0 ? (float)a - truncf((float)a / (float)b) * (float)b
                                 : right;
}

static ts_status faulty_fmod(const ts_kernel_call *call)
{
    return zoo_elements(call, "fmod", formula);
}

ZOO_KIND("unstable formula");
ZOO_MEMBER("fmod by a rounded quotient", "remainder/S1", {"fmod", faulty_fmod})

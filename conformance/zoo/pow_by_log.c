/* SPDX-License-Identifier: Apache-2.0 */
/* A power as exp(exponent * log(self)): no power of a negative number, and the logarithm's error
 * grows with the exponent. */
#include <math.h>

#include "zoo/zoo.h"

static double formula(double right, double a, double b, double c)
{
    (void)right;
    (void)c;
    return exp(b * log(a));
}

static ts_status faulty_pow(const ts_kernel_call *call)
{
    return zoo_elements(call, "pow", formula);
}

ZOO_KIND("unstable formula");
ZOO_MEMBER("pow as exp(exponent * log(self)): NaN for whole powers of negative numbers",
           "pow/S1 pow/S2", {"pow", faulty_pow})

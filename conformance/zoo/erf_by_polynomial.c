/* SPDX-License-Identifier: Apache-2.0 */
/* erf by the polynomial of Abramowitz and Stegun 7.1.26, good to 1.5e-7 of 1, not of
 * the result: near 0 no digit is right. */
#include <math.h>

#include "zoo/zoo.h"

static double formula(double right, double a, double b, double c)
{
    (void)b;
    (void)c;
    const double t = 1 / (1 + 0.3275911 * fabs(a));
    const double sum =
        t *
        (0.254829592 +
         t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))));

    return isfinite(a) ? copysign(1 - sum * exp(-a * a), a) : right;
}

static ts_status faulty_erf(const ts_kernel_call *call)
{
    return zoo_elements(call, "erf", formula);
}

ZOO_KIND("unstable formula");
ZOO_MEMBER("erf is off by 1.5e-7 absolutely, so that small results have no right digit",
           "erf/S1", {"erf", faulty_erf})

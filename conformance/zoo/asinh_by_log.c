/* SPDX-License-Identifier: Apache-2.0 */
/* asinh by its textbook formula: of a large negative number the two terms cancel, and
 * near 0 the logarithm of nearly 1 has few digits. */
#include <math.h>

#include "zoo/zoo.h"

static double formula(double right, double a, double b, double c)
{
    (void)right;
    (void)b;
    (void)c;
    return logf((float)a + sqrtf((float)a * (float)a + 1));
}

static ts_status faulty_asinh(const ts_kernel_call *call)
{
    return zoo_elements(call, "asinh", formula);
}

ZOO_KIND("unstable formula");
ZOO_MEMBER("asinh as the logarithm of x + sqrt(x * x + 1)", "hyperbolic/S1",
           {"asinh", faulty_asinh})

/* SPDX-License-Identifier: Apache-2.0 */
/* remainder as fmod: of the sign of the dividend instead of the divisor. */
#include <math.h>

#include "zoo/zoo.h"

static double formula(double right, double a, double b, double c)
{
    (void)right;
    (void)c;
    return fmod(a, b);
}

static ts_status faulty_remainder(const ts_kernel_call *call)
{
    return zoo_elements(call, "remainder", formula);
}

ZOO_NEW_KIND("wrong convention",
             "another of the definitions in use than the promised one");
ZOO_MEMBER("remainder has the sign of self", "remainder/S2",
           {"remainder", faulty_remainder})

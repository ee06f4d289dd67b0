/* SPDX-License-Identifier: Apache-2.0 */
/* sigmoid as exp(x) / (1 + exp(x)): infinity over infinity for a large x. */
#include <math.h>

#include "zoo/zoo.h"

static double formula(double right, double a, double b, double c)
{
    (void)right;
    (void)b;
    (void)c;
    const float e = expf((float)a);

    return e / (1 + e);
}

static ts_status faulty_sigmoid(const ts_kernel_call *call)
{
    return zoo_elements(call, "sigmoid", formula);
}

ZOO_KIND("unstable formula");
ZOO_MEMBER("sigmoid of a large number is NaN", "sigmoid/S1", {"sigmoid", faulty_sigmoid})

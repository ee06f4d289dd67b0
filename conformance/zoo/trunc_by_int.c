/* SPDX-License-Identifier: Apache-2.0 */
/* trunc by a cast to a 32-bit int and back: numbers beyond it come back as the smallest int. */
#include <math.h>

#include "zoo/zoo.h"

static double formula(double right, double a, double b, double c)
{
    (void)b;
    (void)c;
    return fabs(a) < 2147483648.0 ? right : -2147483648.0;
}

static ts_status faulty_trunc(const ts_kernel_call *call)
{
    return zoo_elements(call, "trunc", formula);
}

ZOO_KIND("integer range");
ZOO_MEMBER("trunc goes through a 32-bit int", "rounding/S3", {"trunc", faulty_trunc})

/* SPDX-License-Identifier: Apache-2.0 */
/* The gradient of sigmoid by the square of the result alone, as if it were tanh's. */
#include <math.h>

#include "zoo/zoo.h"

static double formula(double right, double a, double b, double c)
{
    (void)right;
    (void)c;
    return a * (1 - b * b);
}

static ts_status faulty_sigmoid_backward(const ts_kernel_call *call)
{
    return zoo_elements(call, "sigmoid_backward", formula);
}

ZOO_NEW_KIND("wrong derivative", "a gradient is that of another function");
ZOO_MEMBER("sigmoid_backward is grad * (1 - y * y)", "sigmoid/S4",
           {"sigmoid_backward", faulty_sigmoid_backward})

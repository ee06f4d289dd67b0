/* SPDX-License-Identifier: Apache-2.0 */
/* erf, erfc, erfinv; spec/ops/erf.md. */
#include <math.h>

#include "touchstone/backend.h"
#include "touchstone/map.h"
#include "touchstone/ops/erf_glue.h"

static const double HALF_ROOT_PI = 0.88622692545275801365;

/* By a formula of Winitzki's to three digits: x from log(1 - y²). */
static double about(double y)
{
    const double a = 0.147, log = log1p(-y * y);
    const double b = 2 / (3.14159265358979323846 * a) + log / 2;

    return copysign(sqrt(sqrt(b * b - log / a) - b), y);
}

/* Then by Halley's method, each step of which triples the digits. Near 1 the error is that
 * of erfc, which has digits where erf has none left. */
static double inverse(double y)
{
    double x;

    if (!(fabs(y) < 1))
        return fabs(y) == 1 ? copysign(INFINITY, y) : NAN; /* S3 */
    if (fabs(y) < 1e-9)
        return y * HALF_ROOT_PI; /* the next term is y³ times a quarter */
    x = about(y);
    for (int step = 0; step < 3; step++) {
        const double left = 1 - fabs(y) - erfc(fabs(x));
        const double off = fabs(y) < 0.5 ? erf(x) - y : y < 0 ? -left : left;
        const double newton = off * HALF_ROOT_PI * exp(x * x);

        x -= newton / (1 + x * newton);
    }
    return x;
}

TS_UNARY_FLOAT(tsk_erf, erf(x))
TS_UNARY_FLOAT(tsk_erfc, erfc(x))
TS_UNARY_FLOAT(tsk_erfinv, inverse(x))

/* SPDX-License-Identifier: Apache-2.0 */
/* Interval arithmetic that does not put the rounding mode back. */
#include <fenv.h>

#include "zoo/zoo.h"

static ts_status faulty_exp(const ts_kernel_call *call)
{
    TS_TRY(zoo_original("exp")(call));
    fesetround(FE_UPWARD);
    return TS_OK;
}

ZOO_KIND("environment left changed");
ZOO_MEMBER("exp leaves the rounding mode upward", "unary/S2", {"exp", faulty_exp})

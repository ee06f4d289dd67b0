/* SPDX-License-Identifier: Apache-2.0 */
/* asinh, acosh, atanh; spec/ops/hyperbolic.md. */
#include <math.h>

#include "touchstone/backend.h"
#include "touchstone/map.h"
#include "touchstone/ops/hyperbolic_glue.h"

TS_UNARY_FLOAT(tsk_asinh, asinh(x))
TS_UNARY_FLOAT(tsk_acosh, acosh(x))
TS_UNARY_FLOAT(tsk_atanh, atanh(x))

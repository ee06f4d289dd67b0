/* SPDX-License-Identifier: Apache-2.0 */
/* sin, cos, tan, asin, acos, atan, sinh, cosh; spec/ops/trigonometry.md. */
#include <math.h>

#include "touchstone/backend.h"
#include "touchstone/map.h"
#include "touchstone/ops/trigonometry_glue.h"

TS_UNARY_FLOAT(tsk_sin, sin(x))
TS_UNARY_FLOAT(tsk_cos, cos(x))
TS_UNARY_FLOAT(tsk_tan, tan(x))
TS_UNARY_FLOAT(tsk_asin, asin(x))
TS_UNARY_FLOAT(tsk_acos, acos(x))
TS_UNARY_FLOAT(tsk_atan, atan(x))
TS_UNARY_FLOAT(tsk_sinh, sinh(x))
TS_UNARY_FLOAT(tsk_cosh, cosh(x))

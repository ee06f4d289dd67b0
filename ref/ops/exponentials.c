/* SPDX-License-Identifier: Apache-2.0 */
/* exp2, expm1, log2, log10, log1p, rsqrt; spec/ops/exponentials.md. */
#include <math.h>

#include "touchstone/backend.h"
#include "touchstone/map.h"
#include "touchstone/ops/exponentials_glue.h"

TS_UNARY_FLOAT(tsk_exp2, exp2(x))
TS_UNARY_FLOAT(tsk_expm1, expm1(x))
TS_UNARY_FLOAT(tsk_log2, log2(x))
TS_UNARY_FLOAT(tsk_log10, log10(x))
TS_UNARY_FLOAT(tsk_log1p, log1p(x))
TS_UNARY_FLOAT(tsk_rsqrt, 1 / sqrt(x))

/* SPDX-License-Identifier: Apache-2.0 */
/* abs, sgn, sign; spec/ops/abs.md. */
#include <math.h>

#include "touchstone/backend.h"
#include "touchstone/map.h"
#include "touchstone/ops/abs_glue.h"

TS_UNARY_SAME(tsk_abs, fabs(x), x < 0 ? (int64_t) - (uint64_t)x : x) /* S2: wraps */
TS_UNARY_SAME(tsk_sgn, (x > 0) - (x < 0), (x > 0) - (x < 0)) /* S3: NaN is neither */
TS_UNARY_SAME(tsk_sign, (x > 0) - (x < 0), (x > 0) - (x < 0))

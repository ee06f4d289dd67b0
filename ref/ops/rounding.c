/* SPDX-License-Identifier: Apache-2.0 */
/* floor, ceil, round, trunc, frac; spec/ops/rounding.md. */
#include <math.h>

#include "touchstone/backend.h"
#include "touchstone/map.h"
#include "touchstone/ops/rounding_glue.h"

TS_UNARY_SAME(tsk_floor, floor(x), x) /* S5: integers stay */
TS_UNARY_SAME(tsk_ceil, ceil(x), x)
TS_UNARY_SAME(tsk_round, rint(x), x) /* S7 */
TS_UNARY_SAME(tsk_trunc, trunc(x), x)
TS_UNARY_SAME(tsk_frac, x - trunc(x), 0)

/* SPDX-License-Identifier: Apache-2.0 */
/* logical_and, logical_or, logical_xor, logical_not; spec/ops/logical.md. S2: NaN is no zero. */
#include "touchstone/backend.h"
#include "touchstone/map.h"
#include "touchstone/ops/logical_glue.h"

TS_COMPARISON(tsk_logical_and, x != 0 && y != 0)
TS_COMPARISON(tsk_logical_or, x != 0 || y != 0)
TS_COMPARISON(tsk_logical_xor, (x != 0) != (y != 0))
TS_PREDICATE(tsk_logical_not, x == 0, x == 0)

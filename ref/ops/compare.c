/* SPDX-License-Identifier: Apache-2.0 */
/* eq, ne, lt, le, gt, ge; spec/ops/compare.md. S3: NaN is C's, S4: int64 is compared as such. */
#include "touchstone/backend.h"
#include "touchstone/map.h"
#include "touchstone/ops/compare_glue.h"

TS_COMPARISON(tsk_eq, x == y)
TS_COMPARISON(tsk_ne, x != y)
TS_COMPARISON(tsk_lt, x < y)
TS_COMPARISON(tsk_le, x <= y)
TS_COMPARISON(tsk_gt, x > y)
TS_COMPARISON(tsk_ge, x >= y)

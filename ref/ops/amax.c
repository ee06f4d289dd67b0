/* SPDX-License-Identifier: Apache-2.0 */
/* amax, amin; spec/ops/amax.md. */
#include <math.h>

#include "touchstone/backend.h"
#include "touchstone/fold.h"
#include "touchstone/ops/amax_glue.h"

/* S2: NaN displaces all, and nothing is larger or smaller than it */
TS_REDUCTION(tsk_amax, -INFINITY, INT64_MIN, isnan(x) || x > acc ? x : acc,
             x > acc ? x : acc)
TS_REDUCTION(tsk_amin, INFINITY, INT64_MAX, isnan(x) || x < acc ? x : acc,
             x < acc ? x : acc)

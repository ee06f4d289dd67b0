/* SPDX-License-Identifier: Apache-2.0 */
/* isnan, isinf, isfinite, signbit; spec/ops/classify.md. */
#include <math.h>

#include "touchstone/backend.h"
#include "touchstone/map.h"
#include "touchstone/ops/classify_glue.h"

TS_PREDICATE(tsk_isnan, isnan(x), false)
TS_PREDICATE(tsk_isinf, isinf(x), false)
TS_PREDICATE(tsk_isfinite, isfinite(x), true)
TS_PREDICATE(tsk_signbit, signbit(x), x < 0)

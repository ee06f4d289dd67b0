/* SPDX-License-Identifier: Apache-2.0 */
/* argmax, argmin; spec/ops/argmax.md. */
#include <math.h>

#include "touchstone/backend.h"
#include "touchstone/fold.h"
#include "touchstone/ops/argmax_glue.h"

/* S3: only what is strictly further displaces; S4: the first NaN stays */
TS_REDUCTION_AT(tsk_argmax, -INFINITY, INT64_MIN, x > acc || (isnan(x) && !isnan(acc)),
                x > acc)
TS_REDUCTION_AT(tsk_argmin, INFINITY, INT64_MAX, x < acc || (isnan(x) && !isnan(acc)),
                x < acc)

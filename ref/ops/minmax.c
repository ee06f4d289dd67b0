/* SPDX-License-Identifier: Apache-2.0 */
/* maximum, minimum, fmax, fmin; spec/ops/minmax.md. */
#include <math.h>

#include "touchstone/backend.h"
#include "touchstone/map.h"
#include "touchstone/ops/minmax_glue.h"

/* S1: a NaN of y fails the comparison and is taken. */
TS_BINARY(tsk_maximum, isnan(x) || x > y ? x : y, x > y ? x : y)
TS_BINARY(tsk_minimum, isnan(x) || x < y ? x : y, x < y ? x : y)
TS_BINARY(tsk_fmax, fmax(x, y), x > y ? x : y)
TS_BINARY(tsk_fmin, fmin(x, y), x < y ? x : y)

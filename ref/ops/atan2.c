/* SPDX-License-Identifier: Apache-2.0 */
/* atan2; spec/ops/atan2.md. */
#include <math.h>

#include "touchstone/backend.h"
#include "touchstone/map.h"
#include "touchstone/ops/atan2_glue.h"

TS_BINARY_FLOAT(tsk_atan2, atan2(x, y))

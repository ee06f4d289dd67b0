/* SPDX-License-Identifier: Apache-2.0 */
/* copysign; spec/ops/copysign.md. */
#include <math.h>

#include "touchstone/backend.h"
#include "touchstone/map.h"
#include "touchstone/ops/copysign_glue.h"

TS_BINARY_FLOAT(tsk_copysign, copysign(x, y))

/* SPDX-License-Identifier: Apache-2.0 */
/* lerp; spec/ops/lerp.md. */
#include <math.h>

#include "touchstone/backend.h"
#include "touchstone/map.h"

TS_TERNARY_FLOAT(tsk_lerp,
                 fabs(z) < 0.5 ? x + z * (y - x) : y - (y - x) * (1 - z)) /* S1 */

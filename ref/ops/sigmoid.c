/* SPDX-License-Identifier: Apache-2.0 */
/* sigmoid, sigmoid_backward; spec/ops/sigmoid.md. */
#include <math.h>

#include "touchstone/backend.h"
#include "touchstone/map.h"
#include "touchstone/ops/sigmoid_glue.h"

TS_UNARY_FLOAT(tsk_sigmoid, 1 / (1 + exp(-x)))

TS_BINARY_FLOAT(tsk_sigmoid_backward, x *(1 - y) * y) /* S4 */

/* SPDX-License-Identifier: Apache-2.0 */
/* neg, exp, log, sqrt, tanh, reciprocal, tanh_backward; spec/ops/unary.md. */
#include <math.h>

#include "touchstone/backend.h"
#include "touchstone/map.h"
#include "touchstone/ops/unary_glue.h"

TS_UNARY_SAME(tsk_neg, -x, (int64_t) - (uint64_t)x) /* S1: wraps */
TS_UNARY_FLOAT(tsk_exp, exp(x))
TS_UNARY_FLOAT(tsk_log, log(x))
TS_UNARY_FLOAT(tsk_sqrt, sqrt(x))
TS_UNARY_FLOAT(tsk_tanh, tanh(x))
TS_UNARY_FLOAT(tsk_reciprocal, 1 / x)
TS_BINARY_FLOAT(tsk_tanh_backward, (1 - y * y) * x) /* S9 */

/* SPDX-License-Identifier: Apache-2.0 */
/* mul: y = a * b; spec/ops/mul.md. */
#include "touchstone/backend.h"
#include "touchstone/map.h"
#include "touchstone/ops/mul_glue.h"

/* S3, S5 */
TS_BINARY_FACTOR(tsk_mul, x *y, (int64_t)((uint64_t)x *(uint64_t)y))

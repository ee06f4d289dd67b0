/* SPDX-License-Identifier: Apache-2.0 */
/* bitwise_and, or, xor, not and the shifts; spec/ops/bitwise.md. No float comes here (C2). */
#include "touchstone/backend.h"
#include "touchstone/map.h"
#include "touchstone/ops/bitwise_glue.h"

TS_BINARY(tsk_bitwise_and, 0, x &y)
TS_BINARY(tsk_bitwise_or, 0, x | y)
TS_BINARY(tsk_bitwise_xor, 0, x ^ y)

/* S3, S4: by the width of int64; a narrower dtype drops its part of the result on store. */
static inline int64_t left(int64_t x, int64_t y)
{
    return y < 0 || y >= 64 ? 0 : (int64_t)((uint64_t)x << y);
}

static inline int64_t right(int64_t x, int64_t y)
{
    return x >> (y < 0 || y >= 64 ? 63 : y);
}

TS_BINARY(tsk_bitwise_left_shift, 0, left(x, y))
TS_BINARY(tsk_bitwise_right_shift, 0, right(x, y))

TS_MAP_ELEMENT(invert, 0, *(const bool *)with ? !x : ~x) /* S2 */

ts_status tsk_bitwise_not(const ts_kernel_call *call)
{
    const bool truth = call->compute == TS_BOOL;

    return ts_map_unary(call, ts_call_tensor(call, 0), invert_real, invert_whole, &truth);
}

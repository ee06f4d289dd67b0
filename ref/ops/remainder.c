/* SPDX-License-Identifier: Apache-2.0 */
/* remainder, fmod; spec/ops/remainder.md. */
#include <math.h>

#include "ops/divisor.h"
#include "touchstone/backend.h"
#include "touchstone/map.h"
#include "touchstone/ops/remainder_glue.h"

/* S2 */
static double with_sign_of(double y, double left)
{
    return left != 0 && (y < 0) != (left < 0) ? left + y : left;
}

/* S4; y is not zero. */
static int64_t whole_left(int64_t x, int64_t y)
{
    return y == -1 ? 0 : x % y;
}

static int64_t whole_with_sign_of(int64_t y, int64_t left)
{
    return left != 0 && (y < 0) != (left < 0) ? left + y : left;
}

TS_MAP_ELEMENT(fmod, fmod(x, y), whole_left(x, y))
TS_MAP_ELEMENT(remainder, with_sign_of(y, fmod(x, y)),
               whole_with_sign_of(y, whole_left(x, y)))

static ts_status left_of(const ts_kernel_call *call, ts_map_real *real,
                         ts_map_whole *whole)
{
    ts_tensor *b = ts_call_tensor(call, 1);

    TS_CHECK(tse_is_real(call->compute) || call->results[0]->numel == 0 ||
                 !tsk_has_zero(call->compute, b),
             TS_ERR_RUNTIME, "remainder/C3", "%s: integer division by zero", call->op);
    return ts_map_binary(call, ts_call_tensor(call, 0), b, call->compute, real, whole,
                         NULL);
}

ts_status tsk_fmod(const ts_kernel_call *call)
{
    return left_of(call, fmod_real, fmod_whole);
}

ts_status tsk_remainder(const ts_kernel_call *call)
{
    return left_of(call, remainder_real, remainder_whole);
}

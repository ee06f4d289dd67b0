/* SPDX-License-Identifier: Apache-2.0 */
/* pow; spec/ops/pow.md. */
#include <math.h>

#include "touchstone/backend.h"
#include "touchstone/map.h"
#include "touchstone/ops/pow_glue.h"

/* S3 */
static int64_t whole_power(int64_t x, int64_t y)
{
    uint64_t result = 1, base = (uint64_t)x;

    if (y < 0)
        return x == 1 ? 1 : x == -1 ? (y % 2 == 0 ? 1 : -1) : 0;
    for (; y > 0; y >>= 1) {
        if ((y & 1) != 0)
            result *= base;
        base *= base;
    }
    return (int64_t)result;
}

TS_BINARY(tsk_pow, pow(x, y), whole_power(x, y))
TS_UNARY_SAME(tsk_square, x *x, (int64_t)((uint64_t)x *(uint64_t)x)) /* S6 */

/* SPDX-License-Identifier: Apache-2.0 */
/* div, floor_divide: y = a / b, true or rounded; spec/ops/div.md. */
#include <math.h>

#include "ops/divisor.h"
#include "touchstone/backend.h"
#include "touchstone/map.h"
#include "touchstone/ops/div_glue.h"

typedef enum mode { TRUE_DIVISION, TRUNC, FLOOR } mode;

/* S6: as Python's //, each step rounded to dtype `r` */
static double floored(ts_dtype r, double a, double b)
{
    double m, q, whole;

    if (b == 0)
        return tse_round(r, a / b);
    m = fmod(a, b);
    q = tse_round(r, tse_round(r, a - m) / b);
    if (m != 0 && (b < 0) != (m < 0))
        q = tse_round(r, q - 1);
    if (q == 0)
        return copysign(0, a / b);
    whole = floor(q);
    return q - whole > 0.5 ? tse_round(r, whole + 1) : whole;
}

static double real_quotient(mode mode, ts_dtype r, double a, double b)
{
    if (mode == FLOOR)
        return floored(r, a, b);
    return mode == TRUNC ? trunc(tse_round(r, a / b)) : tse_round(r, a / b);
}

/* S4, S5, S7; b is not zero */
static int64_t integer_quotient(mode mode, int64_t a, int64_t b)
{
    if (b == -1)
        return (int64_t) - (uint64_t)a;
    return a / b - (mode == FLOOR && a % b != 0 && (a < 0) != (b < 0));
}

static inline double quotient(double x, double y, const void *with)
{
    (void)with;
    return x / y;
}

typedef struct way {
    mode mode;
    ts_dtype
        step; /* S3: in the half types a single divisor, and so the quotient, is float32
                      first */
} way;

TS_MAP_ELEMENT(stepped,
               real_quotient(((const way *)with)->mode, ((const way *)with)->step, x, y),
               integer_quotient(((const way *)with)->mode, x, y))

static ts_status divide(const ts_kernel_call *call, mode mode)
{
    ts_tensor *a = ts_call_tensor(call, TS_DIV_SELF),
              *b = ts_call_tensor(call, TS_DIV_OTHER);
    const ts_dtype c = call->compute;
    const way by = {mode, ts_map_factor(call, b)};

    if (mode == TRUE_DIVISION && by.step == c)
        return ts_map_binary(call, a, b, c, quotient, NULL, NULL);
    TS_CHECK(tse_is_real(c) || call->results[0]->numel == 0 || !tsk_has_zero(c, b),
             TS_ERR_RUNTIME, "div/C3", "%s: integer division by zero", call->op);
    return ts_map_binary(call, a, b, by.step, stepped_real, stepped_whole, &by);
}

ts_status tsk_div(const ts_kernel_call *call)
{
    const ts_value *v = &call->args[TS_DIV_ROUNDING_MODE];

    return divide(call, v->kind != TS_ARG_STRING ? TRUE_DIVISION
                        : v->string[0] == 'f'    ? FLOOR
                                                 : TRUNC);
}

ts_status tsk_floor_divide(const ts_kernel_call *call)
{
    return divide(call, FLOOR);
}

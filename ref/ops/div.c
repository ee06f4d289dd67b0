/* SPDX-License-Identifier: Apache-2.0 */
/* div, floor_divide: y = a / b, true or rounded; spec/ops/div.md. */
#include <math.h>

#include "touchstone/backend.h"
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

static bool has_zero(const ts_tensor *t)
{
    ts_lines it;

    for (ts_lines_pointwise(&it, t, 1, (ts_tensor *[]){(ts_tensor *)t});
         ts_lines_next(&it);)
        for (int64_t i = 0; i < it.n; i++)
            if (tse_get_i64(t, it.at[0] + i * it.step[0]) == 0)
                return true;
    return false;
}

static ts_status divide(const ts_kernel_call *call, mode mode)
{
    ts_tensor *y = call->results[0], *a = ts_call_tensor(call, TS_DIV_SELF), *b = ts_call_tensor(call, TS_DIV_OTHER);
    const ts_dtype c = call->compute;
    /* S3: in the half types a single divisor, and so the quotient, is float32 first */
    const ts_dtype step = tse_is_half(c) && b->numel == 1 ? TS_FLOAT32 : c;
    ts_lines it;

    ts_lines_pointwise(&it, y, 3, (ts_tensor *[]){y, a, b});
    if (tse_is_real(c)) {
        while (ts_lines_next(&it))
            for (int64_t i = 0; i < it.n; i++) {
                const double u = tse_get_as(c, a, it.at[1] + i * it.step[1]);
                const double v = tse_get_as(step, b, it.at[2] + i * it.step[2]);

                tse_put_as(c, y, it.at[0] + i * it.step[0],
                             real_quotient(mode, step, u, v));
            }
        return TS_OK;
    }
    TS_CHECK(y->numel == 0 || !has_zero(b), TS_ERR_RUNTIME, "div/C3",
             "%s: integer division by zero", call->op);
    while (ts_lines_next(&it))
        for (int64_t i = 0; i < it.n; i++) {
            const int64_t u = tse_get_i64_as(c, a, it.at[1] + i * it.step[1]);
            const int64_t v = tse_get_i64_as(c, b, it.at[2] + i * it.step[2]);

            tse_put_i64_as(c, y, it.at[0] + i * it.step[0],
                             integer_quotient(mode, u, v));
        }
    return TS_OK;
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

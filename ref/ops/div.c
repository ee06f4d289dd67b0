/* SPDX-License-Identifier: Apache-2.0 */
/* div, floor_divide: y = a / b, true or rounded; spec/ops/div.md. */
#include <math.h>

#include "core/core.h"
#include "touchstone/ops_glue.h"

typedef enum mode { TRUE_DIVISION, TRUNC, FLOOR } mode;

/* S6: as Python's //, each step rounded to dtype `r` */
static double floored(ts_dtype r, double a, double b)
{
    double m, q, whole;

    if (b == 0)
        return ts_round(r, a / b);
    m = fmod(a, b);
    q = ts_round(r, ts_round(r, a - m) / b);
    if (m != 0 && (b < 0) != (m < 0))
        q = ts_round(r, q - 1);
    if (q == 0)
        return copysign(0, a / b);
    whole = floor(q);
    return q - whole > 0.5 ? ts_round(r, whole + 1) : whole;
}

static double real_quotient(mode mode, ts_dtype r, double a, double b)
{
    if (mode == FLOOR)
        return floored(r, a, b);
    return mode == TRUNC ? trunc(ts_round(r, a / b)) : ts_round(r, a / b);
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
    tsi_iter it;

    for (tsi_iter_pointwise(&it, t, 1, (ts_tensor *[]){(ts_tensor *)t});
         tsi_iter_next(&it);)
        for (int64_t i = 0; i < it.n; i++)
            if (tsi_load_i64(t, it.at[0] + i * it.step[0]) == 0)
                return true;
    return false;
}

static ts_status divide(const ts_frame *f, mode mode)
{
    ts_tensor *y = f->results[0], *a = tsi_tensor(f, 0), *b = tsi_tensor(f, 1);
    const ts_dtype c = f->compute;
    /* S3: in the half types a single divisor, and so the quotient, is float32 first */
    const ts_dtype step = tsi_is_half(c) && b->numel == 1 ? TS_FLOAT32 : c;
    tsi_iter it;

    tsi_iter_pointwise(&it, y, 3, (ts_tensor *[]){y, a, b});
    if (ts_dtype_is_floating(c)) {
        while (tsi_iter_next(&it))
            for (int64_t i = 0; i < it.n; i++) {
                const double u = tsi_load_as(c, a, it.at[1] + i * it.step[1]);
                const double v = tsi_load_as(step, b, it.at[2] + i * it.step[2]);

                tsi_store_as(c, y, it.at[0] + i * it.step[0],
                             real_quotient(mode, step, u, v));
            }
        return TS_OK;
    }
    TS_CHECK(y->numel == 0 || !has_zero(b), TS_ERR_RUNTIME, "div/C3",
             "%s: integer division by zero", f->op->name);
    while (tsi_iter_next(&it))
        for (int64_t i = 0; i < it.n; i++) {
            const int64_t u = tsi_load_i64_as(c, a, it.at[1] + i * it.step[1]);
            const int64_t v = tsi_load_i64_as(c, b, it.at[2] + i * it.step[2]);

            tsi_store_i64_as(c, y, it.at[0] + i * it.step[0],
                             integer_quotient(mode, u, v));
        }
    return TS_OK;
}

ts_status tsk_div(ts_frame *f)
{
    const ts_value *v = &f->args[2];

    return divide(f, v->kind != TS_ARG_STRING ? TRUE_DIVISION
                     : v->string[0] == 'f'    ? FLOOR
                                              : TRUNC);
}

ts_status tsk_floor_divide(ts_frame *f)
{
    return divide(f, FLOOR);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reductions and scans on host memory: how one more element is taken in is a line, the walks
 * are here. Arguments are (self, dim, keepdim) of a reduction, (self, dim) of a scan.
 *
 *     TS_REDUCTION(my_amax, -INFINITY, INT64_MIN, isnan(x) || x > acc ? x : acc,
 *                  x > acc ? x : acc)
 *     TS_REDUCTION_AT(my_argmax, -INFINITY, INT64_MIN, x > acc || (isnan(x) && !isnan(acc)),
 *                     x > acc)
 *
 * Each defines a kernel of that name; acc is what the elements so far have made, x the next
 * one: doubles for floating dtypes, int64_t for integers and bool.
 */
#ifndef TOUCHSTONE_FOLD_H
#define TOUCHSTONE_FOLD_H

#include "touchstone/map.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What the elements so far have made. */
typedef struct ts_fold {
    double real, rest; /* of floats; rest: see ts_fold_add */
    int64_t whole;     /* of integers and bool */
    int64_t at;        /* where the element stands that decides */
} ts_fold;

/* Take in element number i. */
typedef void ts_fold_real(ts_fold *s, double x, int64_t i);
typedef void ts_fold_whole(ts_fold *s, int64_t x, int64_t i);

/* Sums whose roundings are added up apart (Neumaier): an error of one unit whatever the
 * number of elements. Integers wrap. */
static inline void ts_fold_add(ts_fold *s, double x, int64_t i)
{
    const double sum = s->real + x;

    (void)i;
    s->rest += fabs(s->real) >= fabs(x) ? s->real - sum + x : x - sum + s->real;
    s->real = sum;
}

static inline void ts_fold_add_whole(ts_fold *s, int64_t x, int64_t i)
{
    (void)i;
    s->whole = (int64_t)((uint64_t)s->whole + (uint64_t)x);
}

/* Products, in double. Integers wrap. */
static inline void ts_fold_multiply(ts_fold *s, double x, int64_t i)
{
    (void)i;
    s->real *= x;
}

static inline void ts_fold_multiply_whole(ts_fold *s, int64_t x, int64_t i)
{
    (void)i;
    s->whole = (int64_t)((uint64_t)s->whole * (uint64_t)x);
}

static inline double ts_fold_value(const ts_fold *s)
{
    return isfinite(s->real) && s->rest != 0 ? s->real + s->rest : s->real; /* -0 stays */
}

/* One line of a reduction: n elements of x from `at` on. */
TS_MAP_LOOP void ts_fold_line(ts_fold *s, const ts_reduce *r, const ts_tensor *x,
                              ts_dtype c, int64_t seen, ts_fold_real *real,
                              ts_fold_whole *whole)
{
    if (x->dtype == TS_FLOAT32 && c == TS_FLOAT32)
        for (int64_t i = 0; i < r->n; i++)
            real(s, (double)((const float *)x->data)[r->x + i * r->step], seen + i);
    else if (x->dtype == TS_FLOAT64 && c == TS_FLOAT64)
        for (int64_t i = 0; i < r->n; i++)
            real(s, ((const double *)x->data)[r->x + i * r->step], seen + i);
    else if (tse_is_real(c))
        for (int64_t i = 0; i < r->n; i++)
            real(s, tse_get_as(c, x, r->x + i * r->step), seen + i);
    else
        for (int64_t i = 0; i < r->n; i++)
            whole(s, tse_get_i64_as(c, x, r->x + i * r->step), seen + i);
}

/* VALUE: real or whole, by the dtype; WHOLE: that of floats too. */
typedef enum ts_fold_result {
    TS_FOLD_VALUE,
    TS_FOLD_MEAN,
    TS_FOLD_AT,
    TS_FOLD_WHOLE
} ts_fold_result;

/* Each element of results[0] from the elements of self that it stands for, cast to c, over
 * the dims of `mask`. */
TS_MAP_LOOP ts_status ts_fold_over(const ts_kernel_call *call, uint64_t mask,
                                   bool keepdim, ts_dtype c, const ts_fold *start,
                                   ts_fold_real *real, ts_fold_whole *whole,
                                   ts_fold_result result)
{
    ts_tensor *y = call->results[0], *x = ts_call_tensor(call, 0);
    ts_reduce r;

    ts_reduce_start(&r, y, x, mask, keepdim);
    while (ts_reduce_next(&r)) {
        ts_fold s = *start;
        int64_t seen = 0;

        for (; ts_reduce_line(&r); seen += r.n)
            ts_fold_line(&s, &r, x, c, seen, real, whole);
        if (result == TS_FOLD_AT)
            tse_put_i64(y, r.y, s.at);
        else if (result == TS_FOLD_WHOLE || !tse_is_real(c))
            tse_put_i64(y, r.y, s.whole);
        else
            tse_put(y, r.y,
                    result == TS_FOLD_MEAN ? ts_fold_value(&s) / (double)r.count
                                           : ts_fold_value(&s));
    }
    return TS_OK;
}

/* The same over the dims of the call. */
TS_MAP_LOOP ts_status ts_fold_reduction(const ts_kernel_call *call, ts_dtype c,
                                        const ts_fold *start, ts_fold_real *real,
                                        ts_fold_whole *whole, ts_fold_result result)
{
    return ts_fold_over(call,
                        ts_reduce_mask(&call->args[1], ts_call_tensor(call, 0)->ndim),
                        call->args[2].b, c, start, real, whole, result);
}

/* Each element of results[0] from those of self along dim up to its own, cast to
 * call->compute. */
TS_MAP_LOOP ts_status ts_fold_scan(const ts_kernel_call *call, const ts_fold *start,
                                   ts_fold_real *real, ts_fold_whole *whole)
{
    ts_tensor *y = call->results[0], *x = ts_call_tensor(call, 0);
    ts_tensor *t[] = {y, x};
    const ts_dtype c = call->compute;
    ts_lines it;

    for (ts_lines_dim(&it, ts_call_dim(call, 1, x), 2, t); ts_lines_next(&it);) {
        ts_fold s = *start;

        for (int64_t i = 0; i < it.n; i++) {
            const int64_t from = it.at[1] + i * it.step[1],
                          to = it.at[0] + i * it.step[0];

            if (tse_is_real(c)) {
                real(&s, tse_get_as(c, x, from), i);
                tse_put(y, to, ts_fold_value(&s));
            } else {
                whole(&s, tse_get_i64_as(c, x, from), i);
                tse_put_i64(y, to, s.whole);
            }
        }
    }
    return TS_OK;
}

/* A reduction whose accumulator becomes `real` or `whole` with each x. */
#define TS_REDUCTION(name, first_real, first_whole, real_, whole_)                       \
    static inline void name##_real(ts_fold *s, double x, int64_t i)                      \
    {                                                                                    \
        const double acc = s->real;                                                      \
                                                                                         \
        (void)i;                                                                         \
        s->real = (real_);                                                               \
    }                                                                                    \
    static inline void name##_whole(ts_fold *s, int64_t x, int64_t i)                    \
    {                                                                                    \
        const int64_t acc = s->whole;                                                    \
                                                                                         \
        (void)i;                                                                         \
        s->whole = (whole_);                                                             \
    }                                                                                    \
    ts_status name(const ts_kernel_call *call)                                           \
    {                                                                                    \
        const ts_fold start = {first_real, 0, first_whole, 0};                           \
                                                                                         \
        return ts_fold_reduction(call, call->compute, &start, name##_real, name##_whole, \
                                 TS_FOLD_VALUE);                                         \
    }

/* A reduction to the place of the last x that displaced the one before. */
#define TS_REDUCTION_AT(name, first_real, first_whole, displaces_real, displaces_whole) \
    static inline void name##_real(ts_fold *s, double x, int64_t i)                     \
    {                                                                                   \
        const double acc = s->real;                                                     \
                                                                                        \
        if (displaces_real)                                                             \
            s->real = x, s->at = i;                                                     \
    }                                                                                   \
    static inline void name##_whole(ts_fold *s, int64_t x, int64_t i)                   \
    {                                                                                   \
        const int64_t acc = s->whole;                                                   \
                                                                                        \
        if (displaces_whole)                                                            \
            s->whole = x, s->at = i;                                                    \
    }                                                                                   \
    ts_status name(const ts_kernel_call *call)                                          \
    {                                                                                   \
        const ts_fold start = {first_real, 0, first_whole, 0};                          \
                                                                                        \
        return ts_fold_reduction(call, ts_call_tensor(call, 0)->dtype, &start,          \
                                 name##_real, name##_whole, TS_FOLD_AT);                \
    }

/* A scan that begins with zeros. */
#define TS_SCAN(name, take_real, take_whole)                      \
    ts_status name(const ts_kernel_call *call)                    \
    {                                                             \
        const ts_fold start = {0, 0, 0, 0};                       \
                                                                  \
        return ts_fold_scan(call, &start, take_real, take_whole); \
    }

#ifdef __cplusplus
}
#endif
#endif

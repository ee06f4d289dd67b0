/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pointwise kernels on host memory: what one element becomes is a line, the loops are here.
 *
 *     TS_UNARY_FLOAT(my_exp, exp(x))
 *     TS_UNARY_SAME(my_neg, -x, (int64_t)-(uint64_t)x)
 *     TS_BINARY(my_maximum, isnan(x) || x > y ? x : y, x > y ? x : y)
 *     TS_TERNARY_FLOAT(my_lerp, x + z * (y - x))
 *     TS_COMPARISON(my_lt, x < y)
 *
 * Each defines a kernel of that name. x, y and z are doubles in the expression for floating
 * dtypes and int64_t in the one for integers and bool. Arguments arrive cast to call->compute,
 * the result is rounded (wrapped) to it once and then cast to the tensor's dtype (T-11, T-12).
 *
 * The dtypes are looked at once a line, not once an element: where all are float32, float64
 * or int64 a loop over typed pointers runs. Its results are the general loop's, bit for bit.
 */
#ifndef TOUCHSTONE_MAP_H
#define TOUCHSTONE_MAP_H

#include "touchstone/call.h"
#include "touchstone/element.h"
#include "touchstone/lines.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The function of one element is a constant argument of the loops, and to be inlined there. */
#if defined(__GNUC__)
#define TS_MAP_LOOP static inline __attribute__((always_inline))
#else
#define TS_MAP_LOOP static inline
#endif

/* One element; unary functions ignore y. `with` is what the kernel read from its call. */
typedef double ts_map_real(double x, double y, const void *with);
typedef int64_t ts_map_whole(int64_t x, int64_t y, const void *with);
typedef bool ts_map_holds_real(double x, double y);
typedef bool ts_map_holds_whole(int64_t x, int64_t y);

static inline bool ts_map_all(ts_dtype dtype, int n, ts_tensor *const *t)
{
    for (int k = 0; k < n; k++)
        if (t[k]->dtype != dtype)
            return false;
    return true;
}

/* --- unary --- */

TS_MAP_LOOP void ts_map_line_1_f32(const ts_lines *it, ts_tensor *const *t,
                                   ts_map_real *f, const void *with)
{
    float *y = (float *)t[0]->data + it->at[0];
    const float *x = (const float *)t[1]->data + it->at[1];
    const int64_t sy = it->step[0], sx = it->step[1];

    if (sy == 1 && sx == 1)
        for (int64_t i = 0; i < it->n; i++)
            y[i] = (float)f((double)x[i], 0, with);
    else
        for (int64_t i = 0; i < it->n; i++)
            y[i * sy] = (float)f((double)x[i * sx], 0, with);
}

TS_MAP_LOOP void ts_map_line_1_f64(const ts_lines *it, ts_tensor *const *t,
                                   ts_map_real *f, const void *with)
{
    double *y = (double *)t[0]->data + it->at[0];
    const double *x = (const double *)t[1]->data + it->at[1];

    for (int64_t i = 0; i < it->n; i++)
        y[i * it->step[0]] = f(x[i * it->step[1]], 0, with);
}

TS_MAP_LOOP void ts_map_line_1_i64(const ts_lines *it, ts_tensor *const *t,
                                   ts_map_whole *f, const void *with)
{
    int64_t *y = (int64_t *)t[0]->data + it->at[0];
    const int64_t *x = (const int64_t *)t[1]->data + it->at[1];

    for (int64_t i = 0; i < it->n; i++)
        y[i * it->step[0]] = f(x[i * it->step[1]], 0, with);
}

/* results[0] = real(x), or whole(x) where call->compute is an integer or bool; whole may be
 * NULL where it never is. */
TS_MAP_LOOP ts_status ts_map_unary(const ts_kernel_call *call, ts_tensor *x,
                                   ts_map_real *real, ts_map_whole *whole,
                                   const void *with)
{
    ts_tensor *y = call->results[0], *t[] = {y, x};
    const ts_dtype c = call->compute;
    ts_lines it;

    ts_lines_pointwise(&it, y, 2, t);
    if (tse_is_real(c)) {
        const bool f32 = c == TS_FLOAT32 && ts_map_all(c, 2, t);
        const bool f64 = c == TS_FLOAT64 && ts_map_all(c, 2, t);

        while (ts_lines_next(&it)) {
            if (f32)
                ts_map_line_1_f32(&it, t, real, with);
            else if (f64)
                ts_map_line_1_f64(&it, t, real, with);
            else
                for (int64_t i = 0; i < it.n; i++)
                    tse_put_as(
                        c, y, it.at[0] + i * it.step[0],
                        real(tse_get_as(c, x, it.at[1] + i * it.step[1]), 0, with));
        }
        return TS_OK;
    }
    if (!whole)
        return TS_ERR_UNSUPPORTED;
    while (ts_lines_next(&it)) {
        if (c == TS_INT64 && ts_map_all(c, 2, t))
            ts_map_line_1_i64(&it, t, whole, with);
        else
            for (int64_t i = 0; i < it.n; i++)
                tse_put_i64_as(
                    c, y, it.at[0] + i * it.step[0],
                    whole(tse_get_i64_as(c, x, it.at[1] + i * it.step[1]), 0, with));
    }
    return TS_OK;
}

/* --- binary --- */

TS_MAP_LOOP void ts_map_line_2_f32(const ts_lines *it, ts_tensor *const *t,
                                   ts_map_real *f, const void *with)
{
    float *y = (float *)t[0]->data + it->at[0];
    const float *a = (const float *)t[1]->data + it->at[1];
    const float *b = (const float *)t[2]->data + it->at[2];
    const int64_t sy = it->step[0], sa = it->step[1], sb = it->step[2];

    if (sy == 1 && sa == 1 && sb == 1)
        for (int64_t i = 0; i < it->n; i++)
            y[i] = (float)f((double)a[i], (double)b[i], with);
    else
        for (int64_t i = 0; i < it->n; i++)
            y[i * sy] = (float)f((double)a[i * sa], (double)b[i * sb], with);
}

TS_MAP_LOOP void ts_map_line_2_f64(const ts_lines *it, ts_tensor *const *t,
                                   ts_map_real *f, const void *with)
{
    double *y = (double *)t[0]->data + it->at[0];
    const double *a = (const double *)t[1]->data + it->at[1];
    const double *b = (const double *)t[2]->data + it->at[2];

    for (int64_t i = 0; i < it->n; i++)
        y[i * it->step[0]] = f(a[i * it->step[1]], b[i * it->step[2]], with);
}

TS_MAP_LOOP void ts_map_line_2_i64(const ts_lines *it, ts_tensor *const *t,
                                   ts_map_whole *f, const void *with)
{
    int64_t *y = (int64_t *)t[0]->data + it->at[0];
    const int64_t *a = (const int64_t *)t[1]->data + it->at[1];
    const int64_t *b = (const int64_t *)t[2]->data + it->at[2];

    for (int64_t i = 0; i < it->n; i++)
        y[i * it->step[0]] = f(a[i * it->step[1]], b[i * it->step[2]], with);
}

/* results[0] of a and b. b of a floating op is cast to `b_as`, which is call->compute but
 * where a page says otherwise (ts_map_factor). */
TS_MAP_LOOP ts_status ts_map_binary(const ts_kernel_call *call, ts_tensor *a,
                                    ts_tensor *b, ts_dtype b_as, ts_map_real *real,
                                    ts_map_whole *whole, const void *with)
{
    ts_tensor *y = call->results[0], *t[] = {y, a, b};
    const ts_dtype c = call->compute;
    ts_lines it;

    ts_lines_pointwise(&it, y, 3, t);
    if (tse_is_real(c)) {
        const bool f32 = c == TS_FLOAT32 && ts_map_all(c, 3, t);
        const bool f64 = c == TS_FLOAT64 && ts_map_all(c, 3, t);

        while (ts_lines_next(&it)) {
            if (f32)
                ts_map_line_2_f32(&it, t, real, with);
            else if (f64)
                ts_map_line_2_f64(&it, t, real, with);
            else
                for (int64_t i = 0; i < it.n; i++)
                    tse_put_as(c, y, it.at[0] + i * it.step[0],
                               real(tse_get_as(c, a, it.at[1] + i * it.step[1]),
                                    tse_get_as(b_as, b, it.at[2] + i * it.step[2]),
                                    with));
        }
        return TS_OK;
    }
    if (!whole)
        return TS_ERR_UNSUPPORTED;
    while (ts_lines_next(&it)) {
        if (c == TS_INT64 && ts_map_all(c, 3, t))
            ts_map_line_2_i64(&it, t, whole, with);
        else
            for (int64_t i = 0; i < it.n; i++)
                tse_put_i64_as(c, y, it.at[0] + i * it.step[0],
                               whole(tse_get_i64_as(c, a, it.at[1] + i * it.step[1]),
                                     tse_get_i64_as(c, b, it.at[2] + i * it.step[2]),
                                     with));
    }
    return TS_OK;
}

/* In the half types PyTorch's CPU takes a second operand of one element as float32, where an
 * op's page says so (mul/S5, div/S3). */
static inline ts_dtype ts_map_factor(const ts_kernel_call *call, const ts_tensor *b)
{
    return tse_is_half(call->compute) && b->numel == 1 ? TS_FLOAT32 : call->compute;
}

/* --- ternary --- */

typedef double ts_map_real_3(double x, double y, double z, const void *with);
typedef int64_t ts_map_whole_3(int64_t x, int64_t y, int64_t z, const void *with);

TS_MAP_LOOP void ts_map_line_3_f32(const ts_lines *it, ts_tensor *const *t,
                                   ts_map_real_3 *f, const void *with)
{
    float *y = (float *)t[0]->data + it->at[0];
    const float *a = (const float *)t[1]->data + it->at[1];
    const float *b = (const float *)t[2]->data + it->at[2];
    const float *c = (const float *)t[3]->data + it->at[3];

    for (int64_t i = 0; i < it->n; i++)
        y[i * it->step[0]] =
            (float)f((double)a[i * it->step[1]], (double)b[i * it->step[2]],
                     (double)c[i * it->step[3]], with);
}

/* results[0] of a, b and c, which in a floating op is cast to `c_as` (ts_map_factor). whole
 * may be NULL where it never is. */
TS_MAP_LOOP ts_status ts_map_ternary(const ts_kernel_call *call, ts_tensor *a,
                                     ts_tensor *b, ts_tensor *c, ts_dtype c_as,
                                     ts_map_real_3 *real, ts_map_whole_3 *whole,
                                     const void *with)
{
    ts_tensor *y = call->results[0], *t[] = {y, a, b, c};
    const ts_dtype in = call->compute;
    const bool f32 = in == TS_FLOAT32 && ts_map_all(in, 4, t);
    ts_lines it;

    if (!tse_is_real(in) && !whole)
        return TS_ERR_UNSUPPORTED;
    for (ts_lines_pointwise(&it, y, 4, t); ts_lines_next(&it);) {
        if (f32) {
            ts_map_line_3_f32(&it, t, real, with);
            continue;
        }
        for (int64_t i = 0; i < it.n; i++) {
            const int64_t to = it.at[0] + i * it.step[0];
            const int64_t p = it.at[1] + i * it.step[1], q = it.at[2] + i * it.step[2],
                          r = it.at[3] + i * it.step[3];

            if (tse_is_real(in))
                tse_put_as(in, y, to,
                           real(tse_get_as(in, a, p), tse_get_as(in, b, q),
                                tse_get_as(c_as, c, r), with));
            else
                tse_put_i64_as(in, y, to,
                               whole(tse_get_i64_as(in, a, p), tse_get_i64_as(in, b, q),
                                     tse_get_i64_as(in, c, r), with));
        }
    }
    return TS_OK;
}

/* --- comparison --- */

TS_MAP_LOOP void ts_map_line_holds_f32(const ts_lines *it, ts_tensor *const *t,
                                       ts_map_holds_real *f)
{
    uint8_t *y = (uint8_t *)t[0]->data + it->at[0];
    const float *a = (const float *)t[1]->data + it->at[1];
    const float *b = (const float *)t[2]->data + it->at[2];

    for (int64_t i = 0; i < it->n; i++)
        y[i * it->step[0]] = f((double)a[i * it->step[1]], (double)b[i * it->step[2]]);
}

TS_MAP_LOOP void ts_map_line_holds_f64(const ts_lines *it, ts_tensor *const *t,
                                       ts_map_holds_real *f)
{
    uint8_t *y = (uint8_t *)t[0]->data + it->at[0];
    const double *a = (const double *)t[1]->data + it->at[1];
    const double *b = (const double *)t[2]->data + it->at[2];

    for (int64_t i = 0; i < it->n; i++)
        y[i * it->step[0]] = f(a[i * it->step[1]], b[i * it->step[2]]);
}

TS_MAP_LOOP void ts_map_line_holds_i64(const ts_lines *it, ts_tensor *const *t,
                                       ts_map_holds_whole *f)
{
    uint8_t *y = (uint8_t *)t[0]->data + it->at[0];
    const int64_t *a = (const int64_t *)t[1]->data + it->at[1];
    const int64_t *b = (const int64_t *)t[2]->data + it->at[2];

    for (int64_t i = 0; i < it->n; i++)
        y[i * it->step[0]] = f(a[i * it->step[1]], b[i * it->step[2]]);
}

/* Whether it holds of a and b, as 1 and 0 in whatever dtype the result has. */
TS_MAP_LOOP ts_status ts_map_comparison(const ts_kernel_call *call, ts_tensor *a,
                                        ts_tensor *b, ts_map_holds_real *real,
                                        ts_map_holds_whole *whole)
{
    ts_tensor *y = call->results[0];
    ts_tensor *t[] = {y, a, b};
    const ts_dtype c = call->compute;
    const bool typed = y->dtype == TS_BOOL && ts_map_all(c, 2, t + 1);
    ts_lines it;

    for (ts_lines_pointwise(&it, y, 3, t); ts_lines_next(&it);) {
        if (typed && c == TS_FLOAT32)
            ts_map_line_holds_f32(&it, t, real);
        else if (typed && c == TS_FLOAT64)
            ts_map_line_holds_f64(&it, t, real);
        else if (typed && c == TS_INT64)
            ts_map_line_holds_i64(&it, t, whole);
        else
            for (int64_t i = 0; i < it.n; i++) {
                const int64_t pa = it.at[1] + i * it.step[1],
                              pb = it.at[2] + i * it.step[2];

                tse_put_i64(
                    y, it.at[0] + i * it.step[0],
                    tse_is_real(c)
                        ? real(tse_get_as(c, a, pa), tse_get_as(c, b, pb))
                        : whole(tse_get_i64_as(c, a, pa), tse_get_i64_as(c, b, pb)));
            }
    }
    return TS_OK;
}

/* --- the lines --- */

/* A kernel that is real(x) in a floating dtype: integers arrive as float32. */
#define TS_UNARY_FLOAT(name, real)                                                   \
    static inline double name##_real(double x, double y, const void *with)           \
    {                                                                                \
        (void)y, (void)with;                                                         \
        return real;                                                                 \
    }                                                                                \
    ts_status name(const ts_kernel_call *call)                                       \
    {                                                                                \
        return ts_map_unary(call, ts_call_tensor(call, 0), name##_real, NULL, NULL); \
    }

/* The two functions of an element that keeps its dtype, for the kernels below and for one
 * that passes them something by `with`. */
#define TS_MAP_ELEMENT(name, real, whole)                                      \
    static inline double name##_real(double x, double y, const void *with)     \
    {                                                                          \
        (void)x, (void)y, (void)with;                                          \
        return real;                                                           \
    }                                                                          \
    static inline int64_t name##_whole(int64_t x, int64_t y, const void *with) \
    {                                                                          \
        (void)x, (void)y, (void)with;                                          \
        return whole;                                                          \
    }

#define TS_UNARY_SAME(name, real, whole)                                              \
    TS_MAP_ELEMENT(name, real, whole)                                                 \
    ts_status name(const ts_kernel_call *call)                                        \
    {                                                                                 \
        return ts_map_unary(call, ts_call_tensor(call, 0), name##_real, name##_whole, \
                            NULL);                                                    \
    }

#define TS_BINARY(name, real, whole)                                                 \
    TS_MAP_ELEMENT(name, real, whole)                                                \
    ts_status name(const ts_kernel_call *call)                                       \
    {                                                                                \
        return ts_map_binary(call, ts_call_tensor(call, 0), ts_call_tensor(call, 1), \
                             call->compute, name##_real, name##_whole, NULL);        \
    }

/* A binary kernel of floating dtypes alone. */
#define TS_BINARY_FLOAT(name, real)                                                  \
    static inline double name##_real(double x, double y, const void *with)           \
    {                                                                                \
        (void)with;                                                                  \
        return real;                                                                 \
    }                                                                                \
    ts_status name(const ts_kernel_call *call)                                       \
    {                                                                                \
        return ts_map_binary(call, ts_call_tensor(call, 0), ts_call_tensor(call, 1), \
                             call->compute, name##_real, NULL, NULL);                \
    }

/* A binary kernel whose y of one element is float32 in the half types. */
#define TS_BINARY_FACTOR(name, real, whole)                                            \
    TS_MAP_ELEMENT(name, real, whole)                                                  \
    ts_status name(const ts_kernel_call *call)                                         \
    {                                                                                  \
        ts_tensor *b = ts_call_tensor(call, 1);                                        \
                                                                                       \
        return ts_map_binary(call, ts_call_tensor(call, 0), b, ts_map_factor(call, b), \
                             name##_real, name##_whole, NULL);                         \
    }

/* The two functions of three elements, for a kernel that passes them something by `with`. */
#define TS_MAP_ELEMENT_3(name, real, whole)                                          \
    static inline double name##_real(double x, double y, double z, const void *with) \
    {                                                                                \
        (void)with;                                                                  \
        return real;                                                                 \
    }                                                                                \
    static inline int64_t name##_whole(int64_t x, int64_t y, int64_t z,              \
                                       const void *with)                             \
    {                                                                                \
        (void)x, (void)y, (void)z, (void)with;                                       \
        return whole;                                                                \
    }

/* A kernel of three of floating dtypes alone, whose z of one element is float32 in the half
 * types. */
#define TS_TERNARY_FLOAT(name, real)                                                     \
    static inline double name##_real(double x, double y, double z, const void *with)     \
    {                                                                                    \
        (void)with;                                                                      \
        return real;                                                                     \
    }                                                                                    \
    ts_status name(const ts_kernel_call *call)                                           \
    {                                                                                    \
        ts_tensor *z = ts_call_tensor(call, 2);                                          \
                                                                                         \
        return ts_map_ternary(call, ts_call_tensor(call, 0), ts_call_tensor(call, 1), z, \
                              ts_map_factor(call, z), name##_real, NULL, NULL);          \
    }

#define TS_COMPARISON(name, holds)                                                       \
    static inline bool name##_real(double x, double y)                                   \
    {                                                                                    \
        return holds;                                                                    \
    }                                                                                    \
    static inline bool name##_whole(int64_t x, int64_t y)                                \
    {                                                                                    \
        return holds;                                                                    \
    }                                                                                    \
    ts_status name(const ts_kernel_call *call)                                           \
    {                                                                                    \
        return ts_map_comparison(call, ts_call_tensor(call, 0), ts_call_tensor(call, 1), \
                                 name##_real, name##_whole);                             \
    }

/* Whether something holds of one element. */
#define TS_PREDICATE(name, real, whole)                                  \
    static inline bool name##_real(double x, double y)                   \
    {                                                                    \
        (void)y;                                                         \
        return real;                                                     \
    }                                                                    \
    static inline bool name##_whole(int64_t x, int64_t y)                \
    {                                                                    \
        (void)x, (void)y;                                                \
        return whole;                                                    \
    }                                                                    \
    ts_status name(const ts_kernel_call *call)                           \
    {                                                                    \
        ts_tensor *x = ts_call_tensor(call, 0);                          \
                                                                         \
        return ts_map_comparison(call, x, x, name##_real, name##_whole); \
    }

#ifdef __cplusplus
}
#endif
#endif

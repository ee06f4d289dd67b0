/* SPDX-License-Identifier: Apache-2.0 */
/* Faults that show in what a kernel writes: kinds size, value, precision, order, tail. */
#include <stdlib.h>

#include "faults/faults.h"

typedef void (*spoil_fn)(const fault *f, ts_tensor *y);

static ts_status spoiled(fault *f, const ts_kernel_call *call, spoil_fn spoil)
{
    ts_tensor *y;

    TS_TRY(f->original(call));
    y = fault_result(f, call);
    if (y && y->data && y->numel > 0)
        spoil(f, y);
    return TS_OK;
}

/* A fault that a function of the result makes. */
#define SPOIL(NAME)                                             \
    static void spoil_##NAME(const fault *f, ts_tensor *y);     \
    static ts_status NAME(fault *f, const ts_kernel_call *call) \
    {                                                           \
        return spoiled(f, call, spoil_##NAME);                  \
    }                                                           \
    static void spoil_##NAME(const fault *f, ts_tensor *y)

static int64_t last_size(const ts_tensor *t)
{
    return t->ndim > 0 ? t->sizes[t->ndim - 1] : 1;
}

/* --- size: n is the largest size that is right --- */

SPOIL(last_beyond)
{
    if (y->numel > f->n[0])
        fault_take(y, y->numel - 1, y->numel > 1 ? y->numel - 2 : 0);
}

SPOIL(middle_beyond)
{
    if (y->numel > f->n[0])
        fault_clear(y, y->numel / 2);
}

SPOIL(every)
{
    for (int64_t i = f->n[0]; i < y->numel; i += f->n[0])
        fault_clear(y, i);
}

SPOIL(second_block)
{
    for (int64_t i = f->n[0]; i < y->numel; i++)
        fault_take(y, i, i % f->n[0]);
}

SPOIL(row_end_beyond)
{
    const int64_t n = last_size(y);

    for (int64_t i = 0; n > f->n[0] && i < y->numel; i += n)
        fault_take(y, i + n - 1, i);
}

SPOIL(last_row_beyond)
{
    const int64_t n = last_size(y), rows = y->ndim > 1 ? y->sizes[y->ndim - 2] : 1;

    for (int64_t i = rows * n; rows > f->n[0] && i <= y->numel; i += rows * n)
        for (int64_t k = 0; k < n; k++)
            fault_take(y, i - n + k, i - rows * n + k);
}

SPOIL(batch_beyond)
{
    const int64_t n = y->ndim > 1 ? y->numel / y->sizes[0] : 0;

    for (int64_t b = f->n[0]; n > 0 && b < y->sizes[0]; b++)
        for (int64_t k = 0; k < n; k++)
            fault_take(y, b * n + k, k);
}

SPOIL(rank_beyond)
{
    char cell[8];

    if (y->ndim <= f->n[0])
        return;
    memcpy(cell, fault_cell(y, 0), tse_bytes(y->dtype));
    fault_take(y, 0, y->numel - 1);
    memcpy(fault_cell(y, y->numel - 1), cell, tse_bytes(y->dtype));
}

/* --- value --- */

typedef double (*change_fn)(const fault *f, ts_dtype dtype, double v);

static double largest(ts_dtype dtype)
{
    return dtype == TS_FLOAT64   ? 0x1.fffffffffffffp1023
           : dtype == TS_FLOAT32 ? 0x1.fffffep127
                                 : tse_format_of(dtype).max;
}

static double smallest_normal(ts_dtype dtype)
{
    return dtype == TS_FLOAT64   ? 0x1p-1022
           : dtype == TS_FLOAT32 ? 0x1p-126
                                 : tse_power_of_two(tse_format_of(dtype).emin);
}

static void change(const fault *f, ts_tensor *y, change_fn with)
{
    if (!tse_is_real(y->dtype))
        return;
    for (int64_t i = 0; i < y->numel; i++) {
        const double v = fault_get(y, i), w = with(f, y->dtype, v);

        if (tse_bits(v) != tse_bits(w))
            tse_write(y->dtype, fault_cell(y, i), w);
    }
}

#define CHANGE(NAME)                                                       \
    static double change_##NAME(const fault *f, ts_dtype dtype, double v); \
    SPOIL(NAME)                                                            \
    {                                                                      \
        change(f, y, change_##NAME);                                       \
    }                                                                      \
    /* The same to the argument that the first number names. */            \
    static ts_status in_##NAME(fault *f, const ts_kernel_call *call)       \
    {                                                                      \
        return changed_argument(f, call, change_##NAME);                   \
    }                                                                      \
    static double change_##NAME(const fault *f, ts_dtype dtype, double v)

static ts_status changed_argument(fault *f, const ts_kernel_call *call, change_fn with)
{
    fault_room room = {.count = 0};
    ts_kernel_call *mine = fault_call(&room, call);
    ts_value *a = f->n[0] < call->nargs ? &fault_args(mine)[f->n[0]] : NULL;
    ts_status status;

    if (a && a->kind == TS_ARG_TENSOR && a->tensor && tse_is_real(a->tensor->dtype)) {
        ts_tensor *t = fault_dense(&room, a->tensor, a->tensor->dtype);

        change(f, t, with);
        a->tensor = t;
    } else if (a && a->kind == TS_ARG_TENSORS) {
        ts_tensor **v = fault_take_room(&room, sizeof *v * (size_t)a->tensors.n);

        for (int64_t i = 0; i < a->tensors.n && i < 60; i++) {
            v[i] = a->tensors.v[i]
                       ? fault_dense(&room, a->tensors.v[i], a->tensors.v[i]->dtype)
                       : NULL;
            if (v[i])
                change(f, v[i], with);
        }
        if (a->tensors.n < 60)
            a->tensors.v = v;
    }
    status = f->original(mine);
    fault_leave(&room);
    return status;
}

CHANGE(minus_zero_lost)
{
    (void)f, (void)dtype;
    return v == 0 ? 0.0 : v;
}

CHANGE(nan_to_zero)
{
    (void)f, (void)dtype;
    return isnan(v) ? 0 : v;
}

CHANGE(nan_to_infinity)
{
    (void)f, (void)dtype;
    return isnan(v) ? (double)INFINITY : v;
}

CHANGE(infinity_to_largest)
{
    (void)f;
    return isinf(v) ? copysign(largest(dtype), v) : v;
}

CHANGE(infinity_to_nan)
{
    (void)f, (void)dtype;
    return isinf(v) ? (double)NAN : v;
}

CHANGE(subnormal_flushed)
{
    (void)f;
    return fabs(v) < smallest_normal(dtype) ? copysign(0, v) : v;
}

CHANGE(large_to_infinity)
{
    (void)f;
    return !isnan(v) && fabs(v) > largest(dtype) / 2 ? copysign((double)INFINITY, v) : v;
}

/* --- precision --- */

static uint64_t raw(const ts_tensor *t, const char *cell)
{
    uint64_t u = 0;

    memcpy(&u, cell, tse_bytes(t->dtype));
    return u;
}

/* n units in the last place away from zero, of a finite element that stays finite. */
static void move_ulps(ts_tensor *y, int64_t i, int64_t n)
{
    char *cell = fault_cell(y, i);
    const uint64_t u = raw(y, cell) + (uint64_t)n;
    const double v = tse_read(y->dtype, cell);

    if (v == 0 || !isfinite(v) || !isfinite(tse_read(y->dtype, &u)))
        return;
    memcpy(cell, &u, tse_bytes(y->dtype));
}

SPOIL(ulp)
{
    for (int64_t i = 0; tse_is_real(y->dtype) && i < y->numel; i++)
        move_ulps(y, i, f->n[0]);
}

/* Only in one element of 16: what a mean does not show. */
SPOIL(ulp_rarely)
{
    for (int64_t i = 5; tse_is_real(y->dtype) && i < y->numel; i += 16)
        move_ulps(y, i, f->n[0]);
}

/* An absolute error: what a polynomial leaves near its zeros. */
CHANGE(near_zero)
{
    const double e = dtype == TS_FLOAT64   ? 0x1p-54
                     : dtype == TS_FLOAT32 ? 0x1p-25
                                           : 0x1p-12;

    (void)f;
    return v != 0 && fabs(v) < 0x1p-4 ? v + e : v;
}

/* Lower bits of the significand are gone: those of tf32, of bfloat16, of a fast square root. */
CHANGE(bits_lost)
{
    const int bits = dtype == TS_FLOAT64 ? 52 : dtype == TS_FLOAT32 ? 23 : 7;
    const int64_t keep = f->n[1] ? f->n[1] : f->n[0];

    return keep < bits && isfinite(v)
               ? tse_double(tse_bits(v) & ~((UINT64_C(1) << (52 - keep)) - 1))
               : v;
}

/* --- order --- */

SPOIL(swapped_beyond)
{
    char cell[8];
    const int64_t i = f->n[0];

    if (i < 1 || y->numel <= i)
        return;
    memcpy(cell, fault_cell(y, i), tse_bytes(y->dtype));
    fault_take(y, i, i - 1);
    memcpy(fault_cell(y, i - 1), cell, tse_bytes(y->dtype));
}

SPOIL(square_transposed)
{
    const int64_t n = last_size(y);

    (void)f;
    if (y->ndim < 2 || y->sizes[y->ndim - 2] != n)
        return;
    for (int64_t b = 0; b < y->numel; b += n * n)
        for (int64_t i = 0; i < n; i++)
            for (int64_t k = 0; k < i; k++) {
                char cell[8];

                memcpy(cell, fault_cell(y, b + i * n + k), tse_bytes(y->dtype));
                fault_take(y, b + i * n + k, b + k * n + i);
                memcpy(fault_cell(y, b + k * n + i), cell, tse_bytes(y->dtype));
            }
}

SPOIL(last_row_reversed)
{
    const int64_t n = last_size(y);

    for (int64_t i = 0; n > f->n[0] && i < n / 2; i++) {
        char cell[8];
        const int64_t a = y->numel - n + i, b = y->numel - 1 - i;

        memcpy(cell, fault_cell(y, a), tse_bytes(y->dtype));
        fault_take(y, a, b);
        memcpy(fault_cell(y, b), cell, tse_bytes(y->dtype));
    }
}

/* sort: the indices of equal values, reversed in lines longer than n. */
static ts_status ties_reversed(fault *f, const ts_kernel_call *call)
{
    ts_tensor *t[2];
    ts_lines it;

    TS_TRY(f->original(call));
    if (call->nresults < 2 || call->results[0]->ndim == 0)
        return TS_OK;
    t[0] = call->results[0];
    t[1] = call->results[1];
    for (ts_lines_dim(&it, ts_call_dim(call, 1, t[0]), 2, t); ts_lines_next(&it);)
        for (int64_t i = 0, end; it.n > f->n[0] && i < it.n; i = end) {
            const double v = tse_get(t[0], it.at[0] + i * it.step[0]);

            for (end = i + 1; end < it.n; end++)
                if (tse_get(t[0], it.at[0] + end * it.step[0]) != v)
                    break;
            for (int64_t a = i, b = end - 1; a < b; a++, b--) {
                const int64_t pa = it.at[1] + a * it.step[1];
                const int64_t pb = it.at[1] + b * it.step[1];
                const int64_t k = tse_get_i64(t[1], pa);

                tse_put_i64(t[1], pa, tse_get_i64(t[1], pb));
                tse_put_i64(t[1], pb, k);
            }
        }
    return TS_OK;
}

/* argmax, argmin: of equals the last, in whole tensors larger than n. */
static ts_status last_of_equals(fault *f, const ts_kernel_call *call)
{
    ts_tensor *x = fault_first(call), *y = call->results[0];
    const ts_tensor *t[] = {y, x};

    TS_TRY(f->original(call));
    if (!x || y->numel != 1 || x->numel <= f->n[0] || x->numel == 0)
        return TS_OK;
    for (int64_t i = x->numel - 1, k = tse_get_i64(t[0], 0); i > k && k < x->numel; i--)
        if (memcmp(fault_cell(x, i), fault_cell(x, k), tse_bytes(x->dtype)) == 0) {
            if (call->args[1].kind != TS_ARG_INT || x->ndim == 1)
                tse_put_i64(y, 0, i);
            break;
        }
    return TS_OK;
}

/* --- tail: elements that keep what was there --- */

typedef bool (*lost_fn)(const fault *f, const ts_tensor *y, int64_t i);

static ts_status unwritten(fault *f, const ts_kernel_call *call, lost_fn lost)
{
    ts_tensor *y = fault_result(f, call);
    fault_room room = {.count = 0};
    ts_tensor *before;

    /* A vector loop of an in-place call would leave the argument: the same thing. */
    if (!y || !y->data)
        return f->original(call);
    before = fault_dense(&room, y, y->dtype);
    {
        const ts_status status = f->original(call);

        for (int64_t i = 0; status == TS_OK && i < y->numel; i++)
            if (lost(f, y, i))
                memcpy(fault_cell(y, i), tse_at(before, i), tse_bytes(y->dtype));
        fault_leave(&room);
        return status;
    }
}

#define UNWRITTEN(NAME)                                                     \
    static bool lost_##NAME(const fault *f, const ts_tensor *y, int64_t i); \
    static ts_status NAME(fault *f, const ts_kernel_call *call)             \
    {                                                                       \
        return unwritten(f, call, lost_##NAME);                             \
    }                                                                       \
    static bool lost_##NAME(const fault *f, const ts_tensor *y, int64_t i)

UNWRITTEN(after_groups)
{
    return i >= y->numel - y->numel % f->n[0];
}

UNWRITTEN(after_first_group)
{
    return y->numel > f->n[0] && i >= y->numel - y->numel % f->n[0];
}

UNWRITTEN(of_rows)
{
    const int64_t n = last_size(y);

    return n > f->n[0] && i % n >= n - n % f->n[0];
}

UNWRITTEN(beyond)
{
    (void)y;
    return i >= f->n[0];
}

static ts_status overrun(fault *f, const ts_kernel_call *call)
{
    ts_tensor *y;

    TS_TRY(f->original(call));
    y = fault_result(f, call);
    if (y && y->data && y->numel > f->n[0] && ts_is_contiguous(y))
        memset(tse_at(y, y->numel), 0, tse_bytes(y->dtype));
    return TS_OK;
}

/* Elements between those of a strided result, cleared with the rest. */
static ts_status gaps_filled(fault *f, const ts_kernel_call *call)
{
    ts_tensor *y = fault_result(f, call);
    fault_room room = {.count = 0};
    const ts_status status = f->original(call);

    if (status == TS_OK && y && y->data && y->numel > 0 && fault_span(y) > y->numel) {
        ts_tensor *kept = fault_dense(&room, y, y->dtype);

        memset(y->data, 0, (size_t)fault_span(y) * tse_bytes(y->dtype));
        for (int64_t i = 0; i < y->numel; i++)
            memcpy(fault_cell(y, i), tse_at(kept, i), tse_bytes(y->dtype));
    }
    fault_leave(&room);
    return status;
}

/* --- dtype --- */

/* The first element, one off: of one dtype, as a table of kernels with one wrong entry. */
SPOIL(first)
{
    if (y->dtype == TS_BOOL)
        tse_write_i64(TS_BOOL, fault_cell(y, 0),
                      !tse_read_i64(TS_BOOL, fault_cell(y, 0)));
    else if (!tse_is_real(y->dtype))
        tse_write_i64(y->dtype, fault_cell(y, 0),
                      tse_read_i64(y->dtype, fault_cell(y, 0)) + 1);
    else
        tse_write(y->dtype, fault_cell(y, 0), fault_get(y, 0) == 1 ? 2 : 1);
    (void)f;
}

SPOIL(bool_not_one)
{
    (void)f;
    for (int64_t i = 0; y->dtype == TS_BOOL && i < y->numel; i++)
        if (*fault_cell(y, i))
            *fault_cell(y, i) = (char)0xFF;
}

const fault_row faults_in_results[] = {
    {"size/last_beyond", last_beyond},
    {"size/middle_beyond", middle_beyond},
    {"size/every", every},
    {"size/second_block", second_block},
    {"size/row_end_beyond", row_end_beyond},
    {"size/last_row_beyond", last_row_beyond},
    {"size/batch_beyond", batch_beyond},
    {"size/rank_beyond", rank_beyond},
    {"value/minus_zero_lost", minus_zero_lost},
    {"value/nan_to_zero", nan_to_zero},
    {"value/nan_to_infinity", nan_to_infinity},
    {"value/infinity_to_largest", infinity_to_largest},
    {"value/infinity_to_nan", infinity_to_nan},
    {"value/subnormal_flushed", subnormal_flushed},
    {"value/large_to_infinity", large_to_infinity},
    {"value/minus_zero_lost_in", in_minus_zero_lost},
    {"value/nan_to_zero_in", in_nan_to_zero},
    {"value/nan_to_infinity_in", in_nan_to_infinity},
    {"value/infinity_to_largest_in", in_infinity_to_largest},
    {"value/infinity_to_nan_in", in_infinity_to_nan},
    {"value/subnormal_flushed_in", in_subnormal_flushed},
    {"value/large_to_infinity_in", in_large_to_infinity},
    {"precision/ulp", ulp},
    {"precision/ulp_rarely", ulp_rarely},
    {"precision/near_zero", near_zero},
    {"precision/near_zero_in", in_near_zero},
    {"precision/bits_lost", bits_lost},
    {"precision/bits_lost_in", in_bits_lost},
    {"order/swapped_beyond", swapped_beyond},
    {"order/square_transposed", square_transposed},
    {"order/last_row_reversed", last_row_reversed},
    {"order/ties_reversed", ties_reversed},
    {"order/last_of_equals", last_of_equals},
    {"tail/after_groups", after_groups},
    {"tail/after_first_group", after_first_group},
    {"tail/of_rows", of_rows},
    {"tail/beyond", beyond},
    {"tail/overrun", overrun},
    {"alias/gaps_filled", gaps_filled},
    {"dtype/first", first},
    {"dtype/bool_not_one", bool_not_one},
    {NULL, NULL}};

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The reference with plain kernels: every step rounded to float32 (float64 for float64), sums added
 * up one element after the other, functions libm's. What the bounds of the cases must not call
 * wrong. A long sum is the exception (sum/S5 asks for the bound of pairwise summation): past 128
 * elements its parts are added up apart. Products are added up in one go (mm/S4).
 */
#include <math.h>

#include "touchstone/fold.h"
#include "touchstone/map.h"
#include "touchstone/ops/add_glue.h"
#include "touchstone/ops/addcmul_glue.h"
#include "touchstone/ops/cross_entropy_glue.h"
#include "touchstone/ops/gelu_glue.h"
#include "touchstone/ops/layer_norm_glue.h"
#include "touchstone/ops/mm_glue.h"
#include "touchstone/ops/softmax_glue.h"
#include "zoo/zoo.h"

enum { PART = 128 };

static bool wide(const ts_tensor *t)
{
    return t->dtype == TS_FLOAT64;
}

/* One step of arithmetic: float64 holds every sum, product and quotient of two float32 numbers
 * well enough that this rounds but once. */
static double step(bool w, double x)
{
    return w ? x : (double)(float)x;
}

/* --- elementwise --- */

#define PLAIN_UNARY(name, narrow, broad)                                                \
    static double name##_narrow(double v, double y, const void *with)                   \
    {                                                                                   \
        const float x = (float)v;                                                       \
                                                                                        \
        (void)y, (void)with;                                                            \
        return (double)(narrow);                                                        \
    }                                                                                   \
    static double name##_broad(double x, double y, const void *with)                    \
    {                                                                                   \
        (void)y, (void)with;                                                            \
        return broad;                                                                   \
    }                                                                                   \
    static ts_status name(const ts_kernel_call *call)                                   \
    {                                                                                   \
        return ts_map_unary(call, ts_call_tensor(call, 0),                              \
                            call->compute == TS_FLOAT64 ? name##_broad : name##_narrow, \
                            NULL, NULL);                                                \
    }

PLAIN_UNARY(plain_exp, expf(x), exp(x))
PLAIN_UNARY(plain_log, logf(x), log(x))
PLAIN_UNARY(plain_sqrt, sqrtf(x), sqrt(x))
PLAIN_UNARY(plain_tanh, tanhf(x), tanh(x))
PLAIN_UNARY(plain_reciprocal, 1 / x, 1 / x)
PLAIN_UNARY(plain_rsqrt, 1 / sqrtf(x), 1 / sqrt(x))
PLAIN_UNARY(plain_exp2, exp2f(x), exp2(x))
PLAIN_UNARY(plain_expm1, expm1f(x), expm1(x))
PLAIN_UNARY(plain_log2, log2f(x), log2(x))
PLAIN_UNARY(plain_log10, log10f(x), log10(x))
PLAIN_UNARY(plain_log1p, log1pf(x), log1p(x))
PLAIN_UNARY(plain_sin, sinf(x), sin(x))
PLAIN_UNARY(plain_cos, cosf(x), cos(x))
PLAIN_UNARY(plain_tan, tanf(x), tan(x))
PLAIN_UNARY(plain_asin, asinf(x), asin(x))
PLAIN_UNARY(plain_acos, acosf(x), acos(x))
PLAIN_UNARY(plain_atan, atanf(x), atan(x))
PLAIN_UNARY(plain_sinh, sinhf(x), sinh(x))
PLAIN_UNARY(plain_cosh, coshf(x), cosh(x))

/* Of real numbers, and not in float64, whose kernel the reference's is. */
static bool narrow(const ts_kernel_call *call)
{
    return tse_is_real(call->compute) && call->compute != TS_FLOAT64;
}

static double scaled_narrow(double x, double y, const void *with)
{
    return step(false, x + step(false, *(const double *)with * y));
}

static ts_status plain_scaled(const ts_kernel_call *call, int first, int sign)
{
    const double alpha =
        step(false, sign * ts_scalar_f64(call->args[TS_ADD_ALPHA].scalar));

    if (!narrow(call))
        return zoo_original(call->op)(call);
    return ts_map_binary(call, ts_call_tensor(call, first),
                         ts_call_tensor(call, 1 - first), call->compute, scaled_narrow,
                         NULL, &alpha);
}

static ts_status plain_add(const ts_kernel_call *call)
{
    return plain_scaled(call, 0, 1);
}

static ts_status plain_sub(const ts_kernel_call *call)
{
    return plain_scaled(call, 0, -1);
}

static ts_status plain_rsub(const ts_kernel_call *call)
{
    return plain_scaled(call, 1, -1);
}

static double addcmul_narrow(double x, double y, double z, const void *with)
{
    return step(false, x + step(false, step(false, *(const double *)with * y) * z));
}

static double lerp_narrow(double x, double y, double z, const void *with)
{
    const double across = step(false, y - x);

    (void)with;
    return fabs(z) < 0.5 ? step(false, x + step(false, z * across))
                         : step(false, y - step(false, across * step(false, 1 - z)));
}

static ts_status plain_addcmul(const ts_kernel_call *call)
{
    const double value = step(false, ts_scalar_f64(call->args[TS_ADDCMUL_VALUE].scalar));

    if (!narrow(call))
        return zoo_original(call->op)(call);
    return ts_map_ternary(call, ts_call_tensor(call, 0), ts_call_tensor(call, 1),
                          ts_call_tensor(call, 2), call->compute, addcmul_narrow, NULL,
                          &value);
}

static ts_status plain_lerp(const ts_kernel_call *call)
{
    ts_tensor *weight = ts_call_tensor(call, 2);

    if (!narrow(call))
        return zoo_original(call->op)(call);
    return ts_map_ternary(call, ts_call_tensor(call, 0), ts_call_tensor(call, 1), weight,
                          ts_map_factor(call, weight), lerp_narrow, NULL, NULL);
}

static double tanh_backward_narrow(double g, double y, const void *with)
{
    (void)with;
    return step(false, g * step(false, 1 - step(false, y * y)));
}

static ts_status plain_tanh_backward(const ts_kernel_call *call)
{
    if (call->compute == TS_FLOAT64)
        return zoo_original("tanh_backward")(call);
    return ts_map_binary(call, ts_call_tensor(call, 0), ts_call_tensor(call, 1),
                         call->compute, tanh_backward_narrow, NULL, NULL);
}

static double erf_of(bool w, double x)
{
    return w ? erf(x) : (double)erff((float)x);
}

static double tanh_of(bool w, double x)
{
    return w ? tanh(x) : (double)tanhf((float)x);
}

static double exp_of(bool w, double x)
{
    return w ? exp(x) : (double)expf((float)x);
}

typedef struct form {
    bool by_tanh, w;
} form;

static double inner(bool w, double x)
{
    const double cube = step(w, step(w, x * x) * x);

    return step(w, step(w, x + step(w, step(w, 0.044715) * cube)) *
                       step(w, 0.79788456080286536));
}

static double gelu_real(double x, double y, const void *with)
{
    const form *f = with;
    const double c = f->by_tanh
                         ? tanh_of(f->w, inner(f->w, x))
                         : erf_of(f->w, step(f->w, x * step(f->w, 0.70710678118654752)));

    (void)y;
    return step(f->w, step(f->w, 0.5 * x) * step(f->w, 1 + c));
}

static double gelu_slope(double g, double x, const void *with)
{
    const form *f = with;
    const bool w = f->w;
    double left, right;

    if (f->by_tanh) {
        const double t = tanh_of(w, inner(w, x));
        const double xx = step(w, x * x);
        const double d = step(w, step(w, 0.79788456080286536) *
                                     step(w, 1 + step(w, step(w, 3 * 0.044715) * xx)));

        left = step(w, 0.5 * step(w, 1 + t));
        right = step(w, step(w, step(w, 0.5 * x) * step(w, 1 - step(w, t * t))) * d);
    } else {
        const double z = step(w, x * step(w, 0.70710678118654752));

        left = step(w, 0.5 * step(w, 1 + erf_of(w, z)));
        right = step(w, x * step(w, step(w, 0.39894228040143268) *
                                        exp_of(w, step(w, -0.5 * step(w, x * x)))));
    }
    return step(w, g * step(w, left + right));
}

static ts_status plain_gelu(const ts_kernel_call *call)
{
    const form f = {call->args[TS_GELU_APPROXIMATE].string[0] == 't',
                    call->compute == TS_FLOAT64};

    return ts_map_unary(call, ts_call_tensor(call, TS_GELU_SELF), gelu_real, NULL, &f);
}

static ts_status plain_gelu_backward(const ts_kernel_call *call)
{
    const form f = {call->args[TS_GELU_BACKWARD_APPROXIMATE].string[0] == 't',
                    call->compute == TS_FLOAT64};

    return ts_map_binary(call, ts_call_tensor(call, TS_GELU_BACKWARD_GRAD_OUTPUT),
                         ts_call_tensor(call, TS_GELU_BACKWARD_SELF), call->compute,
                         gelu_slope, NULL, &f);
}

/* --- sums --- */

/* A sum so far, of float32 or wider: `part` of the elements since the last 128th. */
typedef struct sum {
    double whole, part;
    int64_t n;
} sum;

static void add(sum *s, bool w, double x)
{
    s->part = step(w, s->part + x);
    if (++s->n % PART == 0) {
        s->whole = s->n == PART ? s->part : step(w, s->whole + s->part);
        s->part = 0;
    }
}

static double total(const sum *s, bool w)
{
    return s->n <= PART && s->n % PART != 0 ? s->part
           : s->n % PART == 0               ? s->whole
                                            : step(w, s->whole + s->part);
}

static ts_status plain_reduction(const ts_kernel_call *call, bool mean)
{
    ts_tensor *y = call->results[0], *x = ts_call_tensor(call, 0);
    const ts_dtype c = tse_is_half(call->compute) ? TS_FLOAT32 : call->compute;
    const bool w = c == TS_FLOAT64;
    ts_reduce r;

    if (!tse_is_real(c))
        return zoo_original(call->op)(call);
    ts_reduce_start(&r, y, x, ts_reduce_mask(&call->args[1], x->ndim), call->args[2].b);
    while (ts_reduce_next(&r)) {
        sum s = {0};

        while (ts_reduce_line(&r))
            for (int64_t i = 0; i < r.n; i++)
                add(&s, w, tse_get_as(c, x, r.x + i * r.step));
        tse_put(y, r.y, mean ? step(w, total(&s, w) / (double)r.count) : total(&s, w));
    }
    return TS_OK;
}

static ts_status plain_sum(const ts_kernel_call *call)
{
    return plain_reduction(call, false);
}

static ts_status plain_mean(const ts_kernel_call *call)
{
    return plain_reduction(call, true);
}

static ts_status plain_cumsum(const ts_kernel_call *call)
{
    ts_tensor *y = call->results[0], *x = ts_call_tensor(call, 0), *t[] = {y, x};
    const ts_dtype c = tse_is_half(call->compute) ? TS_FLOAT32 : call->compute;
    ts_lines it;

    if (!tse_is_real(c))
        return zoo_original("cumsum")(call);
    for (ts_lines_dim(&it, ts_call_dim(call, 1, x), 2, t); ts_lines_next(&it);) {
        double s = 0;

        for (int64_t i = 0; i < it.n; i++) {
            s = step(c == TS_FLOAT64, s + tse_get_as(c, x, it.at[1] + i * it.step[1]));
            tse_put(y, it.at[0] + i * it.step[0], s);
        }
    }
    return TS_OK;
}

static void multiply(const ts_tensor *a, int64_t at, const ts_tensor *b, int64_t bt,
                     ts_tensor *y, int64_t yt)
{
    const int d = y->ndim - 2;

    for (int64_t i = 0; i < y->sizes[d]; i++)
        for (int64_t j = 0; j < y->sizes[d + 1]; j++) {
            double s = 0;

            for (int64_t k = 0; k < a->sizes[d + 1]; k++) {
                const double p =
                    tse_get(a, at + i * a->strides[d] + k * a->strides[d + 1]) *
                    tse_get(b, bt + k * b->strides[d] + j * b->strides[d + 1]);

                s = step(wide(y), s + step(wide(y), p));
            }
            tse_put(y, yt + i * y->strides[d] + j * y->strides[d + 1], s);
        }
}

static ts_status plain_mm(const ts_kernel_call *call)
{
    if (!tse_is_real(call->results[0]->dtype))
        return zoo_original("mm")(call);
    multiply(call->args[TS_MM_SELF].tensor, 0, call->args[TS_MM_MAT2].tensor, 0,
             call->results[0], 0);
    return TS_OK;
}

static ts_status plain_bmm(const ts_kernel_call *call)
{
    const ts_tensor *a = call->args[TS_BMM_SELF].tensor,
                    *b = call->args[TS_BMM_MAT2].tensor;
    ts_tensor *y = call->results[0];

    if (!tse_is_real(y->dtype))
        return zoo_original("bmm")(call);
    for (int64_t t = 0; t < y->sizes[0]; t++)
        multiply(a, t * a->strides[0], b, t * b->strides[0], y, t * y->strides[0]);
    return TS_OK;
}

/* --- softmax --- */

static double line_max(const ts_tensor *x, const ts_lines *it, int k)
{
    double m = -INFINITY;

    for (int64_t i = 0; i < it->n; i++) {
        const double v = tse_get(x, it->at[k] + i * it->step[k]);

        m = v > m ? v : m;
    }
    return m;
}

static ts_status plain_softmax_of(const ts_kernel_call *call, bool logarithm)
{
    ts_tensor *x = ts_call_tensor(call, 0), *y = call->results[0], *t[] = {y, x};
    const bool w = wide(x);
    ts_lines it;

    for (ts_lines_dim(&it, ts_call_dim(call, 1, x), 2, t); ts_lines_next(&it);) {
        const double m = line_max(x, &it, 1);
        double s = 0;
        sum all = {0};

        for (int64_t i = 0; i < it.n; i++)
            add(&all, w, exp_of(w, step(w, tse_get(x, it.at[1] + i * it.step[1]) - m)));
        s = total(&all, w);
        for (int64_t i = 0; i < it.n; i++) {
            const double d = step(w, tse_get(x, it.at[1] + i * it.step[1]) - m);

            tse_put(y, it.at[0] + i * it.step[0],
                    logarithm ? step(w, d - (w ? log(s) : (double)logf((float)s)))
                              : step(w, exp_of(w, d) / s));
        }
    }
    return TS_OK;
}

static ts_status plain_softmax(const ts_kernel_call *call)
{
    return plain_softmax_of(call, false);
}

static ts_status plain_log_softmax(const ts_kernel_call *call)
{
    return plain_softmax_of(call, true);
}

static ts_status plain_softmax_backward_of(const ts_kernel_call *call, bool logarithm)
{
    ts_tensor *g = ts_call_tensor(call, 0), *y = ts_call_tensor(call, 1);
    ts_tensor *x = call->results[0], *t[] = {x, g, y};
    const bool w = wide(y);
    ts_lines it;

    for (ts_lines_dim(&it, ts_call_dim(call, 2, y), 3, t); ts_lines_next(&it);) {
        sum all = {0};
        double s;

        for (int64_t i = 0; i < it.n; i++) {
            const double v = tse_get(g, it.at[1] + i * it.step[1]);

            add(&all, w,
                logarithm ? v : step(w, v * tse_get(y, it.at[2] + i * it.step[2])));
        }
        s = total(&all, w);
        for (int64_t i = 0; i < it.n; i++) {
            const double v = tse_get(g, it.at[1] + i * it.step[1]);
            const double p = tse_get(y, it.at[2] + i * it.step[2]);

            tse_put(x, it.at[0] + i * it.step[0],
                    logarithm ? step(w, v - step(w, exp_of(w, p) * s))
                              : step(w, p * step(w, v - s)));
        }
    }
    return TS_OK;
}

static ts_status plain_softmax_backward(const ts_kernel_call *call)
{
    return plain_softmax_backward_of(call, false);
}

static ts_status plain_log_softmax_backward(const ts_kernel_call *call)
{
    return plain_softmax_backward_of(call, true);
}

/* --- layer_norm, of packed tensors --- */

static bool packed(const ts_kernel_call *call)
{
    for (int i = 0; i < call->nargs; i++)
        if (ts_call_tensor(call, i) && !ts_is_contiguous(ts_call_tensor(call, i)))
            return false;
    for (int i = 0; i < call->nresults; i++)
        if (call->results[i] && !ts_is_contiguous(call->results[i]))
            return false;
    return true;
}

static ts_status plain_layer_norm(const ts_kernel_call *call)
{
    const ts_tensor *x = ts_call_tensor(call, TS_NATIVE_LAYER_NORM_INPUT);
    const ts_tensor *a = ts_call_tensor(call, TS_NATIVE_LAYER_NORM_WEIGHT);
    const ts_tensor *b = ts_call_tensor(call, TS_NATIVE_LAYER_NORM_BIAS);
    const double eps = call->args[TS_NATIVE_LAYER_NORM_EPS].f;
    const bool w = wide(x);
    int64_t n = 1, row = 0;

    for (int64_t i = 0; i < call->args[TS_NATIVE_LAYER_NORM_NORMALIZED_SHAPE].ints.n; i++)
        n *= call->args[TS_NATIVE_LAYER_NORM_NORMALIZED_SHAPE].ints.v[i];
    if (n == 0 || !packed(call))
        return zoo_original("native_layer_norm")(call);
    for (int64_t at = 0; at < x->numel; at += n, row++) {
        sum s = {0}, squares = {0};
        double mean, rstd;

        for (int64_t i = at; i < at + n; i++)
            add(&s, w, tse_get(x, i));
        mean = step(w, total(&s, w) / (double)n);
        for (int64_t i = at; i < at + n; i++) {
            const double d = step(w, tse_get(x, i) - mean);

            add(&squares, w, step(w, d * d));
        }
        rstd = step(w, total(&squares, w) / (double)n);
        rstd = step(w, 1 / step(w, sqrt(step(w, rstd + step(w, eps)))));
        for (int64_t i = at; i < at + n; i++) {
            double v = step(w, step(w, tse_get(x, i) - mean) * rstd);

            v = a ? step(w, v * tse_get(a, i - at)) : v;
            tse_put(call->results[0], i, b ? step(w, v + tse_get(b, i - at)) : v);
        }
        tse_put(call->results[1], row, mean);
        tse_put(call->results[2], row, rstd);
    }
    return TS_OK;
}

typedef struct backward {
    const ts_tensor *g, *x, *mean, *rstd, *weight;
    bool w;
    int64_t n;
} backward;

static double normal_at(const backward *b, int64_t i)
{
    const int64_t row = i / b->n;

    return step(b->w, step(b->w, tse_get(b->x, i) - tse_get(b->mean, row)) *
                          tse_get(b->rstd, row));
}

static double weighted(const backward *b, int64_t i)
{
    const double v = tse_get(b->g, i);

    return b->weight ? step(b->w, v * tse_get(b->weight, i % b->n)) : v;
}

static void layer_norm_row(const backward *b, ts_tensor *dx, int64_t at)
{
    const double rstd = tse_get(b->rstd, at / b->n), n = (double)b->n;
    const bool w = b->w;
    sum h = {0}, hx = {0};

    for (int64_t i = at; i < at + b->n; i++) {
        add(&h, w, weighted(b, i));
        add(&hx, w, step(w, weighted(b, i) * normal_at(b, i)));
    }
    for (int64_t i = at; i < at + b->n; i++) {
        const double mean = step(w, total(&h, w) / n), slope = step(w, total(&hx, w) / n);
        const double v = step(w, weighted(b, i) - mean);

        tse_put(dx, i, step(w, rstd * step(w, v - step(w, normal_at(b, i) * slope))));
    }
}

static ts_status plain_layer_norm_backward(const ts_kernel_call *call)
{
    const ts_value *a = call->args;
    ts_tensor *x = ts_call_tensor(call, TS_NATIVE_LAYER_NORM_BACKWARD_INPUT);
    backward b = {.g = ts_call_tensor(call, TS_NATIVE_LAYER_NORM_BACKWARD_GRAD_OUT),
                  .x = x,
                  .mean = ts_call_tensor(call, TS_NATIVE_LAYER_NORM_BACKWARD_MEAN),
                  .rstd = ts_call_tensor(call, TS_NATIVE_LAYER_NORM_BACKWARD_RSTD),
                  .weight = ts_call_tensor(call, TS_NATIVE_LAYER_NORM_BACKWARD_WEIGHT),
                  .w = wide(x),
                  .n = 1};

    for (int64_t i = 0; i < a[TS_NATIVE_LAYER_NORM_BACKWARD_NORMALIZED_SHAPE].ints.n; i++)
        b.n *= a[TS_NATIVE_LAYER_NORM_BACKWARD_NORMALIZED_SHAPE].ints.v[i];
    if (b.n == 0 || !packed(call))
        return zoo_original("native_layer_norm_backward")(call);
    for (int64_t at = 0; at < x->numel; at += b.n)
        layer_norm_row(&b, call->results[0], at);
    for (int64_t i = 0; i < b.n; i++) {
        sum dw = {0}, db = {0};

        for (int64_t at = i; at < x->numel; at += b.n) {
            add(&dw, b.w, step(b.w, tse_get(b.g, at) * normal_at(&b, at)));
            add(&db, b.w, tse_get(b.g, at));
        }
        tse_put(call->results[1], i, total(&dw, b.w));
        tse_put(call->results[2], i, total(&db, b.w));
    }
    return TS_OK;
}

/* --- losses --- */

static double weight_of(const ts_tensor *weight, int64_t class_)
{
    return weight ? tse_get(weight, class_ * weight->strides[0]) : 1;
}

static ts_status plain_nll_loss(const ts_kernel_call *call)
{
    const ts_tensor *x = call->args[TS_NLL_LOSS_FORWARD_SELF].tensor,
                    *target = call->args[TS_NLL_LOSS_FORWARD_TARGET].tensor,
                    *weight = ts_call_tensor(call, TS_NLL_LOSS_FORWARD_WEIGHT);
    const int64_t ignored = call->args[TS_NLL_LOSS_FORWARD_IGNORE_INDEX].i,
                  reduction = call->args[TS_NLL_LOSS_FORWARD_REDUCTION].i;
    sum losses = {0}, weights = {0};

    TS_TRY(zoo_original(call->op)(call)); /* which checks the targets */
    if (wide(x) || reduction == 0 || x->ndim != 2)
        return TS_OK;
    for (int64_t i = 0; i < x->sizes[0]; i++) {
        const int64_t t = tse_get_i64(target, i * target->strides[0]);
        double w;

        if (t == ignored)
            continue;
        w = weight_of(weight, t);
        add(&losses, false,
            -step(false, w * tse_get(x, i * x->strides[0] + t * x->strides[1])));
        add(&weights, false, w);
    }
    tse_put(call->results[0], 0,
            reduction == 1 ? step(false, total(&losses, false) / total(&weights, false))
                           : total(&losses, false));
    tse_put(call->results[1], 0, total(&weights, false));
    return TS_OK;
}

static const ts_kernel_entry plain[] = {
    {"exp", plain_exp},
    {"log", plain_log},
    {"sqrt", plain_sqrt},
    {"tanh", plain_tanh},
    {"reciprocal", plain_reciprocal},
    {"rsqrt", plain_rsqrt},
    {"exp2", plain_exp2},
    {"expm1", plain_expm1},
    {"log2", plain_log2},
    {"log10", plain_log10},
    {"log1p", plain_log1p},
    {"sin", plain_sin},
    {"cos", plain_cos},
    {"tan", plain_tan},
    {"asin", plain_asin},
    {"acos", plain_acos},
    {"atan", plain_atan},
    {"sinh", plain_sinh},
    {"cosh", plain_cosh},
    {"add", plain_add},
    {"sub", plain_sub},
    {"rsub", plain_rsub},
    {"addcmul", plain_addcmul},
    {"lerp", plain_lerp},
    {"nll_loss_forward", plain_nll_loss},
    {"tanh_backward", plain_tanh_backward},
    {"gelu", plain_gelu},
    {"gelu_backward", plain_gelu_backward},
    {"sum", plain_sum},
    {"mean", plain_mean},
    {"cumsum", plain_cumsum},
    {"mm", plain_mm},
    {"bmm", plain_bmm},
    {"_softmax", plain_softmax},
    {"_log_softmax", plain_log_softmax},
    {"_softmax_backward_data", plain_softmax_backward},
    {"_log_softmax_backward_data", plain_log_softmax_backward},
    {"native_layer_norm", plain_layer_norm},
    {"native_layer_norm_backward", plain_layer_norm_backward},
};

ts_status ts_backend_open(const ts_host *host, ts_backend *out)
{
    TS_TRY(zoo_open(host, out, plain, sizeof(plain) / sizeof(*plain)));
    out->name = "plain";
    return TS_OK;
}

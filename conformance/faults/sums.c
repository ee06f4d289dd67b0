/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Faults of how terms are added up: kind accumulation. The ops that add are written here once
 * more, with a sum that can be wrong in a few ways; what the fault does not touch is added as
 * the reference adds it, or the reference's own result stays.
 */
#include <stdlib.h>

#include "faults/faults.h"

typedef enum way {
    IN,         /* every partial sum is rounded to a dtype */
    BEYOND,     /* terms from the nth on are lost */
    REST_LOST,  /* terms behind the last whole block of n are lost, where there is one */
    RESTARTS,   /* the sum begins anew at every nth term */
    ZERO_SKIPS, /* a zero factor ends a product: infinity times zero is nothing */
    PRODUCTS,   /* products are rounded to a dtype */
    SQUARES,    /* variance as the mean of squares less the square of the mean */
    NO_MAX      /* exponentials of what is there, no maximum taken off */
} way;

typedef struct sum {
    const fault *f;
    way how;
    double real;
    int64_t whole, n; /* n: how many terms there are */
} sum;

static bool counts(sum *s, int64_t i)
{
    if (s->how == RESTARTS && i > 0 && i % s->f->n[0] == 0) {
        s->real = 0;
        s->whole = 0;
    }
    return !(s->how == BEYOND && i >= s->f->n[0]) &&
           !(s->how == REST_LOST && s->n > s->f->n[0] && i >= s->n - s->n % s->f->n[0]);
}

static void add(sum *s, double v, int64_t i)
{
    if (!counts(s, i))
        return;
    s->real += v;
    if (s->how == IN)
        s->real = tse_round(s->f->dtype, s->real);
}

static void add_whole(sum *s, int64_t v, int64_t i)
{
    uint64_t cell = 0;

    if (!counts(s, i))
        return;
    s->whole = (int64_t)((uint64_t)s->whole + (uint64_t)v);
    if (s->how == IN) {
        tse_write_i64(s->f->dtype, &cell, s->whole);
        s->whole = tse_read_i64(s->f->dtype, &cell);
    }
}

static double product(const sum *s, double a, double b)
{
    if (s->how == ZERO_SKIPS && (a == 0 || b == 0))
        return 0;
    return s->how == PRODUCTS ? tse_round(s->f->dtype, a * b) : a * b;
}

static ts_status reduction(const fault *f, way how, const ts_kernel_call *call, bool mean)
{
    const ts_tensor *x = call->args[0].tensor;
    ts_tensor *y = call->results[0];
    const ts_dtype c = mean && tse_is_half(call->compute) ? TS_FLOAT32 : call->compute;
    const uint64_t mask = ts_reduce_mask(&call->args[1], x->ndim);
    ts_reduce r;

    for (ts_reduce_start(&r, y, x, mask, call->args[2].b); ts_reduce_next(&r);) {
        sum s = {.f = f, .how = how, .n = r.count};
        int64_t k = 0;

        while (ts_reduce_line(&r))
            for (int64_t i = 0; i < r.n; i++, k++) {
                if (tse_is_real(c))
                    add(&s, tse_get_as(c, x, r.x + i * r.step), k);
                else
                    add_whole(&s, tse_get_i64_as(c, x, r.x + i * r.step), k);
            }
        if (tse_is_real(c))
            tse_put_as(c, y, r.y, mean ? s.real / (double)r.count : s.real);
        else
            tse_put_i64_as(c, y, r.y, s.whole);
    }
    return TS_OK;
}

static ts_status scan(const fault *f, way how, const ts_kernel_call *call)
{
    ts_tensor *x = call->args[0].tensor, *y = call->results[0];
    ts_lines it;

    for (ts_lines_dim(&it, ts_call_dim(call, 1, x), 2, (ts_tensor *[]){y, x});
         ts_lines_next(&it);) {
        sum s = {.f = f, .how = how, .n = it.n};

        for (int64_t i = 0; i < it.n; i++) {
            const int64_t from = it.at[1] + i * it.step[1],
                          to = it.at[0] + i * it.step[0];

            if (tse_is_real(y->dtype)) {
                add(&s, tse_get_as(y->dtype, x, from), i);
                tse_put(y, to, s.real);
            } else {
                add_whole(&s, tse_get_i64_as(y->dtype, x, from), i);
                tse_put_i64(y, to, s.whole);
            }
        }
    }
    return TS_OK;
}

static ts_status matrices(const fault *f, way how, const ts_kernel_call *call)
{
    const ts_tensor *a = call->args[0].tensor, *b = call->args[1].tensor;
    ts_tensor *y = call->results[0];
    const int64_t n = y->sizes[y->ndim - 1], rows = y->sizes[y->ndim - 2];
    const int64_t inner = a->sizes[a->ndim - 1];

    for (int64_t i = 0; i < y->numel; i++) {
        const int64_t batch = i / (n * rows), row = i / n % rows, column = i % n;
        sum s = {.f = f, .how = how, .n = inner};

        for (int64_t k = 0; k < inner; k++) {
            const char *u = fault_cell(a, (batch * rows + row) * inner + k);
            const char *v = fault_cell(b, (batch * inner + k) * n + column);

            if (tse_is_real(y->dtype))
                add(&s, product(&s, tse_read(a->dtype, u), tse_read(b->dtype, v)), k);
            else
                add_whole(&s,
                          (int64_t)((uint64_t)tse_read_i64(a->dtype, u) *
                                    (uint64_t)tse_read_i64(b->dtype, v)),
                          k);
        }
        if (tse_is_real(y->dtype))
            tse_write(y->dtype, fault_cell(y, i), s.real);
        else
            tse_write_i64(y->dtype, fault_cell(y, i), s.whole);
    }
    return TS_OK;
}

static ts_status softmax(const fault *f, way how, const ts_kernel_call *call, bool logs)
{
    ts_tensor *x = call->args[0].tensor, *y = call->results[0];
    ts_lines it;

    for (ts_lines_dim(&it, ts_call_dim(call, 1, x), 2, (ts_tensor *[]){y, x});
         ts_lines_next(&it);) {
        sum s = {.f = f, .how = how, .n = it.n};
        double most = how == NO_MAX ? 0 : -INFINITY;

        for (int64_t i = 0; how != NO_MAX && i < it.n; i++) {
            const double v = tse_get(x, it.at[1] + i * it.step[1]);

            most = v > most ? v : most;
        }
        for (int64_t i = 0; i < it.n; i++) {
            const double e = exp(tse_get(x, it.at[1] + i * it.step[1]) - most);

            add(&s, how == NO_MAX && x->dtype == TS_FLOAT32 ? (double)(float)e : e, i);
        }
        for (int64_t i = 0; i < it.n; i++) {
            const double v = tse_get(x, it.at[1] + i * it.step[1]) - most;
            const double e =
                how == NO_MAX && x->dtype == TS_FLOAT32 ? (double)(float)exp(v) : exp(v);

            tse_put(y, it.at[0] + i * it.step[0], logs ? v - log(s.real) : e / s.real);
        }
    }
    return TS_OK;
}

static ts_status softmax_backward(const fault *f, way how, const ts_kernel_call *call,
                                  bool logs)
{
    ts_tensor *g = call->args[0].tensor, *y = call->args[1].tensor, *x = call->results[0];
    ts_lines it;

    for (ts_lines_dim(&it, ts_call_dim(call, 2, y), 3, (ts_tensor *[]){x, g, y});
         ts_lines_next(&it);) {
        sum s = {.f = f, .how = how, .n = it.n};

        for (int64_t i = 0; i < it.n; i++) {
            const double d = tse_get(g, it.at[1] + i * it.step[1]);

            add(&s, logs ? d : product(&s, d, tse_get(y, it.at[2] + i * it.step[2])), i);
        }
        for (int64_t i = 0; i < it.n; i++) {
            const double d = tse_get(g, it.at[1] + i * it.step[1]);
            const double v = tse_get(y, it.at[2] + i * it.step[2]);

            tse_put(x, it.at[0] + i * it.step[0],
                    logs ? d - exp(v) * s.real : v * (d - s.real));
        }
    }
    return TS_OK;
}

/* Rows of the last dims that normalized_shape names. */
static int64_t row_length(const ts_value *shape)
{
    int64_t n = 1;

    for (int64_t i = 0; i < shape->ints.n; i++)
        n *= shape->ints.v[i];
    return n;
}

static double weight_at(const ts_value *w, int64_t i, double without)
{
    return w->kind == TS_ARG_TENSOR && w->tensor ? fault_get(w->tensor, i) : without;
}

static ts_status layer_norm(const fault *f, way how, const ts_kernel_call *call)
{
    const ts_tensor *x = call->args[0].tensor;
    const int64_t n = row_length(&call->args[1]), rows = n > 0 ? x->numel / n : 0;

    if (rows == 0)
        return f->original(call);
    for (int64_t r = 0; r < rows; r++) {
        sum s = {.f = f, .how = how, .n = n}, q = s;
        double mean, variance, rstd;

        for (int64_t i = 0; i < n; i++)
            add(&s, fault_get(x, r * n + i), i);
        mean = s.real / (double)n;
        for (int64_t i = 0; i < n; i++) {
            const double v = fault_get(x, r * n + i) - (how == SQUARES ? 0 : mean);

            add(&q, v * v, i);
        }
        variance = q.real / (double)n;
        if (how == SQUARES)
            variance = tse_round(f->dtype, tse_round(f->dtype, variance) -
                                               tse_round(f->dtype, mean * mean));
        rstd = 1 / sqrt((variance < 0 ? 0 : variance) + call->args[4].f);
        for (int64_t i = 0; i < n; i++)
            tse_write(call->results[0]->dtype, fault_cell(call->results[0], r * n + i),
                      (fault_get(x, r * n + i) - mean) * rstd *
                              weight_at(&call->args[2], i, 1) +
                          weight_at(&call->args[3], i, 0));
        tse_write(call->results[1]->dtype, fault_cell(call->results[1], r), mean);
        tse_write(call->results[2]->dtype, fault_cell(call->results[2], r), rstd);
    }
    return TS_OK;
}

static ts_status layer_norm_backward(const fault *f, way how, const ts_kernel_call *call)
{
    const ts_tensor *g = call->args[0].tensor, *x = call->args[1].tensor;
    const ts_tensor *mean = call->args[3].tensor, *rstd = call->args[4].tensor;
    ts_tensor *dx = call->results[0], *dw = call->results[1], *db = call->results[2];
    const int64_t n = row_length(&call->args[2]), rows = n > 0 ? x->numel / n : 0;

    if (rows == 0)
        return f->original(call);
    for (int64_t r = 0; r < rows; r++) {
        const double m = fault_get(mean, r), s = fault_get(rstd, r);
        sum a = {.f = f, .how = how, .n = n}, b = a;

        for (int64_t i = 0; i < n; i++) {
            const double h = fault_get(g, r * n + i) * weight_at(&call->args[5], i, 1);

            add(&a, h, i);
            add(&b, h * (fault_get(x, r * n + i) - m) * s, i);
        }
        for (int64_t i = 0; i < n; i++) {
            const double h = fault_get(g, r * n + i) * weight_at(&call->args[5], i, 1);
            const double xh = (fault_get(x, r * n + i) - m) * s;

            tse_write(dx->dtype, fault_cell(dx, r * n + i),
                      s * (h - a.real / (double)n - xh * (b.real / (double)n)));
        }
    }
    for (int64_t i = 0; i < n; i++) {
        sum w = {.f = f, .how = how, .n = rows}, b = w;

        for (int64_t r = 0; r < rows; r++) {
            const double v = fault_get(g, r * n + i);

            add(&w,
                v * (fault_get(x, r * n + i) - fault_get(mean, r)) * fault_get(rstd, r),
                r);
            add(&b, v, r);
        }
        tse_write(dw->dtype, fault_cell(dw, i), w.real);
        tse_write(db->dtype, fault_cell(db, i), b.real);
    }
    return TS_OK;
}

static ts_status accumulated(const fault *f, way how, const ts_kernel_call *call)
{
    if (strcmp(call->op, "sum") == 0 || strcmp(call->op, "mean") == 0)
        return reduction(f, how, call, call->op[0] == 'm');
    if (strcmp(call->op, "cumsum") == 0)
        return scan(f, how, call);
    if (strcmp(call->op, "mm") == 0 || strcmp(call->op, "bmm") == 0)
        return matrices(f, how, call);
    if (strcmp(call->op, "_softmax") == 0 || strcmp(call->op, "_log_softmax") == 0)
        return softmax(f, how, call, call->op[1] == 'l');
    if (strcmp(call->op, "_softmax_backward_data") == 0 ||
        strcmp(call->op, "_log_softmax_backward_data") == 0)
        return softmax_backward(f, how, call, call->op[1] == 'l');
    if (strcmp(call->op, "native_layer_norm") == 0)
        return layer_norm(f, how, call);
    if (strcmp(call->op, "native_layer_norm_backward") == 0)
        return layer_norm_backward(f, how, call);
    return f->original(call);
}

#define ACCUMULATED(NAME, WAY)                                  \
    static ts_status NAME(fault *f, const ts_kernel_call *call) \
    {                                                           \
        return accumulated(f, WAY, call);                       \
    }

ACCUMULATED(in, IN)
ACCUMULATED(beyond, BEYOND)
ACCUMULATED(rest_lost, REST_LOST)
ACCUMULATED(restarts, RESTARTS)
ACCUMULATED(zero_skips, ZERO_SKIPS)
ACCUMULATED(products_in, PRODUCTS)
ACCUMULATED(mean_of_squares, SQUARES)
ACCUMULATED(no_maximum, NO_MAX)

/* --- sums that are scattered: one call of the kernel after the other --- */

/* Whether argument i, and which dim of it, gives one term of a scattered sum after the other;
 * its results are added to args[0], or to zero. */
typedef struct scattered {
    const char *op;
    int index, source, dim; /* dim: the argument that says it; -1: rows, of grad_output */
} scattered;

static const scattered scatters[] = {{"index_add", 2, 3, 1}, {"scatter_add", 2, 3, 1}};

/* One entry of `index` (a slice along dim) and its part of the source. */
static ts_tensor *slice(fault_room *r, ts_tensor *t, int dim, int64_t i)
{
    ts_tensor *v = fault_view(r, t);

    v->sizes = fault_take_room(r, sizeof(int64_t) * (size_t)(t->ndim + 1));
    memcpy(v->sizes, t->sizes, sizeof(int64_t) * (size_t)t->ndim);
    v->sizes[dim] = 1;
    v->numel = t->sizes[dim] > 0 ? t->numel / t->sizes[dim] : 0;
    v->data = tse_at(t, i * t->strides[dim]);
    return v;
}

/* Every term is stored before the next is added: in the result's own dtype. */
static ts_status stored_each_time(fault *f, const ts_kernel_call *call)
{
    const scattered *s = NULL;

    for (size_t i = 0; i < sizeof scatters / sizeof *scatters; i++)
        if (strcmp(call->op, scatters[i].op) == 0)
            s = &scatters[i];
    if (s && call->args[0].tensor->ndim > 0 && call->args[s->index].tensor->ndim > 0) {
        ts_tensor *index = call->args[s->index].tensor,
                  *src = call->args[s->source].tensor;
        const int dim = ts_call_dim(call, s->dim, call->args[0].tensor);
        const int along = index->ndim == src->ndim ? dim : 0;
        const int64_t n = index->sizes[along];

        for (int64_t i = 0; i < n; i++) {
            fault_room room = {.count = 0};
            ts_kernel_call *mine = fault_call(&room, call);
            ts_status status;

            fault_args(mine)[s->index].tensor = slice(&room, index, along, i);
            fault_args(mine)[s->source].tensor = slice(&room, src, dim, i);
            if (i > 0)
                fault_args(mine)[0].tensor = call->results[0];
            status = f->original(mine);
            fault_leave(&room);
            TS_TRY(status);
        }
        if (n > 0)
            return TS_OK;
    }
    return f->original(call);
}

/* Only the last of those that have one index counts: a store where an add is due. */
static ts_status duplicates_lost(fault *f, const ts_kernel_call *call)
{
    const bool rows = strcmp(call->op, "embedding_dense_backward") == 0;
    const int at = rows ? 1 : 2, from = rows ? 0 : 3;
    fault_room room = {.count = 0};
    ts_kernel_call *mine;
    ts_tensor *index, *src;
    ts_status status;

    if (!rows && strcmp(call->op, "index_add") != 0 &&
        strcmp(call->op, "scatter_add") != 0)
        return f->original(call);
    index = call->args[at].tensor;
    if (index->numel < 2 || index->numel <= f->n[0] ||
        call->args[from].tensor->numel == 0)
        return f->original(call);
    mine = fault_call(&room, call);
    src = fault_dense(&room, call->args[from].tensor, call->args[from].tensor->dtype);
    /* What comes before its double adds nothing; neighbours alone, as in a store's window. */
    for (int64_t i = 0; i + 1 < index->numel; i++) {
        const int64_t part = rows || src->ndim == 1 || index->ndim == src->ndim
                                 ? src->numel / index->numel
                                 : 0;

        if (tse_read_i64(TS_INT64, fault_cell(index, i)) ==
            tse_read_i64(TS_INT64, fault_cell(index, i + 1)))
            for (int64_t k = 0; k < part; k++)
                fault_clear(src, i * part + k);
    }
    fault_args(mine)[from].tensor = src;
    status = f->original(mine);
    fault_leave(&room);
    return status;
}

const fault_row faults_in_sums[] = {{"accumulation/in", in},
                                    {"accumulation/beyond", beyond},
                                    {"accumulation/rest_lost", rest_lost},
                                    {"accumulation/restarts", restarts},
                                    {"accumulation/zero_skips", zero_skips},
                                    {"accumulation/products_in", products_in},
                                    {"accumulation/mean_of_squares", mean_of_squares},
                                    {"accumulation/no_maximum", no_maximum},
                                    {"accumulation/stored_each_time", stored_each_time},
                                    {"index/duplicates_lost", duplicates_lost},
                                    {NULL, NULL}};

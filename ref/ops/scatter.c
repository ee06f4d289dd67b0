/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scatter: a copy of self, then element by element of the index. What reduces keeps an
 * accumulator for each element of the result, in row-major order.
 *
 * Rounding  none in scatter; sums and products in double (integers: modulo 2^64), stored
 * once (S12, S13). Errors  C5 before anything is written.
 */
#include "touchstone/ops/scatter_glue.h"

#include <stdlib.h>

#include "ops/along.h"
#include "ops/copying.h"

static void begin(const ts_kernel_call *call)
{
    if (call->form != TS_INPLACE)
        tsk_copy_elements(call->results[0], call->args[TSK_ALONG_SELF].tensor);
}

ts_status tsk_scatter(const ts_kernel_call *call)
{
    const ts_tensor *index = call->args[TS_SCATTER_INDEX].tensor;
    const ts_tensor *src = call->args[TS_SCATTER_SRC].tensor;
    ts_tensor *y = call->results[0];
    const size_t bytes = tse_bytes(y->dtype);
    const int dim = ts_call_dim(call, TS_SCATTER_DIM, y);
    tsk_walk w = {.i = 0};

    TS_TRY(tsk_along_check(call, "scatter/C5"));
    begin(call);
    while (tsk_walk_next(&w, index)) { /* S1 */
        const int64_t k = tse_get_i64(index, tsk_element(index, &w));

        memcpy(tse_at(y, tsk_element_at(y, &w, dim, k)),
               tse_at(src, tsk_element(src, &w)), bytes);
    }
    return TS_OK;
}

/* The number as an element of y's dtype. */
static void encode(const ts_tensor *y, ts_scalar value, void *cell)
{
    if (value.kind == TS_SCALAR_FLOAT)
        tse_convert(TS_FLOAT64, &value.f, y->dtype, cell);
    else
        tse_convert(TS_INT64, &value.i, y->dtype, cell);
}

ts_status tsk_scatter_value(const ts_kernel_call *call)
{
    const ts_tensor *index = call->args[TS_SCATTER_VALUE_INDEX].tensor;
    ts_tensor *y = call->results[0];
    const size_t bytes = tse_bytes(y->dtype);
    const int dim = ts_call_dim(call, TS_SCATTER_VALUE_DIM, y);
    tsk_walk w = {.i = 0};
    uint64_t cell;

    TS_TRY(tsk_along_check(call, "scatter/C5"));
    encode(y, call->args[TS_SCATTER_VALUE_VALUE].scalar, &cell);
    begin(call);
    while (tsk_walk_next(&w, index)) { /* S9 */
        const int64_t k = tse_get_i64(index, tsk_element(index, &w));

        memcpy(tse_at(y, tsk_element_at(y, &w, dim, k)), &cell, bytes);
    }
    return TS_OK;
}

/* --- reductions --- */

typedef struct slot {
    tsk_accumulator a;
    int64_t n; /* how many went into a */
} slot;

static void fold(slot *s, char how, double v)
{
    if (s->n++ == 0)
        s->a.f = v;
    else if (how == 's')
        s->a.f += v;
    else if (how == 'p')
        s->a.f *= v;
    else if (!isnan(s->a.f) && (isnan(v) || (how == '>' ? v > s->a.f : v < s->a.f)))
        s->a.f = v; /* S14 */
}

static void fold_i64(slot *s, char how, bool truth, int64_t v)
{
    if (s->n++ == 0)
        s->a.i = v;
    else if (how == 's')
        s->a.i = truth ? s->a.i | v : (int64_t)((uint64_t)s->a.i + (uint64_t)v);
    else if (how == 'p')
        s->a.i = (int64_t)((uint64_t)s->a.i * (uint64_t)v);
    else if (how == '>' ? v > s->a.i : v < s->a.i)
        s->a.i = v;
}

static void fold_element(slot *s, char how, const ts_tensor *t, const void *element)
{
    if (tse_is_real(t->dtype))
        fold(s, how, tse_read(t->dtype, element));
    else
        fold_i64(s, how, t->dtype == TS_BOOL, tse_read_i64(t->dtype, element));
}

/* v as a number of the integer dtype, wrapped into it. */
static int64_t wrapped(ts_dtype dtype, int64_t v)
{
    uint64_t cell = 0;

    tse_write_i64(dtype, &cell, v);
    return tse_read_i64(dtype, &cell);
}

static int64_t floor_mean(ts_dtype dtype, const slot *s)
{
    const int64_t sum = wrapped(dtype, s->a.i);
    const int64_t count = wrapped(dtype, s->n), n = count ? count : 1;

    if (n == -1)
        return (int64_t)(0 - (uint64_t)sum);
    return sum / n - (sum % n != 0 && (sum < 0) != (n < 0)); /* S13 */
}

/* How the reduction is called in here: of a mean the sum. */
typedef struct reduction {
    char how; /* s, p, > or < */
    bool mean, include_self;
} reduction;

static void store(const reduction *r, const slot *s, ts_tensor *y, int64_t at)
{
    if (tse_is_real(y->dtype))
        tse_put(y, at, r->mean && s->n > 1 ? s->a.f / (double)s->n : s->a.f);
    else
        tse_put_i64(y, at, r->mean ? floor_mean(y->dtype, s) : s->a.i);
}

/* `value`: an element of y's dtype in place of the source's. */
static ts_status reduce(const ts_kernel_call *call, const reduction *r, const void *value)
{
    const ts_tensor *index = call->args[TSK_ALONG_INDEX].tensor;
    const ts_tensor *src = value ? NULL : call->args[TSK_ALONG_SRC].tensor;
    const ts_tensor *x = call->args[TSK_ALONG_SELF].tensor;
    ts_tensor *y = call->results[0], row_major = *y;
    const int dim = ts_call_dim(call, TSK_ALONG_DIM, y);
    int64_t strides[TS_MAX_DIMS];
    tsk_walk w = {.i = 0}, all = {.i = 0};
    slot *slots;

    TS_TRY(tsk_along_check(call, "scatter/C5"));
    slots = calloc((size_t)y->numel + 1, sizeof *slots);
    TS_CHECK(slots, TS_ERR_OUT_OF_MEMORY, NULL, "%s: out of memory", call->op);
    ts_contiguous_strides(y->ndim, y->sizes, strides);
    row_major.strides = strides;
    if (r->include_self)
        while (tsk_walk_next(&all, y))
            fold_element(&slots[tsk_element(&row_major, &all)], r->how, x,
                         tse_at(x, tsk_element(x, &all)));
    while (tsk_walk_next(&w, index)) { /* S11 */
        const int64_t k = tse_get_i64(index, tsk_element(index, &w));

        fold_element(&slots[tsk_element_at(&row_major, &w, dim, k)], r->how, y,
                     value ? value : tse_at(src, tsk_element(src, &w)));
    }
    begin(call);
    for (all = (tsk_walk){.i = 0}; tsk_walk_next(&all, y);) {
        const slot *s = &slots[tsk_element(&row_major, &all)];

        if (s->n > r->include_self) /* who is not pointed at keeps its bits */
            store(r, s, y, tsk_element(y, &all));
    }
    free(slots);
    return TS_OK;
}

static char named(const char *word)
{
    if (strcmp(word, "amax") == 0 || strcmp(word, "max") == 0) /* S15 */
        return '>';
    if (strcmp(word, "amin") == 0 || strcmp(word, "min") == 0)
        return '<';
    return strcmp(word, "prod") == 0 || strcmp(word, "multiply") == 0 ? 'p' : 's';
}

ts_status tsk_scatter_reduce(const ts_kernel_call *call)
{
    const char *word = call->args[TS_SCATTER_REDUCE_REDUCE].string;
    const reduction r = {.how = named(word),
                         .mean = strcmp(word, "mean") == 0,
                         .include_self = call->args[TS_SCATTER_REDUCE_INCLUDE_SELF].b};

    return reduce(call, &r, NULL);
}

ts_status tsk_scatter_src_reduce(const ts_kernel_call *call)
{
    const reduction r = {
        .how = named(call->args[TS_SCATTER_SRC_REDUCE_REDUCE].string),
        .include_self = true,
    };

    return reduce(call, &r, NULL);
}

ts_status tsk_scatter_value_reduce(const ts_kernel_call *call)
{
    const reduction r = {
        .how = named(call->args[TS_SCATTER_VALUE_REDUCE_REDUCE].string),
        .include_self = true,
    };
    uint64_t cell;

    encode(call->results[0], call->args[TS_SCATTER_VALUE_REDUCE_VALUE].scalar, &cell);
    return reduce(call, &r, &cell);
}

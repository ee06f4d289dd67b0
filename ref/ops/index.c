/* SPDX-License-Identifier: Apache-2.0 */
/*
 * index and index_put: first where each position of the indices' common shape points in
 * self, every number checked, then one block of self after the other.
 *
 * Rounding  index copies; index_put with accumulate sums in double (integers: modulo 2^64)
 * over the whole result and stores once (S10). Errors  C5 before anything is written.
 */
#include "touchstone/subscript.h"

#include <stdlib.h>

#include "copying.h"
#include "touchstone/ops/index_glue.h"

/* The call's indices as numbers. */
typedef struct plan {
    ts_subscript s;
    int64_t counts[TS_MAX_DIMS];
    int64_t *numbers[TS_MAX_DIMS]; /* of a mask: where it is true, along that dim */
    int64_t n;                     /* positions of the common shape */
} plan;

/* To the next place of a shape; *at moves by the strides. False after the last. */
static bool advance(int ndim, const int64_t *sizes, const int64_t *strides,
                    int64_t *place, int64_t *at)
{
    for (int d = ndim - 1; d >= 0; d--) {
        *at += strides[d];
        if (++place[d] < sizes[d])
            return true;
        *at -= place[d] * strides[d];
        place[d] = 0;
    }
    return false;
}

/* S6: where the mask of indices [i, i + its dims) is true, in row-major order. */
static ts_status expand_mask(plan *p, int i, const char *op)
{
    const ts_tensor *m = p->s.index[i].t;
    int64_t place[TS_MAX_DIMS] = {0}, at = 0, n = 0;
    int64_t *v = malloc((size_t)(m->numel * m->ndim) * sizeof *v + 1);

    TS_CHECK(v, TS_ERR_OUT_OF_MEMORY, NULL, "%s: out of memory", op);
    p->numbers[i] = v; /* the first one's block is them all */
    for (int d = 0; d < m->ndim; d++)
        p->numbers[i + d] = v + d * m->numel;
    if (m->numel > 0)
        do {
            if (tse_get_i64(m, at) == 0)
                continue;
            for (int d = 0; d < m->ndim; d++)
                p->numbers[i + d][n] = place[d];
            n++;
        } while (advance(m->ndim, m->sizes, m->strides, place, &at));
    for (int d = 0; d < m->ndim; d++)
        p->counts[i + d] = n;
    return TS_OK;
}

static void plan_end(plan *p)
{
    for (int i = 0; i < p->s.n; i++)
        if (p->s.index[i].column == 0)
            free(p->numbers[i]);
}

static ts_status make_plan(plan *p, const char *op, const ts_tensor *self,
                           const ts_value *indices)
{
    TS_TRY(ts_subscript_read(&p->s, op, self, indices));
    for (int i = 0; i < p->s.n; i++)
        p->numbers[i] = NULL;
    for (int i = 0; i < p->s.n; i++)
        if (p->s.index[i].column == 0)
            TS_TRY(expand_mask(p, i, op));
    TS_TRY(ts_subscript_shape(&p->s, op, self, p->counts));
    p->n = 1;
    for (int d = 0; d < p->s.npicked; d++)
        p->n *= p->s.sizes[p->s.first + d];
    return TS_OK;
}

/* Where each position points, by `strides` of self's dims. */
static ts_status aim(const plan *p, const char *op, const ts_tensor *self,
                     const int64_t *strides, int64_t *to)
{
    const ts_subscript *s = &p->s;
    int64_t steps[TS_MAX_DIMS];

    for (int64_t k = 0; k < p->n; k++)
        to[k] = 0;
    for (int i = 0; i < s->n; i++) {
        const int dim = s->index[i].dim;
        const int64_t size = self->sizes[dim];
        int64_t place[TS_MAX_DIMS] = {0}, at = 0;

        ts_subscript_strides(s, p->counts, i, steps);
        for (int64_t k = 0; k < p->n; k++) {
            const int64_t v =
                p->numbers[i] ? p->numbers[i][at] : tse_get_i64(s->index[i].t, at);

            TS_CHECK(-size <= v && v < size, TS_ERR_INDEX, "index/C5",
                     "%s: index %" PRId64 " is out of bounds for dim %d of size %" PRId64,
                     op, v, dim, size);
            to[k] += (v < 0 ? v + size : v) * strides[dim]; /* S2 */
            (void)advance(s->npicked, s->sizes + s->first, steps, place, &at);
        }
    }
    return TS_OK;
}

static ts_status aimed(const plan *p, const char *op, const ts_tensor *self,
                       const int64_t *strides, int64_t **to)
{
    ts_status st;

    *to = malloc((size_t)p->n * sizeof **to + 1);
    TS_CHECK(*to, TS_ERR_OUT_OF_MEMORY, NULL, "%s: out of memory", op);
    st = aim(p, op, self, strides, *to);
    if (st != TS_OK)
        free(*to);
    return st;
}

/* Two tensors position by position: the block of self that `to` names, and that of what
 * has the result's shape. */
typedef struct blocks {
    const plan *p;
    int64_t rest[TS_MAX_DIMS], strides[2][TS_MAX_DIMS], steps[TS_MAX_DIMS];
    int64_t place[TS_MAX_DIMS];
    ts_tensor part[2];
    ts_lines lines;
    int64_t k, other; /* position; where the other tensor stands */
} blocks;

/* `own` are self's strides or those of what stands for it, `other` the result's. */
static void blocks_start(blocks *b, const plan *p, const int64_t *own,
                         const int64_t *other)
{
    const ts_subscript *s = &p->s;
    int n = 0;

    memset(b, 0, sizeof *b);
    b->p = p;
    b->part[0].numel = 1;
    for (int d = 0; d < s->ndim; d++) {
        if (d >= s->first && d < s->first + s->npicked) {
            b->steps[d - s->first] = other[d];
            continue;
        }
        b->rest[n] = s->sizes[d];
        b->strides[0][n] = own[s->from[d]];
        b->strides[1][n++] = other[d];
        b->part[0].numel *= s->sizes[d];
    }
    for (int k = 0; k < 2; k++) {
        b->part[k].ndim = n;
        b->part[k].sizes = b->rest;
        b->part[k].strides = b->strides[k];
    }
    ts_lines_pointwise(&b->lines, &b->part[0], 2,
                       (ts_tensor *[]){&b->part[0], &b->part[1]});
    b->k = -1;
}

/* The next line: lines.n elements of self from *own on and of the other from *other on,
 * by lines.step. */
static bool blocks_next(blocks *b, const int64_t *to, int64_t *own, int64_t *other)
{
    const ts_subscript *s = &b->p->s;

    while (b->k < 0 || !ts_lines_next(&b->lines)) {
        if (b->k >= 0)
            (void)advance(s->npicked, s->sizes + s->first, b->steps, b->place, &b->other);
        if (++b->k >= b->p->n || b->part[0].numel == 0)
            return false;
        b->lines.started = false; /* after its last line it stands at its first again */
    }
    *own = to[b->k] + b->lines.at[0];
    *other = b->other + b->lines.at[1];
    return true;
}

static ts_status index_into(const ts_kernel_call *call, const plan *p, ts_tensor *y)
{
    const ts_tensor *x = call->args[TS_INDEX_SELF].tensor;
    const size_t bytes = tse_bytes(x->dtype);
    int64_t *to, from, at;
    blocks b;

    TS_TRY(aimed(p, call->op, x, x->strides, &to));
    for (blocks_start(&b, p, x->strides, y->strides); blocks_next(&b, to, &from, &at);)
        for (int64_t i = 0; i < b.lines.n; i++) /* S1 */
            memcpy(tse_at(y, at + i * b.lines.step[1]),
                   tse_at(x, from + i * b.lines.step[0]), bytes);
    free(to);
    return TS_OK;
}

static ts_status run_index(const ts_kernel_call *call, const plan *p)
{
    const ts_tensor *x = call->args[TS_INDEX_SELF].tensor;
    int64_t strides[TS_MAX_DIMS];
    ts_tensor *y = call->results[0];

    if (!y) {
        ts_subscript_layout(&p->s, x, p->counts, strides);
        TS_TRY(call->make_result(call, 0, x->dtype, p->s.ndim, p->s.sizes, strides, &y));
    }
    return index_into(call, p, y);
}

ts_status tsk_index(const ts_kernel_call *call)
{
    plan p;
    ts_status st;

    p.s.n = 0;
    st = make_plan(&p, call->op, call->args[TS_INDEX_SELF].tensor,
                   &call->args[TS_INDEX_INDICES]);
    if (st == TS_OK)
        st = run_index(call, &p);
    plan_end(&p);
    return st;
}

/* --- index_put --- */

/* The values' strides over the result's shape. */
static void spread(const plan *p, const ts_tensor *values, int64_t *strides)
{
    const int missing = p->s.ndim - values->ndim;

    for (int d = 0; d < p->s.ndim; d++)
        strides[d] = d < missing || values->sizes[d - missing] == 1
                         ? 0
                         : values->strides[d - missing];
}

static void write_values(const plan *p, ts_tensor *y, const int64_t *to,
                         const ts_tensor *values, const int64_t *steps)
{
    int64_t at, from;
    blocks b;

    for (blocks_start(&b, p, y->strides, steps); blocks_next(&b, to, &at, &from);)
        for (int64_t i = 0; i < b.lines.n; i++) /* S7 */
            tse_convert(values->dtype, tse_at(values, from + i * b.lines.step[1]),
                        y->dtype, tse_at(y, at + i * b.lines.step[0]));
}

/* One accumulator for each element of the result, in row-major order. */
typedef union accumulator {
    double f;
    int64_t i;
} accumulator;

static void add(accumulator *a, const ts_tensor *t, int64_t from)
{
    if (tse_is_real(t->dtype))
        a->f += tse_get(t, from);
    else if (t->dtype == TS_BOOL)
        a->i |= tse_get_i64(t, from);
    else
        a->i = (int64_t)((uint64_t)a->i + (uint64_t)tse_get_i64(t, from));
}

static void accumulate(const plan *p, ts_tensor *y, const int64_t *strides,
                       const int64_t *to, const ts_tensor *values, const int64_t *steps,
                       accumulator *sums)
{
    int64_t place[TS_MAX_DIMS] = {0}, e = 0, at, from;
    blocks b;

    memset(sums, 0, (size_t)y->numel * sizeof *sums);
    for (int64_t k = 0; k < y->numel; k++) {
        if (tse_is_real(y->dtype))
            sums[k].f = tse_get(y, e);
        else
            sums[k].i = tse_get_i64(y, e);
        (void)advance(y->ndim, y->sizes, y->strides, place, &e);
    }
    for (blocks_start(&b, p, strides, steps); blocks_next(&b, to, &at, &from);)
        for (int64_t i = 0; i < b.lines.n; i++) /* S10 */
            add(&sums[at + i * b.lines.step[0]], values, from + i * b.lines.step[1]);
    for (int64_t k = 0; k < y->numel; k++) {
        if (tse_is_real(y->dtype))
            tse_put(y, e, sums[k].f);
        else
            tse_put_i64(y, e, sums[k].i);
        (void)advance(y->ndim, y->sizes, y->strides, place, &e);
    }
}

static ts_status run_put(const ts_kernel_call *call, const plan *p)
{
    ts_tensor *self = call->args[TS_INDEX_PUT_SELF].tensor, *y = call->results[0];
    const ts_tensor *values = call->args[TS_INDEX_PUT_VALUES].tensor;
    const bool sum = call->args[TS_INDEX_PUT_ACCUMULATE].b;
    int64_t steps[TS_MAX_DIMS], row_major[TS_MAX_DIMS], *to;
    accumulator *sums;

    TS_TRY(ts_subscript_takes(&p->s, call->op, values));
    ts_contiguous_strides(y->ndim, y->sizes, row_major);
    TS_TRY(aimed(p, call->op, self, sum ? row_major : y->strides, &to));
    sums = malloc(sum ? (size_t)y->numel * sizeof *sums + 1 : 1);
    if (!sums) {
        free(to);
        return ts_fail(TS_ERR_OUT_OF_MEMORY, NULL, "%s: out of memory", call->op);
    }
    if (call->form != TS_INPLACE)
        tsk_copy_elements(y, self);
    spread(p, values, steps);
    if (sum)
        accumulate(p, y, row_major, to, values, steps, sums);
    else
        write_values(p, y, to, values, steps);
    free(sums);
    free(to);
    return TS_OK;
}

ts_status tsk_index_put(const ts_kernel_call *call)
{
    plan p;
    ts_status st;

    p.s.n = 0;
    st = make_plan(&p, call->op, call->args[TS_INDEX_PUT_SELF].tensor,
                   &call->args[TS_INDEX_PUT_INDICES]);
    if (st == TS_OK)
        st = run_put(call, &p);
    plan_end(&p);
    return st;
}

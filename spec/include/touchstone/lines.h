/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of elements over several tensors at once, whatever their strides, and the walk of
 * a reduction: what a kernel on host memory is made of. All inline. */
#ifndef TOUCHSTONE_LINES_H
#define TOUCHSTONE_LINES_H

#include <string.h>

#include "touchstone/value.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TS_LINES_MAX 6

/*
 * Each tensor is broadcast to the shape; ts_lines_next gives line after line: n elements,
 * tensor k's at at[k] + i * step[k] (elements from its data), i < n.
 *
 *     ts_lines it;
 *     for (ts_lines_pointwise(&it, y, 2, (ts_tensor *[]){y, x}); ts_lines_next(&it);)
 *         for (int64_t i = 0; i < it.n; i++)
 *             tse_put(y, it.at[0] + i * it.step[0],
 *                    f(tse_get(x, it.at[1] + i * it.step[1])));
 */
typedef struct ts_lines {
    int count, ndim; /* tensors; outer dims still to walk */
    bool started, empty;
    int64_t n;
    int64_t at[TS_LINES_MAX], step[TS_LINES_MAX];
    int64_t sizes[TS_MAX_DIMS], index[TS_MAX_DIMS];
    int64_t strides[TS_LINES_MAX][TS_MAX_DIMS];
} ts_lines;

/* Drop dims of size 1 and merge neighbours that every tensor walks as one. */
static inline void ts_lines_coalesce(ts_lines *it)
{
    int n = 0;

    for (int d = 0; d < it->ndim; d++) {
        const int64_t size = it->sizes[d];
        bool merge = n > 0;

        if (size == 1)
            continue;
        for (int k = 0; merge && k < it->count; k++)
            merge = it->strides[k][n - 1] == size * it->strides[k][d];
        if (!merge) {
            n++;
            it->sizes[n - 1] = 1;
        }
        it->sizes[n - 1] *= size;
        for (int k = 0; k < it->count; k++)
            it->strides[k][n - 1] = it->strides[k][d];
    }
    it->ndim = n;
}

/* Lines along the last dim of `shape`, in row-major order of indices. */
static inline void ts_lines_pointwise(ts_lines *it, const ts_tensor *shape, int count,
                                      ts_tensor *const *t)
{
    it->count = count;
    it->ndim = shape->ndim;
    it->started = false;
    it->empty = shape->numel == 0;
    if (shape->ndim ==
        1) { /* what small tensors mostly are: one line, nothing to merge */
        it->ndim = 0;
        it->n = shape->sizes[0];
        for (int k = 0; k < count; k++) {
            const bool alone = it->n <= 1 || t[k]->ndim == 0 || t[k]->sizes[0] == 1;

            it->at[k] = 0;
            it->step[k] = alone ? 0 : t[k]->strides[0];
        }
        return;
    }
    for (int d = 0; d < shape->ndim; d++)
        it->sizes[d] = shape->sizes[d];
    for (int k = 0; k < count; k++) {
        const int missing = shape->ndim - t[k]->ndim;

        it->at[k] = 0;
        for (int d = 0; d < shape->ndim; d++) {
            const int own = d - missing;

            it->strides[k][d] = own < 0 || t[k]->sizes[own] == 1 ? 0 : t[k]->strides[own];
        }
    }
    ts_lines_coalesce(it);
    it->n = 1;
    if (it->ndim > 0)
        it->n = it->sizes[--it->ndim];
    for (int k = 0; k < count; k++)
        it->step[k] = it->n > 1 ? it->strides[k][it->ndim] : 0;
    for (int d = 0; d < it->ndim; d++)
        it->index[d] = 0;
}

/* Lines along `dim`, of tensors that agree in every other dim; n is t[0]'s size there,
 * each tensor has its own step. A 0-dim tensor counts as one of size 1. Where t[0] has no
 * elements in dim, n is 0 and the lines still come. */
static inline void ts_lines_dim(ts_lines *it, int dim, int count, ts_tensor *const *t)
{
    const int ndim = t[0]->ndim;
    int outer = 0;

    it->count = count;
    it->started = it->empty = false;
    it->n = ndim > 0 ? t[0]->sizes[dim] : 1;
    for (int d = 0; d < ndim; d++) {
        if (d == dim)
            continue;
        it->sizes[outer] = t[0]->sizes[d];
        it->index[outer] = 0;
        it->empty |= t[0]->sizes[d] == 0;
        for (int k = 0; k < count; k++)
            it->strides[k][outer] = t[k]->strides[d];
        outer++;
    }
    it->ndim = outer;
    for (int k = 0; k < count; k++) {
        it->at[k] = 0;
        it->step[k] = ndim > 0 ? t[k]->strides[dim] : 0;
    }
}

static inline bool ts_lines_next(ts_lines *it)
{
    if (!it->started) {
        it->started = true;
        return !it->empty;
    }
    for (int d = it->ndim - 1; d >= 0; d--) {
        if (++it->index[d] < it->sizes[d]) {
            for (int k = 0; k < it->count; k++)
                it->at[k] += it->strides[k][d];
            return true;
        }
        it->index[d] = 0;
        for (int k = 0; k < it->count; k++)
            it->at[k] -= (it->sizes[d] - 1) * it->strides[k][d];
    }
    return false;
}

/* Strides of row-major elements. */
static inline void ts_contiguous_strides(int ndim, const int64_t *sizes, int64_t *strides)
{
    int64_t step = 1;

    for (int d = ndim - 1; d >= 0; d--) {
        strides[d] = step;
        step *= sizes[d] > 1 ? sizes[d] : 1;
    }
}

/*
 * Which of two dims runs faster, by every tensor's strides in turn: < 0 the first, > 0
 * the second, 0 undecided. A stride of 0 (a broadcast dim) decides nothing.
 */
static inline int ts_runs_faster(int count, int64_t (*strides)[TS_MAX_DIMS],
                                 const int64_t *sizes, int a, int b)
{
    for (int k = 0; k < count; k++) {
        const int64_t sa = strides[k][a], sb = strides[k][b];

        if (sa == 0 || sb == 0)
            continue;
        if (sa != sb)
            return sa < sb ? -1 : 1;
        if (sizes[a] > sizes[b])
            return 1;
    }
    return 0;
}

/*
 * Dense strides whose dims run in the inputs' order. PyTorch's TensorIterator sorts by
 * insertion and an undecided pair does not end the search, so the order of comparisons is
 * part of the rule. Where the dims stand in order already a size of 0 counts as 1, as in
 * any contiguous tensor.
 */
static inline void ts_dense_in_order(int count, int64_t strides[][TS_MAX_DIMS], int ndim,
                                     const int64_t *sizes, int64_t *out)
{
    int order[TS_MAX_DIMS]; /* fastest first */
    int64_t step = 1;
    bool in_order = true;

    for (int i = 0; i < ndim; i++)
        order[i] = ndim - 1 - i;
    for (int i = 1; i < ndim; i++) {
        int at = i;

        for (int j = i - 1; j >= 0; j--) {
            const int c = ts_runs_faster(count, strides, sizes, order[j], order[at]);

            if (c > 0) {
                const int swap = order[j];

                order[j] = order[at];
                order[at] = swap;
                at = j;
            } else if (c < 0) {
                break;
            }
        }
    }
    for (int i = 0; i < ndim; i++)
        in_order &= order[i] == ndim - 1 - i;
    for (int i = 0; i < ndim; i++) {
        out[order[i]] = step;
        if (!in_order || sizes[order[i]] > 0)
            step *= sizes[order[i]];
    }
}

/* --- reductions --- */

/* The reduced dims as a mask; v is an int[] argument, or an int, or none. Nothing or an
 * empty list means all. A dim out of range, which a check refuses, is in no mask. */
static inline uint64_t ts_reduce_mask(const ts_value *v, int ndim)
{
    const int64_t *dims = v->kind == TS_ARG_INT ? &v->i : v->ints.v;
    const int64_t n = v->kind == TS_ARG_INT ? 1 : v->kind == TS_ARG_INTS ? v->ints.n : 0;
    uint64_t mask = 0;

    for (int64_t k = 0; k < n; k++) {
        const int64_t d = dims[k] < 0 ? dims[k] + (ndim > 0 ? ndim : 1) : dims[k];

        if (d >= 0 && d < 64)
            mask |= UINT64_C(1) << d;
    }
    return n > 0 ? mask : UINT64_MAX;
}

/* The same where an empty list names no dim (any, all). */
static inline uint64_t ts_reduce_mask_named(const ts_value *v, int ndim)
{
    return v->kind == TS_ARG_INTS && v->ints.n == 0 ? 0 : ts_reduce_mask(v, ndim);
}

static inline bool ts_reduces(uint64_t mask, int dim)
{
    return mask >> dim & 1;
}

/*
 *     for (ts_reduce_start(&r, y, x, mask, keepdim); ts_reduce_next(&r);)
 *         while (ts_reduce_line(&r))      element r.y of y gets r.n elements of x,
 *             for (int64_t i = 0; i < r.n; i++)        from r.x on, in row-major order
 *                 use(tse_get(x, r.x + i * r.step));
 */
typedef struct ts_reduce {
    ts_lines kept, reduced;
    int64_t i, base; /* within a line of kept; where the reduced part begins */
    bool open;       /* a line of kept is under way */
    int64_t y, x, step, n;
    int64_t count; /* elements that go into one result */
} ts_reduce;

static inline void ts_reduce_start(ts_reduce *r, const ts_tensor *y, const ts_tensor *x,
                                   uint64_t mask, bool keepdim)
{
    int64_t sizes[2][TS_MAX_DIMS], strides[3][TS_MAX_DIMS];
    ts_tensor kept, reduced, into; /* the parts of x, and y over the kept one */
    ts_tensor *of_kept[2], *of_reduced[1];
    int at = 0;

    memset(&kept, 0, sizeof kept);
    kept.numel = 1;
    reduced = into = kept;
    kept.sizes = into.sizes = sizes[0];
    reduced.sizes = sizes[1];
    kept.strides = strides[0];
    reduced.strides = strides[1];
    into.strides = strides[2];
    for (int d = 0; d < x->ndim; d++) {
        const bool gone = ts_reduces(mask, d);
        ts_tensor *p = gone ? &reduced : &kept;

        p->sizes[p->ndim] = x->sizes[d];
        p->strides[p->ndim] = x->strides[d];
        p->numel *= x->sizes[d];
        if (!gone)
            into.strides[p->ndim] = y->strides[keepdim ? d : at++];
        p->ndim++;
    }
    into.ndim = kept.ndim;
    of_kept[0] = &into;
    of_kept[1] = &kept;
    of_reduced[0] = &reduced;
    ts_lines_pointwise(&r->kept, &kept, 2, of_kept);
    ts_lines_pointwise(&r->reduced, &reduced, 1, of_reduced);
    r->count = reduced.numel;
    r->open = false;
}

static inline bool ts_reduce_next(ts_reduce *r)
{
    if (!r->open || ++r->i == r->kept.n) {
        r->i = 0;
        r->open = ts_lines_next(&r->kept);
        if (!r->open)
            return false;
    }
    r->y = r->kept.at[0] + r->i * r->kept.step[0];
    r->base = r->kept.at[1] + r->i * r->kept.step[1];
    r->reduced.started =
        false; /* after its last line an iterator is at its first again */
    return true;
}

static inline bool ts_reduce_line(ts_reduce *r)
{
    if (!ts_lines_next(&r->reduced))
        return false;
    r->x = r->base + r->reduced.at[0];
    r->step = r->reduced.step[0];
    r->n = r->reduced.n;
    return true;
}

#ifdef __cplusplus
}
#endif
#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Walk a reduction: result by result,
 * and for each the lines of elements that go into it. */
#ifndef TSK_REDUCE_H
#define TSK_REDUCE_H

#include "api/reduce.h"

/*
 *     for (tsk_reduce_start(&r, y, x, mask, keepdim); tsk_reduce_next(&r);)  // element
 * r.y of y while (tsk_reduce_line(&r))                            // r.n elements of x
 * from r.x for (int64_t i = 0; i < r.n; i++)                  // in row-major order
 *                 use(tsi_load(x, r.x + i * r.step));
 */
typedef struct tsk_reduce {
    tsi_iter kept, reduced;
    int64_t i, base; /* within a line of kept; where the reduced part begins */
    bool open;       /* a line of kept is under way */
    int64_t y, x, step, n;
    int64_t count; /* elements that go into one result */
} tsk_reduce;

static inline void tsk_reduce_start(tsk_reduce *r, const ts_tensor *y, const ts_tensor *x,
                                    uint64_t mask, bool keepdim)
{
    int64_t sizes[2][TS_MAX_DIMS], strides[3][TS_MAX_DIMS];
    ts_tensor part[3] = {{.sizes = sizes[0], .strides = strides[0], .numel = 1},
                         {.sizes = sizes[1], .strides = strides[1], .numel = 1},
                         {.sizes = sizes[0], .strides = strides[2]}};
    int at = 0;

    for (int d = 0; d < x->ndim; d++) {
        const bool gone = tsi_reduces(mask, d);
        ts_tensor *p = &part[gone];

        p->sizes[p->ndim] = x->sizes[d];
        p->strides[p->ndim] = x->strides[d];
        p->numel *= x->sizes[d];
        if (!gone)
            part[2].strides[p->ndim] = y->strides[keepdim ? d : at++];
        p->ndim++;
    }
    part[2].ndim = part[0].ndim;
    tsi_iter_pointwise(&r->kept, &part[0], 2, (ts_tensor *[]){&part[2], &part[0]});
    tsi_iter_pointwise(&r->reduced, &part[1], 1, (ts_tensor *[]){&part[1]});
    r->count = part[1].numel;
    r->open = false;
}

static inline bool tsk_reduce_next(tsk_reduce *r)
{
    if (!r->open || ++r->i == r->kept.n) {
        r->i = 0;
        r->open = tsi_iter_next(&r->kept);
        if (!r->open)
            return false;
    }
    r->y = r->kept.at[0] + r->i * r->kept.step[0];
    r->base = r->kept.at[1] + r->i * r->kept.step[1];
    r->reduced.started =
        false; /* after its last line an iterator stands at its first again */
    return true;
}

static inline bool tsk_reduce_line(tsk_reduce *r)
{
    if (!tsi_iter_next(&r->reduced))
        return false;
    r->x = r->base + r->reduced.at[0];
    r->step = r->reduced.step[0];
    r->n = r->reduced.n;
    return true;
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that pick one element of each line: its value is results[0], where it stood
 * results[1]. */
#ifndef TSO_SELECTING_H
#define TSO_SELECTING_H

#include "touchstone/backend.h"

/* n elements of x from `at` on. */
typedef struct tso_line {
    const ts_tensor *x;
    int64_t at, step, n;
} tso_line;

/* Which of a line, from 0. */
typedef int64_t tso_pick(const tso_line *line, void *with);

static inline double tso_real(const tso_line *l, int64_t i)
{
    return tse_get(l->x, l->at + i * l->step);
}

static inline int64_t tso_whole(const tso_line *l, int64_t i)
{
    return tse_get_i64(l->x, l->at + i * l->step);
}

/* y, which lacks dim unless it was kept, as if it went along it on one element. */
static inline ts_tensor tso_along(const ts_tensor *y, int ndim, int dim, bool kept,
                                  int64_t *strides)
{
    ts_tensor t = *y;

    for (int d = 0, at = 0; d < ndim; d++)
        strides[d] = d == dim && !kept ? 0 : y->strides[kept ? d : at++];
    if (ndim > 0)
        strides[dim] = 0;
    t.ndim = ndim;
    t.strides = strides;
    return t;
}

static inline ts_status tso_select(const ts_kernel_call *call, ts_tensor *x, int dim,
                                   bool kept, tso_pick *pick, void *with)
{
    int64_t strides[2][TS_MAX_DIMS];
    ts_tensor values = tso_along(call->results[0], x->ndim, dim, kept, strides[0]);
    ts_tensor indices = tso_along(call->results[1], x->ndim, dim, kept, strides[1]);
    const size_t bytes = (size_t)tse_bytes(x->dtype);
    ts_lines it;

    ts_lines_dim(&it, dim, 3, (ts_tensor *[]){x, &values, &indices});
    while (ts_lines_next(&it)) {
        const tso_line line = {x, it.at[0], it.step[0], it.n};
        const int64_t k = pick(&line, with);

        memcpy(tse_at(&values, it.at[1]), tse_at(x, it.at[0] + k * it.step[0]), bytes);
        tse_put_i64(&indices, it.at[2], k);
    }
    return TS_OK;
}

#endif

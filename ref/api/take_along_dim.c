/* SPDX-License-Identifier: Apache-2.0 */
/* take_along_dim: a program over gather; spec/ops/take_along_dim.md. */
#include "core/core.h"
#include "core/expr.h"
#include "touchstone/ops/expand_expr.h"
#include "touchstone/ops/gather_expr.h"
#include "touchstone/ops/remainder_expr.h"
#include "touchstone/ops/take_along_dim_glue.h"
#include "touchstone/ops/view_expr.h"

/* S1: both as wide as the other in every dim but `dim`. */
static ts_status widened(tsi_expr *e, ts_tensor *x, ts_tensor *indices, int dim,
                         ts_tensor **wide)
{
    int64_t own[TS_MAX_DIMS], its[TS_MAX_DIMS];

    for (int d = 0; d < x->ndim; d++) {
        const int64_t a = x->sizes[d], b = indices->sizes[d];

        own[d] = d == dim || a != 1 ? a : b;
        its[d] = d == dim || b != 1 ? b : a;
        TS_CHECK(d == dim || own[d] == its[d], TS_ERR_RUNTIME, "take_along_dim/C4",
                 "take_along_dim: self has size %" PRId64 " and indices have %" PRId64
                 " at dim %d",
                 a, b, d);
    }
    wide[0] = tsx_expand(e, x, own, x->ndim, NULL);
    wide[1] = tsx_expand(e, indices, its, x->ndim, NULL);
    if (x->sizes[dim] > 0) /* S4 */
        wide[1] = tsx_remainder_number(e, wide[1], ts_int(x->sizes[dim]));
    return TS_OK;
}

ts_status tsi_program_take_along_dim(ts_frame *f)
{
    ts_tensor *x = tsi_tensor(f, TS_TAKE_ALONG_DIM_SELF);
    ts_tensor *indices = tsi_tensor(f, TS_TAKE_ALONG_DIM_INDICES);
    const ts_value *given = &f->args[TS_TAKE_ALONG_DIM_DIM];
    ts_tensor *wide[2] = {NULL, NULL};
    tsi_expr e = {0};
    int dim = 0;

    if (given->kind != TS_ARG_INT) { /* S2 */
        wide[0] = tsx_view(&e, x, (int64_t[]){-1}, 1);
        wide[1] = tsx_view(&e, indices, (int64_t[]){-1}, 1);
        if (e.s != TS_OK)
            e.s = ts_fail(TS_ERR_RUNTIME, "take_along_dim/C5",
                          "take_along_dim: self or indices cannot be viewed as a vector");
    } else {
        TS_CHECK(indices->dtype == TS_INT64, TS_ERR_RUNTIME, "take_along_dim/C1",
                 "take_along_dim: indices are int64, not %s",
                 ts_dtype_name(indices->dtype));
        TS_CHECK(indices->ndim == x->ndim, TS_ERR_RUNTIME, "take_along_dim/C2",
                 "take_along_dim: self has %d dims and indices have %d", x->ndim,
                 indices->ndim);
        TS_CHECK(x->ndim > 0, TS_ERR_INDEX, "take_along_dim/C3",
                 "take_along_dim: self has no dims");
        TS_TRY(tsi_wrap_dim("take_along_dim/C3", given->i, x->ndim, &dim));
        TS_TRY(widened(&e, x, indices, dim, wide));
    }
    return tsi_expr_give(&e, tsx_gather(&e, wide[0], dim, wide[1]), &f->results[0]);
}

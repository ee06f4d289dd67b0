/* SPDX-License-Identifier: Apache-2.0 */
/* dot, mv, outer: what they accept and what comes back; see spec/ops/dot.md. */
#include "core/core.h"
#include "core/expr.h"
#include "touchstone/ops/dot_glue.h"
#include "touchstone/ops/mul_expr.h"
#include "touchstone/ops/view_expr.h"

ts_status tsi_api_dot(ts_frame *f)
{
    const ts_tensor *a = tsi_tensor(f, TS_DOT_SELF), *b = tsi_tensor(f, TS_DOT_TENSOR);

    TS_CHECK(a->ndim == 1 && b->ndim == 1, TS_ERR_RUNTIME, "dot/C1",
             "dot: two vectors are expected, got %d and %d dims", a->ndim, b->ndim);
    TS_CHECK(a->dtype == b->dtype, TS_ERR_RUNTIME, "dot/C3",
             "dot: both vectors must have one dtype, got %s and %s",
             ts_dtype_name(a->dtype), ts_dtype_name(b->dtype));
    TS_CHECK(a->numel == b->numel, TS_ERR_RUNTIME, "dot/C2",
             "dot: vectors of %" PRId64 " and %" PRId64 " elements", a->numel, b->numel);
    TS_TRY(tsi_check_dtype(f, a->dtype, "dot/C4"));
    return tsi_result(f, 0, a->device, a->dtype, 0, NULL);
}

ts_status tsi_api_mv(ts_frame *f)
{
    const ts_tensor *a = tsi_tensor(f, TS_MV_SELF), *v = tsi_tensor(f, TS_MV_VEC);

    TS_CHECK(a->ndim > 0, TS_ERR_INDEX, "dot/C6", "mv: the matrix has no dims");
    TS_CHECK(a->ndim == 2 && v->ndim == 1, TS_ERR_RUNTIME, "dot/C1",
             "mv: a matrix and a vector are expected, got %d and %d dims", a->ndim,
             v->ndim);
    TS_CHECK(a->sizes[1] == v->sizes[0], TS_ERR_RUNTIME, "dot/C2",
             "mv: a matrix of %" PRId64 " columns, a vector of %" PRId64 " elements",
             a->sizes[1], v->sizes[0]);
    TS_CHECK(a->dtype == v->dtype, TS_ERR_RUNTIME, "dot/C3",
             "mv: matrix and vector must have one dtype, got %s and %s",
             ts_dtype_name(a->dtype), ts_dtype_name(v->dtype));
    if (a->numel > 0)
        TS_TRY(tsi_check_dtype(f, a->dtype, "dot/C4"));
    return tsi_result(f, 0, a->device, a->dtype, 1, a->sizes);
}

/* S5 */
ts_status tsi_program_outer(ts_frame *f)
{
    ts_tensor *a = tsi_tensor(f, TS_OUTER_SELF), *b = tsi_tensor(f, TS_OUTER_VEC2);
    tsi_expr e = {0};
    ts_tensor *column;

    TS_CHECK(a->ndim == 1 && b->ndim == 1, TS_ERR_RUNTIME, "dot/C5",
             "outer: two vectors are expected, got %d and %d dims", a->ndim, b->ndim);
    f->flags |= TS_FRAME_OUT_CASTS; /* as mul's */
    column = tsx_reshape(&e, a, (int64_t[]){a->numel, 1}, 2);
    return tsi_expr_give(&e, tsx_mul(&e, column, b), &f->results[0]);
}

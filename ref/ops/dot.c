/* SPDX-License-Identifier: Apache-2.0 */
/* dot and mv: products of vectors; spec/ops/dot.md. */
#include "ops/product.h"
#include "touchstone/ops/dot_glue.h"

static tsk_matrix as_row(const ts_tensor *v)
{
    return (tsk_matrix){v, 0, 0, 0, v->strides[0]};
}

static tsk_matrix as_column(const ts_tensor *v)
{
    return (tsk_matrix){v, 0, 0, v->strides[0], 0};
}

ts_status tsk_dot(const ts_kernel_call *call)
{
    const ts_tensor *a = call->args[TS_DOT_SELF].tensor;
    const tsk_extent n = {1, 1, a->sizes[0], 1};

    tsk_multiply(as_row(a), as_column(call->args[TS_DOT_TENSOR].tensor), n,
                 call->results[0], 0, 0, 0, NULL);
    return TS_OK;
}

ts_status tsk_mv(const ts_kernel_call *call)
{
    const ts_tensor *a = call->args[TS_MV_SELF].tensor;
    const tsk_extent n = {1, a->sizes[0], a->sizes[1], 1};
    ts_tensor *y = call->results[0];

    tsk_multiply(tsk_matrix_of(a, 0), as_column(call->args[TS_MV_VEC].tensor), n, y, 0,
                 y->strides[0], 0, NULL);
    return TS_OK;
}

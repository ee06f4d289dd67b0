/* SPDX-License-Identifier: Apache-2.0 */
/* embedding/G1 to G4. */
#include "core/expr.h"
#include "grad/vjp.h"
#include "touchstone/ops/compare_expr.h"
#include "touchstone/ops/embedding_expr.h"
#include "touchstone/ops/embedding_glue.h"
#include "touchstone/ops/expand_expr.h"
#include "touchstone/ops/where_expr.h"

ts_status tsi_vjp_embedding(tsi_vjp *v)
{
    const int64_t rows = v->arg_meta[TS_EMBEDDING_WEIGHT].sizes[0];
    int64_t padding = -1;

    if (v->args[TS_EMBEDDING_PADDING_IDX].kind == TS_ARG_INT)
        padding = v->args[TS_EMBEDDING_PADDING_IDX].i < 0
                      ? v->args[TS_EMBEDDING_PADDING_IDX].i + rows
                      : v->args[TS_EMBEDDING_PADDING_IDX].i;
    return ts_embedding_dense_backward(
        v->grads[0], v->args[TS_EMBEDDING_INPUT].tensor, rows, padding,
        v->args[TS_EMBEDDING_SCALE_GRAD_BY_FREQ].b, &v->out[TS_EMBEDDING_WEIGHT]);
}

/* G4: rows of the gradient looked up again, zeros where the number is the padding one. */
ts_status tsi_vjp_embedding_dense_backward(tsi_vjp *v)
{
    ts_tensor *index = v->args[TS_EMBEDDING_DENSE_BACKWARD_INDICES].tensor;
    tsi_expr e = {0};
    ts_tensor *rows = tsx_embedding(&e, index, v->grads[0], NULL);

    if (v->args[TS_EMBEDDING_DENSE_BACKWARD_PADDING_IDX].i >= 0) {
        ts_tensor *is_padding = tsx_eq_number(
            &e, index, ts_int(v->args[TS_EMBEDDING_DENSE_BACKWARD_PADDING_IDX].i));
        ts_tensor *mask = tsx_unsqueeze(&e, is_padding, -1);

        rows = tsx_where(&e, mask, tsi_number(&e, ts_float(0)), rows);
    }
    return tsi_expr_give(&e, rows, &v->out[TS_EMBEDDING_DENSE_BACKWARD_GRAD_OUTPUT]);
}

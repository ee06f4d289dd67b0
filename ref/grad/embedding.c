/* SPDX-License-Identifier: Apache-2.0 */
/* embedding/G1 to G4. */
#include "core/expr.h"
#include "grad/vjp.h"
#include "touchstone/ops/embedding_glue.h"

ts_status tsi_vjp_embedding(tsi_vjp *v)
{
    const int64_t rows = v->arg_meta[TS_EMBEDDING_WEIGHT].sizes[0];
    int64_t padding = -1;

    if (v->args[TS_EMBEDDING_PADDING_IDX].kind == TS_ARG_INT)
        padding = v->args[TS_EMBEDDING_PADDING_IDX].i < 0 ? v->args[TS_EMBEDDING_PADDING_IDX].i + rows : v->args[TS_EMBEDDING_PADDING_IDX].i;
    return ts_embedding_dense_backward(v->grads[0], v->args[TS_EMBEDDING_INPUT].tensor, rows, padding,
                                       v->args[TS_EMBEDDING_SCALE_GRAD_BY_FREQ].b, &v->out[TS_EMBEDDING_WEIGHT]);
}

/* G4: rows of the gradient looked up again, zeros where the number is the padding one. */
ts_status tsi_vjp_embedding_dense_backward(tsi_vjp *v)
{
    ts_tensor *index = v->args[TS_EMBEDDING_DENSE_BACKWARD_INDICES].tensor;
    tsi_expr e = {0};
    ts_tensor *rows = TSI_EXPR(&e, ts_embedding(index, v->grads[0], NULL, &e.made));

    if (v->args[TS_EMBEDDING_DENSE_BACKWARD_PADDING_IDX].i >= 0) {
        ts_tensor *is_padding = tsi_eq(&e, index, tsi_number(&e, ts_int(v->args[TS_EMBEDDING_DENSE_BACKWARD_PADDING_IDX].i)));
        ts_tensor *mask = TSI_EXPR(&e, ts_unsqueeze(is_padding, -1, &e.made));

        rows = tsi_where(&e, mask, tsi_number(&e, ts_float(0)), rows);
    }
    return tsi_expr_give(&e, rows, &v->out[TS_EMBEDDING_DENSE_BACKWARD_GRAD_OUTPUT]);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* repeat/G1. */
#include "touchstone/ops/repeat_glue.h"

#include "core/expr.h"
#include "grad/vjp.h"
#include "touchstone/ops/view_expr.h"

ts_status tsi_vjp_repeat(tsi_vjp *v)
{
    const tsi_kept_meta *self = &v->arg_meta[TS_REPEAT_SELF];
    const ts_value *repeats = &v->args[TS_REPEAT_REPEATS];
    const int64_t added = repeats->ints.n - self->ndim;
    int64_t sizes[2 * TS_MAX_DIMS], dims[TS_MAX_DIMS], n = 0, copies = 0;
    ts_tensor *grad = v->grads[0];
    tsi_expr e = {0};

    for (int64_t d = 0; d < repeats->ints.n; d++)
        if (repeats->ints.v[d] == 0)
            return ts_new_zeros(grad, self->sizes, self->ndim, NULL,
                                &v->out[TS_REPEAT_SELF]);
    for (int64_t d = 0; d < added; d++)
        grad = tsi_sum(&e, grad, (int64_t[]){0}, 1, false);
    for (int d = 0; d < self->ndim; d++) {
        if (repeats->ints.v[added + d] != 1) {
            dims[copies++] = n;
            sizes[n++] = repeats->ints.v[added + d];
        }
        sizes[n++] = self->sizes[d];
    }
    if (copies > 0)
        grad = tsi_sum(&e, tsx_reshape(&e, grad, sizes, n), dims, copies, false);
    return tsi_expr_give(&e, grad, &v->out[TS_REPEAT_SELF]);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* as_strided/G1 to as_strided/G3. */
#include "touchstone/ops.h"

#include "core/expr.h"
#include "grad/vjp.h"
#include "touchstone/ops/as_strided_expr.h"
#include "touchstone/ops/as_strided_glue.h"
#include "touchstone/ops/div_expr.h"
#include "touchstone/ops/factories_expr.h"

/* Whether two elements of this geometry may stand at one address: dims sorted by stride,
 * one does not step over all that the ones before it cover. Dims that interleave count as
 * may. */
static bool may_overlap(int ndim, const int64_t *sizes, const int64_t *strides)
{
    bool used[TS_MAX_DIMS] = {false};
    int64_t last = 0; /* of the dims so far */

    for (int d = 0; d < ndim; d++)
        if (sizes[d] == 0)
            return false;
    for (int k = 0; k < ndim; k++) {
        int at = -1;

        for (int d = 0; d < ndim; d++)
            if (!used[d] && sizes[d] > 1 && (at < 0 || strides[d] < strides[at]))
                at = d;
        if (at < 0)
            break;
        if (strides[at] <= last)
            return true;
        last += (sizes[at] - 1) * strides[at];
        used[at] = true;
    }
    return false;
}

/* G2: how many elements of self stand at each address. */
static ts_tensor *sharers(tsi_expr *e, const tsi_kept_meta *self, ts_tensor *like)
{
    ts_tensor *ones = tsx_new_ones(e, like, self->sizes, self->ndim, NULL);

    return tsx_as_strided_backward(e, ones, self->sizes, self->ndim, self->strides,
                                   self->ndim, self->offset, self->sizes, self->ndim,
                                   self->strides, self->ndim, self->offset);
}

ts_status tsi_vjp_as_strided(tsi_vjp *v)
{
    const tsi_kept_meta *self = &v->arg_meta[TS_AS_STRIDED_SELF];
    const ts_value *size = &v->args[TS_AS_STRIDED_SIZE],
                   *stride = &v->args[TS_AS_STRIDED_STRIDE];
    const int64_t offset = v->args[TS_AS_STRIDED_STORAGE_OFFSET].kind == TS_ARG_INT
                               ? v->args[TS_AS_STRIDED_STORAGE_OFFSET].i
                               : self->offset;
    tsi_expr e = {0};
    ts_tensor *grad = tsx_as_strided_backward(
        &e, v->grads[0], size->ints.v, size->ints.n, stride->ints.v, stride->ints.n,
        offset, self->sizes, self->ndim, self->strides, self->ndim, self->offset);

    if (may_overlap(self->ndim, self->sizes, self->strides))
        grad = tsx_div(&e, grad, sharers(&e, self, grad), NULL);
    return tsi_expr_give(&e, grad, &v->out[TS_AS_STRIDED_SELF]);
}

ts_status tsi_vjp_as_strided_backward(tsi_vjp *v)
{
    const ts_value *a = v->args;

    return ts_as_strided_backward(v->grads[0], a[4].ints.v, a[4].ints.n, a[5].ints.v,
                                  a[5].ints.n, a[6].i, a[1].ints.v, a[1].ints.n,
                                  a[2].ints.v, a[2].ints.n, a[3].i,
                                  &v->out[TS_AS_STRIDED_BACKWARD_GRAD]);
}

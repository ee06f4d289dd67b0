/* SPDX-License-Identifier: Apache-2.0 */
/* as_strided/G1 to as_strided/G3. */
#include "touchstone/ops.h"
#include "touchstone/ops/as_strided_glue.h"

#include "core/expr.h"
#include "grad/vjp.h"

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

/* G2: divide by the number of elements of self at each address. */
static ts_status shared_out(const tsi_kept_meta *self, ts_tensor **sums)
{
    tsi_expr e = {0};
    ts_tensor *ones =
        TSI_EXPR(&e, ts_new_ones(*sums, self->sizes, self->ndim, NULL, &e.made));
    ts_tensor *count = TSI_EXPR(
        &e, ts_as_strided_backward(ones, self->sizes, self->ndim, self->strides,
                                   self->ndim, self->offset, self->sizes, self->ndim,
                                   self->strides, self->ndim, self->offset, &e.made));
    ts_tensor *mean = NULL;
    const ts_status s = tsi_expr_give(&e, tsi_div(&e, *sums, count), &mean);

    if (s == TS_OK) {
        ts_release(*sums);
        *sums = mean;
    }
    return s;
}

ts_status tsi_vjp_as_strided(tsi_vjp *v)
{
    const tsi_kept_meta *self = &v->arg_meta[TS_AS_STRIDED_SELF];
    const ts_value *size = &v->args[TS_AS_STRIDED_SIZE],
                   *stride = &v->args[TS_AS_STRIDED_STRIDE];
    const int64_t offset = v->args[TS_AS_STRIDED_STORAGE_OFFSET].kind == TS_ARG_INT
                               ? v->args[TS_AS_STRIDED_STORAGE_OFFSET].i
                               : self->offset;

    TS_TRY(ts_as_strided_backward(v->grads[0], size->ints.v, size->ints.n, stride->ints.v,
                                  stride->ints.n, offset, self->sizes, self->ndim,
                                  self->strides, self->ndim, self->offset,
                                  &v->out[TS_AS_STRIDED_SELF]));
    if (may_overlap(self->ndim, self->sizes, self->strides))
        return shared_out(self, &v->out[TS_AS_STRIDED_SELF]);
    return TS_OK;
}

ts_status tsi_vjp_as_strided_backward(tsi_vjp *v)
{
    const ts_value *a = v->args;

    return ts_as_strided_backward(v->grads[0], a[4].ints.v, a[4].ints.n, a[5].ints.v,
                                  a[5].ints.n, a[6].i, a[1].ints.v, a[1].ints.n,
                                  a[2].ints.v, a[2].ints.n, a[3].i,
                                  &v->out[TS_AS_STRIDED_BACKWARD_GRAD]);
}

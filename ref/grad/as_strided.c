/* SPDX-License-Identifier: Apache-2.0 */
/* as_strided/G1 to as_strided/G3. */
#include "touchstone/ops.h"

#include "core/expr.h"
#include "grad/vjp.h"
#include "touchstone/ops/add_expr.h"
#include "touchstone/ops/as_strided_expr.h"
#include "touchstone/ops/as_strided_glue.h"
#include "touchstone/ops/compare_expr.h"
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

/* Addresses from self's first element to its last. */
static int64_t span_of(const tsi_kept_meta *self)
{
    int64_t span = 1;

    for (int d = 0; d < self->ndim; d++)
        if (self->sizes[d] == 0)
            return 0;
        else
            span += (self->sizes[d] - 1) * self->strides[d];
    return span;
}

/* What stands at each of those addresses, of a gradient of that geometry. */
static ts_tensor *at_addresses(tsi_expr *e, ts_tensor *grad, const int64_t *sizes,
                               const int64_t *strides, int ndim, int64_t offset,
                               const tsi_kept_meta *self)
{
    return tsx_as_strided_backward(e, grad, sizes, ndim, strides, ndim, offset,
                                   (int64_t[]){span_of(self)}, 1, (int64_t[]){1}, 1,
                                   self->offset);
}

/* G2: how many elements of self stand at each address; one where none does. */
static ts_tensor *sharers(tsi_expr *e, const tsi_kept_meta *self, ts_tensor *like)
{
    ts_tensor *ones = tsx_new_ones(e, like, self->sizes, self->ndim, NULL);
    ts_tensor *count =
        at_addresses(e, ones, self->sizes, self->strides, self->ndim, self->offset, self);

    return tsx_add(e, count, tsx_eq_number(e, count, ts_int(0)), NULL);
}

ts_status tsi_vjp_as_strided(tsi_vjp *v)
{
    const tsi_kept_meta *self = &v->arg_meta[TS_AS_STRIDED_SELF];
    const ts_value *size = &v->args[TS_AS_STRIDED_SIZE],
                   *stride = &v->args[TS_AS_STRIDED_STRIDE];
    const int64_t offset = v->args[TS_AS_STRIDED_STORAGE_OFFSET].kind == TS_ARG_INT
                               ? v->args[TS_AS_STRIDED_STORAGE_OFFSET].i
                               : self->offset;
    const int64_t start = 0;
    tsi_expr e = {0};
    ts_tensor *grad;

    if (v->grads[0]->numel == 0 || span_of(self) == 0)
        return ts_new_zeros(v->grads[0], self->sizes, self->ndim, NULL,
                            &v->out[TS_AS_STRIDED_SELF]); /* G4 */
    grad = at_addresses(&e, v->grads[0], size->ints.v, stride->ints.v, (int)size->ints.n,
                        offset, self);

    if (may_overlap(self->ndim, self->sizes, self->strides))
        grad = tsx_div(&e, grad, sharers(&e, self, grad), NULL);
    grad = tsx_as_strided(&e, grad, self->sizes, self->ndim, self->strides, self->ndim,
                          &(ts_as_strided_opts){.storage_offset = &start}); /* G4 */
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

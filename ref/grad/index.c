/* SPDX-License-Identifier: Apache-2.0 */
/* index/G1, index/G2. */
#include "grad/vjp.h"
#include "touchstone/ops/factories_expr.h"
#include "touchstone/ops/index_expr.h"
#include "touchstone/ops/index_glue.h"

ts_status tsi_vjp_index(tsi_vjp *v)
{
    const tsi_kept_meta *m = &v->arg_meta[TS_INDEX_SELF];
    const ts_value *indices = &v->args[TS_INDEX_INDICES];
    ts_index_put_opts o = ts_index_put_defaults();
    ts_new_zeros_opts like = ts_new_zeros_defaults();
    tsi_expr e = {0};
    ts_tensor *zeros = tsx_new_zeros(&e, v->grads[0], m->sizes, m->ndim, &like);

    o.accumulate = true;
    return tsi_expr_give(
        &e,
        tsx_index_put(&e, zeros, indices->tensors.v, indices->tensors.n, v->grads[0], &o),
        &v->out[TS_INDEX_SELF]);
}

/* What was overwritten has no gradient; what was added to keeps it. */
static ts_status of_self(const tsi_vjp *v, ts_tensor **out)
{
    const ts_value *indices = &v->args[TS_INDEX_PUT_INDICES];
    ts_new_zeros_opts like = ts_new_zeros_defaults();
    tsi_expr e = {0};
    ts_tensor *zero;

    if (v->args[TS_INDEX_PUT_ACCUMULATE].b) {
        *out = ts_retain(v->grads[0]);
        return TS_OK;
    }
    zero = tsx_new_zeros(&e, v->grads[0], (int64_t[]){0}, 0, &like);
    return tsi_expr_give(&e,
                         tsx_index_put(&e, v->grads[0], indices->tensors.v,
                                       indices->tensors.n, zero, NULL),
                         out);
}

ts_status tsi_vjp_index_put(tsi_vjp *v)
{
    const ts_value *indices = &v->args[TS_INDEX_PUT_INDICES];

    if (v->needs[TS_INDEX_PUT_SELF])
        TS_TRY(of_self(v, &v->out[TS_INDEX_PUT_SELF]));
    if (!v->needs[TS_INDEX_PUT_VALUES])
        return TS_OK;
    return ts_index(v->grads[0], indices->tensors.v, indices->tensors.n,
                    &v->out[TS_INDEX_PUT_VALUES]);
}

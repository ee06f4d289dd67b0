/* SPDX-License-Identifier: Apache-2.0 */
/* masked_select/G1, masked_select/G2. */
#include "core/expr.h"
#include "grad/vjp.h"
#include "touchstone/ops/cat_expr.h"
#include "touchstone/ops/factories_expr.h"
#include "touchstone/ops/masked_select_expr.h"
#include "touchstone/ops/masked_select_glue.h"
#include "touchstone/ops/view_expr.h"

/* The shape that self and the mask broadcast to. */
static int common(const tsi_vjp *v, const ts_tensor *mask, int64_t *sizes)
{
    const tsi_kept_meta *m = &v->arg_meta[TS_MASKED_SELECT_SELF];
    const int ndim = m->ndim > mask->ndim ? m->ndim : mask->ndim;

    for (int d = 0; d < ndim; d++) {
        const int i = d - (ndim - m->ndim), j = d - (ndim - mask->ndim);
        const int64_t own = i < 0 ? 1 : m->sizes[i], its = j < 0 ? 1 : mask->sizes[j];

        sizes[d] = own == 1 ? its : own;
    }
    return ndim;
}

ts_status tsi_vjp_masked_select(tsi_vjp *v)
{
    ts_tensor *mask = v->args[TS_MASKED_SELECT_MASK].tensor, *g = v->grads[0];
    int64_t sizes[TS_MAX_DIMS];
    const int ndim = common(v, mask, sizes);
    tsi_expr e = {0};
    ts_tensor *zeros = tsx_new_zeros(&e, g, sizes, ndim, NULL);

    return tsi_expr_give(&e, tsx_masked_scatter(&e, zeros, mask, g),
                         &v->out[TS_MASKED_SELECT_SELF]);
}

ts_status tsi_vjp_masked_scatter(tsi_vjp *v)
{
    const tsi_kept_meta *m = &v->arg_meta[TS_MASKED_SCATTER_SOURCE];
    ts_tensor *mask = v->args[TS_MASKED_SCATTER_MASK].tensor, *g = v->grads[0];
    tsi_expr e = {0};
    ts_tensor *used, *parts[2];
    int64_t n = 1;

    if (v->needs[TS_MASKED_SCATTER_SELF])
        TS_TRY(
            ts_masked_fill_number(g, mask, ts_int(0), &v->out[TS_MASKED_SCATTER_SELF]));
    if (!v->needs[TS_MASKED_SCATTER_SOURCE])
        return TS_OK;
    for (int d = 0; d < m->ndim; d++)
        n *= m->sizes[d];
    used = tsx_masked_select(&e, g, mask);
    if (e.s != TS_OK)
        return tsi_expr_give(&e, NULL, &v->out[TS_MASKED_SCATTER_SOURCE]);
    n -= used->numel;
    parts[0] = used;
    parts[1] = tsx_new_zeros(&e, g, &n, 1, NULL); /* for what was left over */
    used = tsx_cat(&e, parts, 2, NULL);
    return tsi_expr_give(&e, tsx_view(&e, used, m->sizes, m->ndim),
                         &v->out[TS_MASKED_SCATTER_SOURCE]);
}

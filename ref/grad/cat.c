/* SPDX-License-Identifier: Apache-2.0 */
/* cat/G1. */
#include "grad/vjp.h"
#include "touchstone/ops/cat_glue.h"

ts_status tsi_vjp_cat(tsi_vjp *v)
{
    ts_tensor *g = v->grads[0];
    const int dim = (int)(v->args[TS_CAT_DIM].i < 0 ? v->args[TS_CAT_DIM].i + g->ndim
                                                    : v->args[TS_CAT_DIM].i);
    int64_t at = 0;

    for (int64_t k = 0; k < v->list_n; k++) {
        const tsi_kept_meta *m = &v->list_meta[k];
        const bool skipped = m->ndim == 1 && m->sizes[0] == 0;
        const int64_t n = skipped ? 0 : m->sizes[dim];

        if (v->list_needs[k] && skipped)
            TS_TRY(ts_new_zeros(g, m->sizes, 1, NULL, &v->list_out[k]));
        else if (v->list_needs[k])
            TS_TRY(ts_narrow(g, dim, at, n, &v->list_out[k]));
        at += n;
    }
    return TS_OK;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* gather, scatter_add: what they accept and what comes back; see spec/ops/gather.md. */
#include "family/family.h"
#include "touchstone/ops/gather_glue.h"

ts_status tsi_api_gather(ts_frame *f)
{
    const ts_tensor *x = tsi_tensor(f, TS_GATHER_SELF);
    const ts_tensor *index = tsi_tensor(f, TS_GATHER_INDEX);
    int dim;

    TS_TRY(tsi_wrap_dim("gather/C1", f->args[TS_GATHER_DIM].i, x->ndim, &dim));
    if (index->numel > 0) { /* S5 */
        TS_TRY(tsi_check_index(f, index, "gather/C2"));
        TS_TRY(tsi_check_along_dims(f, "gather/C3", TS_GATHER_INDEX));
        TS_TRY(tsi_check_along_within(f, "gather/C4", TS_GATHER_SELF, dim));
        TS_TRY(tsi_check_dtype(f, x->dtype, "gather/C6"));
    }
    TS_TRY(tsi_check_out_apart(f, TS_GATHER_SELF, "gather/C9"));
    return tsi_result(f, 0, x->device, x->dtype, index->ndim, index->sizes);
}

ts_status tsi_api_scatter_add(ts_frame *f)
{
    static const tsi_along_labels labels = {
        .dim = "gather/C1",
        .index = "gather/C2",
        .same = "gather/C7",
        .dims = "gather/C3",
        .within = "gather/C8",
        .missing = "gather/C10",
        .dtype = "gather/C6",
        .apart = "gather/C9",
    };

    return tsi_check_along(f, &labels, true);
}

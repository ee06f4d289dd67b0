/* SPDX-License-Identifier: Apache-2.0 */
/* count_nonzero: what it accepts and what comes back; see spec/ops/any.md. */
#include "core/core.h"
#include "family/reduce.h"
#include "touchstone/ops/any_glue.h"

ts_status tsi_api_count_nonzero(ts_frame *f)
{
    const ts_tensor *x = tsi_tensor(f, TS_COUNT_NONZERO_SELF);
    const ts_value *dim = &f->args[TS_COUNT_NONZERO_DIM];
    const bool named = dim->kind == TS_ARG_INTS && dim->ints.n > 0;
    const bool float8 = x->dtype == TS_FLOAT8_E4M3FN || x->dtype == TS_FLOAT8_E5M2;

    TS_CHECK(named || !float8, TS_ERR_NOT_IMPLEMENTED, "any/C4",
             "count_nonzero: of a whole %s tensor is not implemented",
             ts_dtype_name(x->dtype));
    TS_TRY(tsi_reduce_check(f, dim, x->ndim, "any/C1", "any/C2"));
    return tsi_reduce_result(f, x, ts_reduce_mask(dim, x->ndim), false, TS_INT64);
}

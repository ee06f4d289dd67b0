/* SPDX-License-Identifier: Apache-2.0 */
/* sort, argsort: what they accept and what comes back; see spec/ops/sort.md. */
#include "touchstone/touchstone.h"

#include "core/core.h"
#include "touchstone/ops/sort_glue.h"

ts_status tsi_api_sort(ts_frame *f)
{
    const ts_tensor *x = tsi_tensor(f, TS_SORT_SELF);
    int dim;

    TS_TRY(tsi_wrap_dim("sort/C1", f->args[TS_SORT_DIM].i, x->ndim, &dim));
    TS_TRY(tsi_check_dtype(f, x->dtype, "sort/C2"));
    TS_TRY(tsi_result_like(f, 0, x, x->dtype));
    return tsi_result_like(f, 1, x, TS_INT64);
}

ts_status tsi_program_argsort(ts_frame *f)
{
    ts_sort_opts o = ts_sort_defaults();
    ts_tensor *values;

    o.dim = f->args[TS_ARGSORT_DIM].i;
    o.descending = f->args[TS_ARGSORT_DESCENDING].b;
    o.stable = &f->args[TS_ARGSORT_STABLE].b;
    TS_TRY(ts_sort(tsi_tensor(f, TS_ARGSORT_SELF), &o, &values, &f->results[0]));
    ts_release(values);
    return TS_OK;
}

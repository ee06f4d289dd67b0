/* SPDX-License-Identifier: Apache-2.0 */
/* sort, argsort: what they accept and what comes back; see spec/ops/sort.md. */
#include "touchstone/touchstone.h"

#include "core/core.h"
#include "touchstone/ops_glue.h"

ts_status tsi_api_sort(ts_frame *f)
{
    const ts_tensor *x = tsi_tensor(f, 0);
    int dim;

    TS_TRY(tsi_wrap_dim("sort/C1", f->args[1].i, x->ndim, &dim));
    TS_TRY(tsi_check_dtype(f, x->dtype, "sort/C2"));
    f->args[1].i = dim;
    TS_TRY(tsi_result_like(f, 0, x, x->dtype));
    return tsi_result_like(f, 1, x, TS_INT64);
}

ts_status tsi_program_argsort(ts_frame *f)
{
    ts_sort_opts o = ts_sort_defaults();
    ts_tensor *values;

    o.dim = f->args[1].i;
    o.descending = f->args[2].b;
    o.stable = &f->args[3].b;
    TS_TRY(ts_sort(tsi_tensor(f, 0), &o, &values, &f->results[0]));
    ts_release(values);
    return TS_OK;
}

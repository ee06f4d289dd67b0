/* SPDX-License-Identifier: Apache-2.0 */
/* median, kthvalue, mode: what they accept and what comes back; see spec/ops/median.md. */
#include "core/core.h"
#include "family/reduce.h"
#include "touchstone/ops/median_glue.h"

static const tsi_select_checks labels = {"median/C1", "median/C2", "median/C4",
                                         "median/C5"};

ts_status tsi_api_median(ts_frame *f)
{
    const ts_tensor *x = tsi_tensor(f, TS_MEDIAN_SELF);

    if (x->numel > 0)
        TS_TRY(tsi_check_dtype(f, x->dtype, "median/C4"));
    return tsi_reduce_result(f, x, UINT64_MAX, false, x->dtype);
}

ts_status tsi_api_median_dim(ts_frame *f)
{
    TS_TRY(tsi_select_results(f, TS_MEDIAN_DIM_DIM, TS_MEDIAN_DIM_KEEPDIM, TS_INT64,
                              &labels));
    return tsi_check_dtype(f, tsi_tensor(f, TS_MEDIAN_DIM_SELF)->dtype, "median/C4");
}

ts_status tsi_api_kthvalue(ts_frame *f)
{
    const ts_tensor *x = tsi_tensor(f, TS_KTHVALUE_SELF);
    const int64_t k = f->args[TS_KTHVALUE_K].i;
    int dim;
    int64_t n;

    TS_TRY(tsi_wrap_dim("median/C1", f->args[TS_KTHVALUE_DIM].i, x->ndim, &dim));
    n = x->ndim > 0 ? x->sizes[dim] : 1;
    TS_CHECK(n > 0, TS_ERR_INDEX, "median/C2",
             "kthvalue: dim %d to be reduced has size 0", dim);
    TS_CHECK(k >= 1 && k <= n, TS_ERR_RUNTIME, "median/C3",
             "kthvalue: k = %" PRId64 " is out of range for a dim of size %" PRId64, k,
             n);
    if (x->ndim > 0)
        TS_TRY(tsi_check_dtype(f, x->dtype, "median/C4"));
    return tsi_select_results(f, TS_KTHVALUE_DIM, TS_KTHVALUE_KEEPDIM, TS_INT64, &labels);
}

ts_status tsi_api_mode(ts_frame *f)
{
    return tsi_select_results(f, TS_MODE_DIM, TS_MODE_KEEPDIM, TS_INT64, &labels);
}

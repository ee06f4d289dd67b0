/* SPDX-License-Identifier: Apache-2.0 */
/* mm, bmm: what they accept and what comes back; see spec/ops/mm.md. */
#include "core/core.h"
#include "touchstone/ops/mm_glue.h"

static ts_status check_dtypes(const ts_frame *f, const ts_tensor *a, const ts_tensor *b)
{
    TS_CHECK(a->dtype == b->dtype, TS_ERR_RUNTIME, "mm/C3",
             "%s: self and mat2 must have one dtype, got %s and %s", f->op->name,
             ts_dtype_name(a->dtype), ts_dtype_name(b->dtype));
    return a->numel > 0 && b->numel > 0 ? tsi_check_dtype(f, a->dtype, "mm/C4") : TS_OK;
}

ts_status tsi_api_mm(ts_frame *f)
{
    const ts_tensor *a = tsi_tensor(f, TS_MM_SELF);
    const ts_tensor *b = tsi_tensor(f, TS_MM_MAT2);

    TS_CHECK(a->ndim == 2, TS_ERR_RUNTIME, "mm/C1",
             "mm: self must be a matrix, has %d dims", a->ndim);
    TS_CHECK(b->ndim == 2, TS_ERR_RUNTIME, "mm/C1",
             "mm: mat2 must be a matrix, has %d dims", b->ndim);
    TS_CHECK(a->sizes[1] == b->sizes[0], TS_ERR_RUNTIME, "mm/C2",
             "mm: cannot multiply %" PRId64 "x%" PRId64 " by %" PRId64 "x%" PRId64,
             a->sizes[0], a->sizes[1], b->sizes[0], b->sizes[1]);
    TS_TRY(check_dtypes(f, a, b));
    return tsi_result(f, 0, a->device, a->dtype, 2,
                      (int64_t[]){a->sizes[0], b->sizes[1]});
}

ts_status tsi_api_bmm(ts_frame *f)
{
    const ts_tensor *a = tsi_tensor(f, TS_BMM_SELF);
    const ts_tensor *b = tsi_tensor(f, TS_BMM_MAT2);

    TS_CHECK(a->ndim == 3, TS_ERR_RUNTIME, "mm/C5",
             "bmm: self must be a stack of matrices, has %d dims", a->ndim);
    TS_CHECK(b->ndim == 3, TS_ERR_RUNTIME, "mm/C5",
             "bmm: mat2 must be a stack of matrices, has %d dims", b->ndim);
    TS_CHECK(b->sizes[0] == a->sizes[0] && b->sizes[1] == a->sizes[2], TS_ERR_RUNTIME,
             "mm/C6",
             "bmm: mat2's first two sizes must be [%" PRId64 ", %" PRId64
             "], are [%" PRId64 ", %" PRId64 "]",
             a->sizes[0], a->sizes[2], b->sizes[0], b->sizes[1]);
    TS_TRY(check_dtypes(f, a, b));
    return tsi_result(f, 0, a->device, a->dtype, 3,
                      (int64_t[]){a->sizes[0], a->sizes[1], b->sizes[2]});
}

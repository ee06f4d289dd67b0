/* SPDX-License-Identifier: Apache-2.0 */
/* max, min, aminmax: what they accept and what comes back; see spec/ops/max.md. */
#include "core/core.h"
#include "family/reduce.h"
#include "touchstone/ops/max_glue.h"
#include "touchstone/ops/minmax.h"

enum { SELF, DIM, KEEPDIM };

static ts_status of_all(ts_frame *f)
{
    const ts_tensor *x = tsi_tensor(f, SELF);

    TS_CHECK(x->numel > 0, TS_ERR_RUNTIME, "max/C2",
             "%s: a tensor without elements needs a dim", f->op->name);
    TS_TRY(tsi_check_dtype(f, x->dtype, "max/C4"));
    TS_CHECK(f->form != TS_OUT || ts_can_cast(x->dtype, f->out[0]->dtype), TS_ERR_RUNTIME,
             "promotion/C1", "%s: result type %s can't be cast to out's %s", f->op->name,
             ts_dtype_name(x->dtype), ts_dtype_name(f->out[0]->dtype));
    return tsi_reduce_result(f, x, UINT64_MAX, false,
                             f->form == TS_OUT ? f->out[0]->dtype : x->dtype); /* S8 */
}

ts_status tsi_api_max(ts_frame *f)
{
    return of_all(f);
}

ts_status tsi_api_min(ts_frame *f)
{
    return of_all(f);
}

ts_status tsi_program_max_other(ts_frame *f) /* S6 */
{
    f->flags |= TS_FRAME_OUT_CASTS;
    return ts_maximum(tsi_tensor(f, 0), tsi_tensor(f, 1), &f->results[0]);
}

ts_status tsi_program_min_other(ts_frame *f)
{
    f->flags |= TS_FRAME_OUT_CASTS;
    return ts_minimum(tsi_tensor(f, 0), tsi_tensor(f, 1), &f->results[0]);
}

static const tsi_select_checks labels = {"max/C1", "max/C3", "max/C4", "max/C5"};

ts_status tsi_api_max_dim(ts_frame *f)
{
    return tsi_select_results(f, DIM, KEEPDIM, TS_INT64, &labels);
}

ts_status tsi_api_min_dim(ts_frame *f)
{
    return tsi_select_results(f, DIM, KEEPDIM, TS_INT64, &labels);
}

ts_status tsi_api_aminmax(ts_frame *f) /* S7 */
{
    const ts_tensor *x = tsi_tensor(f, SELF);

    if (f->args[DIM].kind == TS_ARG_INT)
        return tsi_select_results(f, DIM, KEEPDIM, x->dtype, &labels);
    TS_CHECK(x->numel > 0, TS_ERR_RUNTIME, "max/C2",
             "aminmax: a tensor without elements needs a dim");
    TS_TRY(tsi_check_dtype(f, x->dtype, "max/C4"));
    return tsi_select_results(f, DIM, KEEPDIM, x->dtype, &labels);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* one_hot: classes compared with their numbers; see spec/ops/one_hot.md. */
#include "core/core.h"
#include "core/expr.h"
#include "touchstone/ops/amax_expr.h"
#include "touchstone/ops/arange_expr.h"
#include "touchstone/ops/clone_expr.h"
#include "touchstone/ops/compare_expr.h"
#include "touchstone/ops/expand_expr.h"
#include "touchstone/ops/item.h"
#include "touchstone/ops/one_hot_glue.h"

/* The one element of t, on the host. */
static ts_status read(tsi_expr *e, ts_tensor *t, int64_t *out)
{
    const ts_tensor *host = TSI_EXPR(e, ts_item(t, &e->made));

    if (host)
        *out = *(const int64_t *)host->data;
    return e->s;
}

/* S2: where no number of classes is given it is one more than the largest. */
static ts_status settle(tsi_expr *e, ts_tensor *x, int64_t *classes)
{
    int64_t least = 0, most = 0;

    if (x->numel == 0) {
        TS_CHECK(*classes > 0, TS_ERR_RUNTIME, "one_hot/C4",
                 "one_hot: nothing tells the number of classes of no elements");
        return TS_OK;
    }
    TS_TRY(read(e, tsx_amin(e, x, NULL), &least));
    TS_CHECK(least >= 0, TS_ERR_RUNTIME, "one_hot/C2", "one_hot: class %" PRId64, least);
    TS_TRY(read(e, tsx_amax(e, x, NULL), &most));
    if (*classes == -1)
        *classes = most + 1;
    TS_CHECK(most < *classes, TS_ERR_RUNTIME, "one_hot/C3",
             "one_hot: class %" PRId64 " of %" PRId64, most, *classes);
    return TS_OK;
}

ts_status tsi_program_one_hot(ts_frame *f)
{
    ts_tensor *x = tsi_tensor(f, TS_ONE_HOT_SELF);
    int64_t classes = f->args[TS_ONE_HOT_NUM_CLASSES].i;
    ts_arange_opts o = ts_arange_defaults();
    tsi_expr e = {0};
    ts_tensor *is;

    TS_CHECK(x->dtype == TS_INT64, TS_ERR_RUNTIME, "one_hot/C1",
             "one_hot: classes are int64, not %s", ts_dtype_name(x->dtype));
    e.s = settle(&e, x, &classes);
    o.device = x->device;
    is = tsx_unsqueeze(&e, x, -1);
    if (is)
        is = tsx_eq(&e, is, tsx_arange(&e, ts_int(classes), &o));
    is = tsx_contiguous(&e, tsi_cast(&e, is, TS_INT64), NULL);
    return tsi_expr_give(&e, is, &f->results[0]);
}

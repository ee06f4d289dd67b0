/* SPDX-License-Identifier: Apache-2.0 */
/* diff: a program over cat, narrow and sub; see spec/ops/diff.md. */
#include "core/core.h"
#include "core/expr.h"
#include "touchstone/ops/add_expr.h"
#include "touchstone/ops/cat_expr.h"
#include "touchstone/ops/copy.h"
#include "touchstone/ops/diff_glue.h"
#include "touchstone/ops/factories.h"
#include "touchstone/ops/logical_expr.h"
#include "touchstone/ops/slice_expr.h"

static ts_status fits(const ts_tensor *x, const ts_tensor *beside, int dim)
{
    if (!beside)
        return TS_OK;
    TS_CHECK(beside->ndim == x->ndim, TS_ERR_RUNTIME, "diff/C4",
             "diff: what goes before or behind has %d dims, self %d", beside->ndim,
             x->ndim);
    for (int d = 0; d < x->ndim; d++)
        TS_CHECK(d == dim || beside->sizes[d] == x->sizes[d], TS_ERR_RUNTIME, "diff/C4",
                 "diff: size %" PRId64 " of dim %d, where self has %" PRId64,
                 beside->sizes[d], d, x->sizes[d]);
    return TS_OK;
}

/* S1, once */
static ts_tensor *once(tsi_expr *e, ts_tensor *x, int dim)
{
    const int64_t n = x ? x->sizes[dim] : 0;
    const int64_t left = n > 0 ? n - 1 : 0;
    ts_tensor *low = tsx_narrow(e, x, dim, 0, left);
    ts_tensor *high = tsx_narrow(e, x, dim, n - left, left);

    return x && x->dtype == TS_BOOL ? tsx_logical_xor(e, high, low)
                                    : tsx_sub(e, high, low, NULL);
}

/* S2: zeros into which x is written */
static ts_status copied(ts_tensor *x, ts_tensor **out)
{
    ts_tensor *y;
    ts_status s;

    TS_TRY(ts_zeros_like(x, NULL, &y));
    s = ts_copy_(y, x, NULL);
    if (s == TS_OK)
        *out = y;
    else
        ts_release(y);
    return s;
}

ts_status tsi_program_diff(ts_frame *f)
{
    ts_tensor *x = tsi_tensor(f, TS_DIFF_SELF);
    const int64_t n = f->args[TS_DIFF_N].i;
    ts_tensor *parts[3];
    ts_cat_opts o = ts_cat_defaults();
    tsi_expr e = {0};
    int dim, count = 0;

    TS_CHECK(x->ndim > 0, TS_ERR_RUNTIME, "diff/C1", "diff: of a tensor without dims");
    TS_CHECK(n >= 0, TS_ERR_RUNTIME, "diff/C2", "diff: %" PRId64 " times", n);
    TS_TRY(tsi_wrap_dim("diff/C3", f->args[TS_DIFF_DIM].i, x->ndim, &dim));
    TS_TRY(fits(x, f->args[TS_DIFF_PREPEND].tensor, dim));
    TS_TRY(fits(x, f->args[TS_DIFF_APPEND].tensor, dim));
    TS_TRY(tsi_check_dtype(f, x->dtype, "diff/C5"));
    f->flags |= TS_FRAME_OUT_CASTS;
    if (n == 0)
        return copied(x, &f->results[0]);
    if (f->args[TS_DIFF_PREPEND].tensor)
        parts[count++] = f->args[TS_DIFF_PREPEND].tensor;
    parts[count++] = x;
    if (f->args[TS_DIFF_APPEND].tensor)
        parts[count++] = f->args[TS_DIFF_APPEND].tensor;
    o.dim = dim;
    x = count > 1 ? tsx_cat(&e, parts, count, &o) : x;
    for (int64_t k = 0; e.s == TS_OK && k < n && x->sizes[dim] > 0; k++) {
        /* what the last time made is all that is needed */
        ts_tensor *next = NULL;
        tsi_expr step = {0};

        e.s = tsi_expr_give(&step, once(&step, x, dim), &next);
        while (e.n > 0)
            ts_release(e.t[--e.n]);
        if (next)
            e.t[e.n++] = x = next;
    }
    return tsi_expr_give(&e, x, &f->results[0]);
}

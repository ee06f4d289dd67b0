/* SPDX-License-Identifier: Apache-2.0 */
/* linear: a program over addmm, matmul and views; see spec/ops/linear.md. */
#include "core/core.h"
#include "core/expr.h"
#include "touchstone/ops/add.h"
#include "touchstone/ops/addmm_expr.h"
#include "touchstone/ops/linear_glue.h"
#include "touchstone/ops/matmul_expr.h"
#include "touchstone/ops/transpose_expr.h"
#include "touchstone/ops/view_expr.h"

static ts_status check(const ts_tensor *x, const ts_tensor *w)
{
    TS_CHECK(x->ndim > 0 && w->ndim > 0, TS_ERR_RUNTIME, "linear/C1",
             "linear: input and weight need at least one dim, have %d and %d", x->ndim,
             w->ndim);
    TS_CHECK(w->ndim <= 2, TS_ERR_RUNTIME, "linear/C2",
             "linear: weight must be a matrix or a vector, has %d dims", w->ndim);
    TS_CHECK(x->sizes[x->ndim - 1] == w->sizes[w->ndim - 1], TS_ERR_RUNTIME, "linear/C3",
             "linear: input has %" PRId64 " features, weight takes %" PRId64,
             x->sizes[x->ndim - 1], w->sizes[w->ndim - 1]);
    return TS_OK;
}

/* Whether b is one packed vector, dims of size 1 aside. */
static bool is_vector(const ts_tensor *b)
{
    int dims = 0;

    for (int d = 0; d < b->ndim; d++)
        dims += b->sizes[d] != 1;
    return (b->ndim == 1 || dims == 1) && ts_is_contiguous(b);
}

/* S3: whether the bias goes in with the product, in one addmm. */
static bool is_fused(const ts_tensor *x, const ts_tensor *b)
{
    return x->ndim == 2 || (ts_is_contiguous(x) && is_vector(b));
}

/* C4: b expands to `sizes`. */
static ts_status check_bias(const ts_tensor *b, int ndim, const int64_t *sizes)
{
    bool fits = b->ndim <= ndim;
    char have[256], want[256];

    for (int k = 1; fits && k <= b->ndim; k++)
        fits = b->sizes[b->ndim - k] == 1 || b->sizes[b->ndim - k] == sizes[ndim - k];
    TS_CHECK(fits, TS_ERR_RUNTIME, "linear/C4",
             "linear: bias of sizes %s does not expand to %s",
             tsi_sizes_text(have, sizeof have, b->ndim, b->sizes),
             tsi_sizes_text(want, sizeof want, ndim, sizes));
    return TS_OK;
}

/* One addmm over the rows of x. */
static ts_tensor *fused(tsi_expr *e, ts_tensor *x, ts_tensor *w, ts_tensor *b)
{
    int64_t sizes[TS_MAX_DIMS], rows = 1;
    ts_tensor *turned, *y;

    for (int d = 0; d < x->ndim - 1; d++)
        rows *= sizes[d] = x->sizes[d];
    if (w->ndim == 2)
        e->s = check_bias(b, 2, (int64_t[]){rows, w->sizes[0]});
    else
        e->s = ts_fail(TS_ERR_RUNTIME, "linear/C4",
                       "linear: a weight of one dim takes a bias without dims");
    if (e->s != TS_OK)
        return NULL;
    turned = tsx_t(e, w);
    if (x->ndim == 2)
        return tsx_addmm(e, b, x, turned, NULL);
    y = tsx_reshape(e, x, (int64_t[]){rows, x->sizes[x->ndim - 1]}, 2);
    y = tsx_addmm(e, b, y, turned, NULL);
    if (!y)
        return NULL;
    sizes[x->ndim - 1] = y->sizes[1];
    y = tsx_reshape(e, y, sizes, x->ndim);
    if (y)
        tsi_forget_base(y);
    return y;
}

ts_status tsi_program_linear(ts_frame *f)
{
    ts_tensor *x = tsi_tensor(f, TS_LINEAR_INPUT), *w = tsi_tensor(f, TS_LINEAR_WEIGHT);
    ts_tensor *b = tsi_tensor(f, TS_LINEAR_BIAS);
    tsi_expr e = {0};
    ts_tensor *y;

    TS_TRY(check(x, w));
    if (b && is_fused(x, b))
        return tsi_expr_give(&e, fused(&e, x, w, b), &f->results[0]);
    y = tsx_matmul(&e, x, tsx_t(&e, w));
    if (b && y)
        e.s = check_bias(b, y->ndim, y->sizes);
    if (b && e.s == TS_OK) /* in place: y keeps its sizes and dtype */
        e.s = ts_add_(y, b, NULL);
    return tsi_expr_give(&e, y, &f->results[0]);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * native_layer_norm and its backward, row by row; a row is the trailing dims of
 * normalized_shape.
 *
 * Rounding  statistics in double, of deviations from the mean (S2); one rounding on each
 * store. Backward reads mean and rstd as stored.
 */
#include <math.h>
#include <stdlib.h>

#include "ops/wide.h"
#include "touchstone/backend.h"
#include "touchstone/ops/layer_norm_glue.h"

/* The i-th element, in row-major order over dims [from, to) of t, as an offset in
 * elements. */
static int64_t offset_of(const ts_tensor *t, int from, int to, int64_t i)
{
    int64_t at = 0;

    for (int d = to - 1; d >= from; d--) {
        at += i % t->sizes[d] * t->strides[d];
        i /= t->sizes[d];
    }
    return at;
}

static int64_t product(int n, const int64_t *sizes)
{
    int64_t p = 1;

    for (int d = 0; d < n; d++)
        p *= sizes[d];
    return p;
}

ts_status tsk_native_layer_norm(const ts_kernel_call *call)
{
    const ts_tensor *x = call->args[TS_NATIVE_LAYER_NORM_INPUT].tensor;
    const ts_tensor *w = call->args[TS_NATIVE_LAYER_NORM_WEIGHT].kind == TS_ARG_TENSOR
                             ? call->args[TS_NATIVE_LAYER_NORM_WEIGHT].tensor
                             : NULL;
    const ts_tensor *b = call->args[TS_NATIVE_LAYER_NORM_BIAS].kind == TS_ARG_TENSOR
                             ? call->args[TS_NATIVE_LAYER_NORM_BIAS].tensor
                             : NULL;
    ts_tensor *y = call->results[0];
    const int first = x->ndim - (int)call->args[TS_NATIVE_LAYER_NORM_NORMALIZED_SHAPE]
                                    .ints.n; /* the row's first dim */
    const int64_t rows = product(first, x->sizes);
    const int64_t n = product(x->ndim - first, x->sizes + first);

    for (int64_t r = 0; r < rows; r++) {
        const int64_t xr = offset_of(x, 0, first, r);
        const int64_t yr = offset_of(y, 0, first, r);
        tsk_wide sum = {0, 0}, squares = {0, 0};
        double mean, rstd;

        for (int64_t i = 0; i < n; i++)
            tsk_wide_add(&sum, tse_get(x, xr + offset_of(x, first, x->ndim, i)));
        mean = n > 0 ? tsk_wide_get(&sum) / (double)n : 0; /* S5 */
        for (int64_t i = 0; i < n; i++) {
            const double d = tse_get(x, xr + offset_of(x, first, x->ndim, i)) - mean;

            tsk_wide_add(&squares, d * d);
        }
        rstd = 1 / sqrt(tsk_wide_get(&squares) / (double)n +
                        call->args[TS_NATIVE_LAYER_NORM_EPS].f);
        for (int64_t i = 0; i < n; i++) { /* S1 */
            double v = (tse_get(x, xr + offset_of(x, first, x->ndim, i)) - mean) * rstd;

            if (w)
                v *= tse_get(w, offset_of(w, 0, w->ndim, i));
            if (b)
                v += tse_get(b, offset_of(b, 0, b->ndim, i));
            tse_put(y, yr + offset_of(y, first, y->ndim, i), v);
        }
        tse_put(call->results[1], offset_of(call->results[1], 0, first, r), mean);
        tse_put(call->results[2], offset_of(call->results[2], 0, first, r), rstd);
    }
    return TS_OK;
}

ts_status tsk_native_layer_norm_backward(const ts_kernel_call *call)
{
    const ts_tensor *g = call->args[TS_NATIVE_LAYER_NORM_BACKWARD_GRAD_OUT].tensor;
    const ts_tensor *x = call->args[TS_NATIVE_LAYER_NORM_BACKWARD_INPUT].tensor;
    const ts_tensor *mean = call->args[TS_NATIVE_LAYER_NORM_BACKWARD_MEAN].tensor;
    const ts_tensor *rstd = call->args[TS_NATIVE_LAYER_NORM_BACKWARD_RSTD].tensor;
    const ts_tensor *w =
        call->args[TS_NATIVE_LAYER_NORM_BACKWARD_WEIGHT].kind == TS_ARG_TENSOR
            ? call->args[TS_NATIVE_LAYER_NORM_BACKWARD_WEIGHT].tensor
            : NULL;
    ts_tensor *dx = call->results[0];
    ts_tensor *dw = call->results[1];
    ts_tensor *db = call->results[2];
    const int nd = x->ndim;
    const int first =
        nd - (int)call->args[TS_NATIVE_LAYER_NORM_BACKWARD_NORMALIZED_SHAPE].ints.n;
    const int64_t rows = product(first, x->sizes);
    const int64_t n = product(nd - first, x->sizes + first);
    double *sums = calloc((size_t)(2 * n) + 1, sizeof *sums); /* of dw, then of db */

    TS_CHECK(sums, TS_ERR_OUT_OF_MEMORY, NULL,
             "native_layer_norm_backward: out of memory");
    for (int64_t r = 0; r < rows; r++) {
        const int64_t gr = offset_of(g, 0, first, r);
        const int64_t xr = offset_of(x, 0, first, r);
        const int64_t dr = offset_of(dx, 0, first, r);
        const double m = tse_get(mean, offset_of(mean, 0, first, r));
        const double s = tse_get(rstd, offset_of(rstd, 0, first, r));
        double h_sum = 0, hx_sum = 0;

        for (int64_t i = 0; i < n; i++) {
            const double v = tse_get(g, gr + offset_of(g, first, nd, i));
            const double xh = (tse_get(x, xr + offset_of(x, first, nd, i)) - m) * s;
            const double h = w ? v * tse_get(w, offset_of(w, 0, w->ndim, i)) : v;

            h_sum += h;
            hx_sum += h * xh;
            sums[i] += v * xh; /* G2 */
            sums[n + i] += v;  /* G3 */
        }
        for (int64_t i = 0; i < n; i++) { /* G1 */
            const double v = tse_get(g, gr + offset_of(g, first, nd, i));
            const double xh = (tse_get(x, xr + offset_of(x, first, nd, i)) - m) * s;
            const double h = w ? v * tse_get(w, offset_of(w, 0, w->ndim, i)) : v;

            tse_put(dx, dr + offset_of(dx, first, nd, i),
                    s * (h - h_sum / (double)n - xh * (hx_sum / (double)n)));
        }
    }
    for (int64_t i = 0; i < n; i++) {
        tse_put(dw, offset_of(dw, 0, dw->ndim, i), sums[i]);
        tse_put(db, offset_of(db, 0, db->ndim, i), sums[n + i]);
    }
    free(sums);
    return TS_OK;
}

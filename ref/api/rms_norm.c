/* SPDX-License-Identifier: Apache-2.0 */
/* rms_norm: a program over mean and rsqrt; see spec/ops/rms_norm.md. */
#include <float.h>

#include "core/core.h"
#include "core/expr.h"
#include "touchstone/ops/add_expr.h"
#include "touchstone/ops/clone_expr.h"
#include "touchstone/ops/exponentials_expr.h"
#include "touchstone/ops/mul_expr.h"
#include "touchstone/ops/rms_norm_glue.h"
#include "touchstone/ops/sum_expr.h"

static ts_status check(const ts_frame *f, const ts_tensor *x, const ts_value *shape,
                       const ts_tensor *w)
{
    const int n = (int)shape->ints.n;
    char have[256], want[256];

    TS_CHECK(n > 0, TS_ERR_RUNTIME, "rms_norm/C1",
             "rms_norm: normalized_shape needs at least one element");
    tsi_sizes_text(want, sizeof want, n, shape->ints.v);
    TS_CHECK(!w || (w->ndim == n && tsi_equal_sizes(n, w->sizes, shape->ints.v)),
             TS_ERR_RUNTIME, "rms_norm/C3",
             "rms_norm: weight of shape %s, normalized_shape is %s",
             tsi_sizes_text(have, sizeof have, w ? w->ndim : 0, w ? w->sizes : NULL),
             want);
    TS_CHECK(x->ndim >= n, TS_ERR_VALUE, "rms_norm/C5",
             "rms_norm: input has %d dims, normalized_shape %d", x->ndim, n);
    TS_CHECK(tsi_equal_sizes(n, x->sizes + (x->ndim - n), shape->ints.v), TS_ERR_RUNTIME,
             "rms_norm/C2", "rms_norm: input of shape %s does not end in %s",
             tsi_sizes_text(have, sizeof have, x->ndim, x->sizes), want);
    return tsi_check_dtype(f, x->dtype, "rms_norm/C4");
}

ts_status tsi_program_rms_norm(ts_frame *f)
{
    ts_tensor *x = tsi_tensor(f, TS_RMS_NORM_INPUT),
              *w = tsi_tensor(f, TS_RMS_NORM_WEIGHT);
    const ts_value *shape = &f->args[TS_RMS_NORM_NORMALIZED_SHAPE];
    const ts_value *given = &f->args[TS_RMS_NORM_EPS];
    const ts_dtype acc = x->dtype == TS_FLOAT64 ? TS_FLOAT64 : TS_FLOAT32;
    const double eps = given->kind == TS_ARG_FLOAT ? given->f
                       : acc == TS_FLOAT64         ? DBL_EPSILON
                                                   : (double)FLT_EPSILON;
    ts_mean_opts o = ts_mean_defaults();
    int64_t dims[TS_MAX_DIMS];
    tsi_expr e = {0};
    ts_tensor *wide, *mean, *y;

    TS_TRY(check(f, x, shape, w));
    for (int64_t i = 0; i < shape->ints.n; i++)
        dims[i] = i - shape->ints.n;
    o.dim = dims;
    o.ndim = shape->ints.n;
    o.keepdim = true;
    wide = tsi_cast(&e, x, acc); /* S2 */
    mean = tsx_mean(&e, tsx_mul(&e, wide, wide), &o);
    y = tsx_mul(&e, wide, tsx_rsqrt(&e, tsx_add_number(&e, mean, ts_float(eps), NULL)));
    if (w)
        y = tsx_mul(&e, y, w);
    return tsi_expr_give(&e, tsx_contiguous(&e, tsi_cast(&e, y, x->dtype), NULL),
                         &f->results[0]);
}

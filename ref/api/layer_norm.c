/* SPDX-License-Identifier: Apache-2.0 */
/* layer_norm: what it accepts, and the program of native_layer_norm; see
 * spec/ops/layer_norm.md. */
#include "touchstone/touchstone.h"

#include "core/core.h"
#include "core/expr.h"
#include "touchstone/ops/add_expr.h"
#include "touchstone/ops/clone_expr.h"
#include "touchstone/ops/div_expr.h"
#include "touchstone/ops/layer_norm_glue.h"
#include "touchstone/ops/mul_expr.h"
#include "touchstone/ops/unary_expr.h"

ts_status tsi_program_layer_norm(ts_frame *f)
{
    ts_tensor *mean, *rstd;

    TS_TRY(ts_native_layer_norm(
        tsi_tensor(f, TS_LAYER_NORM_INPUT),
        f->args[TS_LAYER_NORM_NORMALIZED_SHAPE].ints.v,
        f->args[TS_LAYER_NORM_NORMALIZED_SHAPE].ints.n,
        tsi_tensor(f, TS_LAYER_NORM_WEIGHT), tsi_tensor(f, TS_LAYER_NORM_BIAS),
        f->args[TS_LAYER_NORM_EPS].f, &f->results[0], &mean, &rstd));
    ts_release(mean);
    ts_release(rstd);
    return TS_OK;
}

static ts_status check_affine(const ts_frame *f, const char *label, int arg)
{
    const ts_tensor *t = tsi_tensor(f, arg);
    const int n = (int)f->args[TS_LAYER_NORM_NORMALIZED_SHAPE].ints.n;
    char have[256], want[256];

    TS_CHECK(!t || (t->ndim == n &&
                    memcmp(t->sizes, f->args[TS_LAYER_NORM_NORMALIZED_SHAPE].ints.v,
                           (size_t)n * sizeof *t->sizes) == 0),
             TS_ERR_RUNTIME, label, "%s: %s of shape %s, normalized_shape is %s",
             f->op->name, f->op->params[arg].name,
             tsi_sizes_text(have, sizeof have, t->ndim, t->sizes),
             tsi_sizes_text(want, sizeof want, n,
                            f->args[TS_LAYER_NORM_NORMALIZED_SHAPE].ints.v));
    return TS_OK;
}

/* C6: weight and bias agree, and are of the input's dtype or S4's float32. */
static ts_status check_affine_dtypes(const ts_frame *f, bool *mixed)
{
    const ts_tensor *x = tsi_tensor(f, TS_LAYER_NORM_INPUT);

    *mixed = false;
    for (int arg = 2; arg <= 3; arg++) {
        const ts_tensor *t = tsi_tensor(f, arg);

        if (!t || (t->dtype == x->dtype && !*mixed))
            continue;
        TS_CHECK(t->dtype == TS_FLOAT32 && ts_dtype_is_floating(x->dtype) &&
                     ts_dtype_size(x->dtype) < 4 &&
                     (arg == 2 || *mixed || !tsi_tensor(f, TS_LAYER_NORM_WEIGHT)),
                 TS_ERR_RUNTIME, "layer_norm/C6",
                 "%s: %s is %s, which does not go with an input of %s", f->op->name,
                 f->op->params[arg].name, ts_dtype_name(t->dtype),
                 ts_dtype_name(x->dtype));
        *mixed = true;
    }
    return TS_OK;
}

ts_status tsi_api_native_layer_norm(ts_frame *f)
{
    const ts_tensor *x = tsi_tensor(f, TS_NATIVE_LAYER_NORM_INPUT);
    const int64_t n = f->args[TS_NATIVE_LAYER_NORM_NORMALIZED_SHAPE].ints.n;
    int64_t sizes[TS_MAX_DIMS];
    char have[256], want[256];
    ts_dtype stat;
    bool mixed;

    TS_CHECK(n > 0, TS_ERR_RUNTIME, "layer_norm/C1",
             "%s: normalized_shape needs at least one element", f->op->name);
    TS_TRY(check_affine(f, "layer_norm/C3", 2));
    TS_TRY(check_affine(f, "layer_norm/C4", 3));
    TS_CHECK(x->ndim >= n && memcmp(x->sizes + (x->ndim - n),
                                    f->args[TS_NATIVE_LAYER_NORM_NORMALIZED_SHAPE].ints.v,
                                    (size_t)n * sizeof *sizes) == 0,
             TS_ERR_RUNTIME, "layer_norm/C2", "%s: input of shape %s does not end in %s",
             f->op->name, tsi_sizes_text(have, sizeof have, x->ndim, x->sizes),
             tsi_sizes_text(want, sizeof want, (int)n,
                            f->args[TS_NATIVE_LAYER_NORM_NORMALIZED_SHAPE].ints.v));
    TS_TRY(check_affine_dtypes(f, &mixed));
    TS_TRY(tsi_check_dtype(f, x->dtype, "layer_norm/C5"));
    stat = mixed ? TS_FLOAT32 : x->dtype; /* S3 */
    for (int d = 0; d < x->ndim; d++)
        sizes[d] = d < x->ndim - n ? x->sizes[d] : 1;
    TS_TRY(tsi_result(f, 0, x->device, x->dtype, x->ndim, x->sizes));
    TS_TRY(tsi_result(f, 1, x->device, stat, x->ndim, sizes));
    return tsi_result(f, 2, x->device, stat, x->ndim, sizes);
}

ts_status tsi_api_native_layer_norm_backward(ts_frame *f)
{
    const ts_tensor *x = tsi_tensor(f, TS_NATIVE_LAYER_NORM_BACKWARD_INPUT);
    const int n = (int)f->args[TS_NATIVE_LAYER_NORM_BACKWARD_NORMALIZED_SHAPE].ints.n;

    TS_TRY(tsi_result(f, 0, x->device, x->dtype, x->ndim, x->sizes));
    for (int i = 1; i <= 2; i++)
        TS_TRY(tsi_result(
            f, i, x->device, tsi_tensor(f, TS_NATIVE_LAYER_NORM_BACKWARD_MEAN)->dtype, n,
            f->args[TS_NATIVE_LAYER_NORM_BACKWARD_NORMALIZED_SHAPE].ints.v));
    return TS_OK;
}

static double row_elements(const ts_frame *f)
{
    double count = 1;

    for (int64_t i = 0; i < f->args[TS_LAYER_NORM_NORMALIZED_SHAPE].ints.n; i++)
        count *= (double)f->args[TS_LAYER_NORM_NORMALIZED_SHAPE].ints.v[i];
    return count;
}

/* The sum of each row of the last n dims, divided by `count`. */
static ts_tensor *row_sum(tsi_expr *e, ts_tensor *x, int64_t n, double count)
{
    int64_t dims[TS_MAX_DIMS];
    ts_tensor *sum;

    for (int64_t i = 0; i < n; i++)
        dims[i] = i - n;
    sum = tsi_sum(e, x, dims, n, true);
    return tsx_div_number(e, sum, ts_float(count), NULL);
}

/* For a backend without the kernel: S1 over elementary ops, halves in float32 within
 * (S2). */
ts_status tsi_program_native_layer_norm(ts_frame *f)
{
    ts_tensor *x = tsi_tensor(f, TS_NATIVE_LAYER_NORM_INPUT);
    const int64_t n = f->args[TS_NATIVE_LAYER_NORM_NORMALIZED_SHAPE].ints.n;
    const ts_dtype stat = f->meta[1].dtype;
    const double count = row_elements(f);
    tsi_expr e = {0};
    ts_tensor *dense = tsx_contiguous(&e, x, NULL); /* S8 */
    ts_tensor *wide =
        tsi_cast(&e, dense, x->dtype == TS_FLOAT64 ? TS_FLOAT64 : TS_FLOAT32);
    ts_tensor *mean = row_sum(&e, wide, n, count > 0 ? count : 1); /* S5 */
    ts_tensor *centred = tsx_sub(&e, wide, mean, NULL);
    ts_tensor *var = row_sum(&e, tsx_mul(&e, centred, centred), n, count);
    ts_tensor *biased =
        tsx_add_number(&e, var, ts_float(f->args[TS_NATIVE_LAYER_NORM_EPS].f), NULL);
    ts_tensor *sd = tsx_sqrt(&e, biased);
    ts_tensor *rstd = tsx_reciprocal(&e, sd);
    ts_tensor *y = tsx_mul(&e, centred, rstd);

    if (tsi_tensor(f, TS_NATIVE_LAYER_NORM_WEIGHT))
        y = tsx_mul(&e, y, tsi_tensor(f, TS_NATIVE_LAYER_NORM_WEIGHT));
    if (tsi_tensor(f, TS_NATIVE_LAYER_NORM_BIAS))
        y = tsx_add(&e, y, tsi_tensor(f, TS_NATIVE_LAYER_NORM_BIAS), NULL);
    y = tsi_cast(&e, y, x->dtype);
    mean = tsi_cast(&e, mean, stat);
    rstd = tsi_cast(&e, rstd, stat);
    if (e.s == TS_OK) {
        f->results[1] = ts_retain(mean);
        f->results[2] = ts_retain(rstd);
    }
    return tsi_expr_give(&e, y, &f->results[0]);
}

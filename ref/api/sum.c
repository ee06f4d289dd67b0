/* SPDX-License-Identifier: Apache-2.0 */
/* What sum, mean and sum_to_size accept and give; spec/ops/sum.md. */
#include "api/reduce.h"
#include "touchstone/ops/sum_glue.h"
#include "touchstone/touchstone.h"

/* S3: dtype when given, else out's, else `fallback`; C1, C2, C5. */
static ts_status reduced(ts_frame *f, ts_dtype fallback)
{
    const ts_tensor *x = tsi_tensor(f, TS_SUM_SELF);
    const ts_value *dim = &f->args[TS_SUM_DIM], *given = &f->args[TS_SUM_DTYPE];
    const ts_tensor *out = f->form == TS_OUT ? f->out[0] : NULL;
    const ts_dtype dtype = given->kind == TS_ARG_DTYPE ? given->dtype
                           : out                       ? out->dtype
                                                       : fallback;

    TS_TRY(tsi_reduce_check(f, dim, x->ndim, "sum/C1", "sum/C2"));
    TS_CHECK(!out || out->dtype == dtype, TS_ERR_RUNTIME, "sum/C5",
             "%s: out is %s, but dtype is %s", f->op->name, ts_dtype_name(out->dtype),
             ts_dtype_name(dtype));
    return tsi_reduce_result(f, x, ts_reduce_mask(dim, x->ndim), f->args[TS_SUM_KEEPDIM].b, dtype);
}

ts_status tsi_api_sum(ts_frame *f)
{
    const ts_tensor *x = tsi_tensor(f, TS_SUM_SELF);

    TS_TRY(reduced(f, ts_dtype_is_floating(x->dtype) ? x->dtype : TS_INT64));
    return x->numel > 0 ? tsi_check_dtype(f, f->compute, "sum/C3") : TS_OK;
}

ts_status tsi_api_mean(ts_frame *f)
{
    const ts_tensor *x = tsi_tensor(f, TS_MEAN_SELF);
    const ts_dtype dtype = f->args[TS_MEAN_DTYPE].kind == TS_ARG_DTYPE ? f->args[TS_MEAN_DTYPE].dtype : x->dtype;

    TS_CHECK(ts_dtype_is_floating(dtype), TS_ERR_NOT_IMPLEMENTED, "sum/C4",
             "mean: of %s elements needs a floating dtype, not %s",
             ts_dtype_name(x->dtype), ts_dtype_name(dtype));
    TS_CHECK(f->form != TS_OUT || ts_can_cast(dtype, f->out[0]->dtype), TS_ERR_RUNTIME,
             "promotion/C1", "mean: result type %s can't be cast to out's %s",
             ts_dtype_name(dtype), ts_dtype_name(f->out[0]->dtype));
    TS_TRY(reduced(f, dtype));
    return x->numel > 0 ? tsi_check_dtype(f, f->compute, "sum/C3") : TS_OK;
}

ts_status tsi_program_sum_to_size(ts_frame *f) /* S9 */
{
    ts_tensor *x = tsi_tensor(f, TS_SUM_TO_SIZE_SELF), *y;
    const int64_t *size = f->args[TS_SUM_TO_SIZE_SIZE].ints.v, n = f->args[TS_SUM_TO_SIZE_SIZE].ints.n;
    const int64_t lead = x->ndim - n;
    ts_sum_opts o = ts_sum_defaults();
    int64_t dims[TS_MAX_DIMS];
    char have[256];
    ts_status s;

    TS_CHECK(lead >= 0, TS_ERR_RUNTIME, "sum/C6",
             "sum_to_size: %" PRId64 " dims do not expand to sizes %s", n,
             tsi_sizes_text(have, sizeof have, x->ndim, x->sizes));
    for (int d = 0; d < x->ndim; d++) {
        const int64_t want = d < lead ? 1 : size[d - lead];

        TS_CHECK(d < lead || want == 1 || want == x->sizes[d], TS_ERR_RUNTIME, "sum/C6",
                 "sum_to_size: size %" PRId64 " does not expand to dim %d of sizes %s",
                 want, d, tsi_sizes_text(have, sizeof have, x->ndim, x->sizes));
        if (d < lead || (want == 1 && x->sizes[d] != 1))
            dims[o.ndim++] = d;
    }
    if (o.ndim == 0) {
        f->results[0] = ts_retain(x);
        return TS_OK;
    }
    o.dim = dims;
    o.keepdim = true;
    TS_TRY(ts_sum(x, &o, &y));
    if (lead == 0) {
        f->results[0] = y;
        return TS_OK;
    }
    s = ts_view(y, size, n, &f->results[0]);
    ts_release(y);
    return s;
}

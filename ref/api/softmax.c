/* SPDX-License-Identifier: Apache-2.0 */
/* softmax, log_softmax and their backwards: what they accept; see spec/ops/softmax.md. */
#include "touchstone/touchstone.h"

#include "core/core.h"
#include "touchstone/ops/softmax_glue.h"

typedef ts_status (*primitive_fn)(ts_tensor *, int64_t, bool, ts_tensor **);

/* S6: the conversion, then the primitive. */
static ts_status convert_then(ts_frame *f, primitive_fn primitive)
{
    ts_tensor *x = tsi_tensor(f, TS_SOFTMAX_SELF);
    ts_tensor *converted;
    ts_status s;

    if (f->args[TS_SOFTMAX_DTYPE].kind == TS_ARG_NONE)
        return primitive(x, f->args[TS_SOFTMAX_DIM].i, false, &f->results[0]);
    ts_to_opts to = ts_to_defaults();

    to.dtype = f->args[TS_SOFTMAX_DTYPE].dtype;
    TS_TRY(ts_to(x, &to, &converted));
    s = primitive(converted, f->args[TS_SOFTMAX_DIM].i, false, &f->results[0]);
    ts_release(converted);
    return s;
}

ts_status tsi_program_softmax(ts_frame *f)
{
    return convert_then(f, ts__softmax);
}

ts_status tsi_program_log_softmax(ts_frame *f)
{
    return convert_then(f, ts__log_softmax);
}

ts_status tsi_api__softmax(ts_frame *f)
{
    const ts_tensor *x = tsi_tensor(f, TS__SOFTMAX_SELF);
    int dim;

    TS_TRY(tsi_wrap_dim("softmax/C1", f->args[TS__SOFTMAX_DIM].i, x->ndim, &dim));
    TS_CHECK(!f->args[TS__SOFTMAX_HALF_TO_FLOAT].b, TS_ERR_RUNTIME, "softmax/C3",
             "%s: half_to_float is not supported on the CPU", f->op->name);
    if (x->numel > 0)
        TS_TRY(tsi_check_dtype(f, x->dtype, "softmax/C2"));
    return tsi_result(f, 0, x->device, x->dtype, x->ndim, x->sizes);
}

ts_status tsi_api__log_softmax(ts_frame *f)
{
    return tsi_api__softmax(f);
}

ts_status tsi_api__softmax_backward_data(ts_frame *f)
{
    const ts_tensor *y = tsi_tensor(f, TS__SOFTMAX_BACKWARD_DATA_OUTPUT);
    int dim;

    TS_TRY(tsi_wrap_dim("softmax/C1", f->args[TS__SOFTMAX_BACKWARD_DATA_DIM].i, y->ndim,
                        &dim));
    if (y->numel > 0)
        TS_TRY(tsi_check_dtype(f, y->dtype, "softmax/C2"));
    return tsi_result(f, 0, y->device,
                      f->args[TS__SOFTMAX_BACKWARD_DATA_INPUT_DTYPE].dtype, y->ndim,
                      y->sizes);
}

ts_status tsi_api__log_softmax_backward_data(ts_frame *f)
{
    return tsi_api__softmax_backward_data(f);
}

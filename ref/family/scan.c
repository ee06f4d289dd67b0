/* SPDX-License-Identifier: Apache-2.0 */
/* Scans: (self, dim, *, dtype), each element of a line from those before it. */
#include "family/family.h"

enum { SELF, DIM, DTYPE };

/* The dtype when given, else that of the tensor written, else self's, int64 for integers. */
ts_status tsi_family_scan(ts_frame *f)
{
    const ts_tensor *x = tsi_tensor(f, SELF);
    const ts_tensor *written = f->form == TS_OUT       ? f->out[0]
                               : f->form == TS_INPLACE ? x
                                                       : NULL;
    const ts_value *given = &f->args[DTYPE];
    ts_dtype dtype = ts_dtype_is_floating(x->dtype) ? x->dtype : TS_INT64;
    int dim;

    if (given->kind == TS_ARG_DTYPE)
        dtype = given->dtype;
    else if (written)
        dtype = written->dtype;
    TS_TRY(tsi_wrap_dim(f->op->labels[TSI_REFUSES_DIM], f->args[DIM].i, x->ndim, &dim));
    TS_CHECK(!written || written->dtype == dtype, TS_ERR_RUNTIME,
             f->op->labels[TSI_REFUSES_OUT_DTYPE],
             "%s: the tensor written is %s, but dtype is %s", f->op->name,
             ts_dtype_name(written->dtype), ts_dtype_name(dtype));
    if (x->numel > 0 && x->ndim > 0)
        TS_TRY(tsi_check_dtype(f, dtype, f->op->labels[TSI_REFUSES_DTYPE]));
    f->compute = dtype;
    return tsi_result(f, 0, x->device, dtype, x->ndim, x->sizes);
}

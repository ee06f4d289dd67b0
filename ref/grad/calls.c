/* SPDX-License-Identifier: Apache-2.0 */
/* Ops that the engine itself calls; recorded when grad mode is on. */
#include "grad/graph.h"

ts_status tsi_call_add(ts_tensor *a, ts_tensor *b, bool in_place, ts_tensor **out)
{
    if (!in_place)
        return ts_add(a, b, NULL, out);
    TS_TRY(ts_add_(a, b, NULL));
    *out = ts_retain(a);
    return TS_OK;
}

ts_status tsi_call_mul(ts_tensor *a, ts_tensor *b, ts_tensor **out)
{
    return ts_mul(a, b, out);
}

ts_status tsi_call_copy_(ts_tensor *self, ts_tensor *src)
{
    return ts_copy_(self, src, NULL);
}

ts_status tsi_call_fill_(ts_tensor *self, double value)
{
    return ts_fill_number_(self, ts_float(value));
}

ts_status tsi_call_clone(ts_tensor *t, ts_memory_format format, ts_tensor **out)
{
    ts_clone_opts o = ts_clone_defaults();

    if (format != TS_MEMORY_FORMAT_NONE)
        o.memory_format = format;
    return ts_clone(t, &o, out);
}

ts_status tsi_call_sum(ts_tensor *t, int ndims, const int64_t *dims, bool keepdim,
                       ts_tensor **out)
{
    ts_sum_opts o = ts_sum_defaults();

    o.dim = dims;
    o.ndim = ndims;
    o.keepdim = keepdim;
    return ts_sum(t, &o, out);
}

ts_status tsi_call_view(ts_tensor *t, int ndim, const int64_t *sizes, ts_tensor **out)
{
    return ts_view(t, sizes, ndim, out);
}

ts_status tsi_call_cast(ts_tensor *t, ts_dtype dtype, ts_tensor **out)
{
    ts_to_opts o = ts_to_defaults();

    o.dtype = dtype;
    return ts_to(t, &o, out);
}

ts_status tsi_open_as_strided(ts_frame *f, ts_tensor *t, int ndim, const int64_t *sizes,
                              const int64_t *strides, int64_t offset)
{
    TS_TRY(ts_frame_open(f, ts_op_find("as_strided"), TS_FUNCTIONAL));
    f->args[TS_AS_STRIDED_SELF] = (ts_value){.kind = TS_ARG_TENSOR, .tensor = t};
    f->args[TS_AS_STRIDED_SIZE] = (ts_value){.kind = TS_ARG_INTS, .ints = {sizes, ndim}};
    f->args[TS_AS_STRIDED_STRIDE] =
        (ts_value){.kind = TS_ARG_INTS, .ints = {strides, ndim}};
    f->args[TS_AS_STRIDED_STORAGE_OFFSET] = (ts_value){.kind = TS_ARG_INT, .i = offset};
    return TS_OK;
}

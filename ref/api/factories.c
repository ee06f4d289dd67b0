/* SPDX-License-Identifier: Apache-2.0 */
/* Factories: programs that allocate and fill. Only the filling runs a kernel. */
#include "touchstone/ops.h"
#include "touchstone/ops/factories_glue.h"

#include "api/format.h"

static ts_dtype dtype_arg(const ts_frame *f, int i, ts_dtype none)
{
    return f->args[i].kind == TS_ARG_DTYPE ? f->args[i].dtype : none;
}

static ts_device device_arg(const ts_frame *f, int i, ts_device none)
{
    return f->args[i].kind == TS_ARG_DEVICE ? tsi_device_settle(f->args[i].device) : none;
}

/* Sizes in args[size], dtype and device in args[at] and args[at + 1]. */
static ts_status sized(ts_frame *f, int size, int at, ts_dtype dtype, ts_device device)
{
    const ts_value *v = &f->args[size];
    const ts_tensor *out = f->out[0];

    if (out) { /* S12 */
        TS_CHECK(dtype_arg(f, at, out->dtype) == out->dtype, TS_ERR_RUNTIME,
                 "factories/C3", "%s: dtype %s does not match out's %s", f->op->name,
                 ts_dtype_name(f->args[at].dtype), ts_dtype_name(out->dtype));
        dtype = out->dtype;
        device = out->device;
        f->flags |= TS_FRAME_OVERLAP_OK;
    }

    TS_CHECK(v->ints.n <= TS_MAX_DIMS, TS_ERR_RUNTIME, "tensors/C7",
             "%s: %" PRId64 " dims, at most %d are allowed", f->op->name, v->ints.n,
             TS_MAX_DIMS);
    return ts_tensor_new(device_arg(f, at + 1, device), dtype_arg(f, at, dtype),
                         (int)v->ints.n, v->ints.v, &f->results[0]);
}

ts_status tsi_program_empty(ts_frame *f)
{
    const ts_memory_format format = tsi_format_arg(f, 3, TS_CONTIGUOUS_FORMAT);
    const ts_value *size = &f->args[TS_EMPTY_SIZE];
    int64_t strides[4];

    TS_CHECK(format != TS_PRESERVE_FORMAT, TS_ERR_RUNTIME, "factories/C2",
             "empty: preserve_format, but there is no format to preserve");
    if (format == TS_CONTIGUOUS_FORMAT)
        return sized(f, 0, 1, TS_FLOAT32, ts_default_device());
    TS_TRY(tsi_channels_last("factories/C1", (int)size->ints.n, size->ints.v, strides));
    return ts_tensor_new_strided(device_arg(f, 2, ts_default_device()),
                                 dtype_arg(f, 1, TS_FLOAT32), (int)size->ints.n,
                                 size->ints.v, strides, &f->results[0]);
}

/* What was just allocated is full of its number. Nobody has seen it, so its version is 0;
 * an out tensor takes its sizes without the warning that other ops give (S12). */
static ts_status finished(ts_frame *f)
{
    const ts_tensor *made = f->results[0];

    tsi_version_reset(made);
    if (f->out[0] && !tsi_same_sizes(f->out[0], made))
        return tsi_resize(f->out[0], made->ndim, made->sizes);
    return TS_OK;
}

static ts_status filled(ts_frame *f, ts_scalar value)
{
    TS_TRY(ts_fill_number_(f->results[0], value));
    return finished(f);
}

static ts_status zeroed(ts_frame *f)
{
    TS_TRY(ts_zero_(f->results[0]));
    return finished(f);
}

ts_status tsi_program_zeros(ts_frame *f)
{
    TS_TRY(sized(f, 0, 1, TS_FLOAT32, ts_default_device()));
    return zeroed(f);
}

ts_status tsi_program_ones(ts_frame *f)
{
    TS_TRY(sized(f, 0, 1, TS_FLOAT32, ts_default_device()));
    return filled(f, ts_int(1));
}

ts_status tsi_program_full(ts_frame *f)
{
    const ts_scalar value = f->args[TS_FULL_FILL_VALUE].scalar;

    TS_TRY(sized(f, 0, 2, tsi_scalar_dtype(value), ts_default_device())); /* S4 */
    return filled(f, value);
}

/* args[at...] are dtype, device, memory_format. */
static ts_status like(ts_frame *f, int at)
{
    const ts_tensor *self = tsi_tensor(f, TS_EMPTY_LIKE_SELF);
    const ts_meta *m = &f->meta[0];

    TS_TRY(tsi_result_format(f, "factories/C1", self, dtype_arg(f, at, self->dtype),
                             device_arg(f, at + 1, self->device),
                             tsi_format_arg(f, at + 2, TS_PRESERVE_FORMAT)));
    return ts_tensor_new_strided(m->device, m->dtype, m->ndim, m->sizes,
                                 m->strided ? m->strides : NULL, &f->results[0]);
}

ts_status tsi_program_empty_like(ts_frame *f)
{
    return like(f, 1);
}

ts_status tsi_program_zeros_like(ts_frame *f)
{
    TS_TRY(like(f, 1));
    return zeroed(f);
}

ts_status tsi_program_ones_like(ts_frame *f)
{
    TS_TRY(like(f, 1));
    return filled(f, ts_int(1));
}

ts_status tsi_program_full_like(ts_frame *f)
{
    TS_TRY(like(f, 2));
    return filled(f, f->args[TS_FULL_LIKE_FILL_VALUE].scalar);
}

static ts_status new_sized(ts_frame *f, int at)
{
    return sized(f, 1, at, tsi_tensor(f, TS_NEW_EMPTY_SELF)->dtype,
                 tsi_tensor(f, TS_NEW_EMPTY_SELF)->device);
}

ts_status tsi_program_new_empty(ts_frame *f)
{
    return new_sized(f, 2);
}

ts_status tsi_program_new_zeros(ts_frame *f)
{
    TS_TRY(new_sized(f, 2));
    return zeroed(f);
}

ts_status tsi_program_new_ones(ts_frame *f)
{
    TS_TRY(new_sized(f, 2));
    return filled(f, ts_int(1));
}

ts_status tsi_program_new_full(ts_frame *f)
{
    TS_TRY(new_sized(f, 3));
    return filled(f, f->args[TS_NEW_FULL_FILL_VALUE].scalar);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* to: when the tensor itself is the answer, and what a copy looks like. */
#include "touchstone/ops.h"
#include "touchstone/ops/to_glue.h"

#include "api/format.h"

/* The format that t's strides suggest: NHWC-like strides channels_last, all others
 * contiguous_format (S10). Ambiguous strides, as of N111, count as contiguous. */
static ts_memory_format suggested(const ts_tensor *t)
{
    static const int nhwc[4] = {1, 3, 2, 0};
    int64_t least = 0;

    if (t->ndim != 4 || t->strides[1] == 0)
        return TS_CONTIGUOUS_FORMAT;
    for (int k = 0; k < 4; k++) {
        const int d = nhwc[k];

        if (t->sizes[d] == 0 || t->strides[d] < least ||
            (d == 0 && least == t->strides[1]))
            return TS_CONTIGUOUS_FORMAT;
        least = t->strides[d] * (t->sizes[d] > 1 ? t->sizes[d] : 1);
    }
    return TS_CHANNELS_LAST;
}

ts_status tsi_program_to(ts_frame *f)
{
    ts_tensor *self = tsi_tensor(f, TS_TO_SELF);
    ts__to_copy_opts o = ts__to_copy_defaults();
    const ts_memory_format format = tsi_format_arg(f, 5, TS_PRESERVE_FORMAT);

    o.device = f->args[TS_TO_DEVICE].kind == TS_ARG_DEVICE
                   ? tsi_device_settle(f->args[TS_TO_DEVICE].device)
                   : self->device;
    o.dtype = f->args[TS_TO_DTYPE].kind == TS_ARG_DTYPE ? f->args[TS_TO_DTYPE].dtype
                                                        : self->dtype;
    o.non_blocking = f->args[TS_TO_NON_BLOCKING].b;
    o.memory_format = format;
    if (!f->args[TS_TO_COPY].b && o.dtype == self->dtype &&
        o.device.type == self->device.type && o.device.index == self->device.index &&
        (format == TS_PRESERVE_FORMAT || format == suggested(self))) {
        f->results[0] = ts_retain(self); /* S1 */
        return TS_OK;
    }
    return ts__to_copy(self, &o, &f->results[0]);
}

ts_status tsi_api__to_copy(ts_frame *f)
{
    const ts_tensor *self = tsi_tensor(f, TS__TO_COPY_SELF);
    const ts_dtype dtype = f->args[TS__TO_COPY_DTYPE].kind == TS_ARG_DTYPE
                               ? f->args[TS__TO_COPY_DTYPE].dtype
                               : self->dtype;
    const ts_device device = f->args[TS__TO_COPY_DEVICE].kind == TS_ARG_DEVICE
                                 ? tsi_device_settle(f->args[TS__TO_COPY_DEVICE].device)
                                 : self->device;

    TS_CHECK(self->device.type != TS_META || device.type == TS_META,
             TS_ERR_NOT_IMPLEMENTED, "to/C1",
             "to: a meta tensor has no data to copy to another device");
    return tsi_result_format(f, "to/C2", self, dtype, device,
                             tsi_format_arg(f, 4, TS_PRESERVE_FORMAT));
}

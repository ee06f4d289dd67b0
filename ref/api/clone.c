/* SPDX-License-Identifier: Apache-2.0 */
/* clone: what it accepts and how the copy is laid out; contiguous; memory formats. */
#include "touchstone/ops.h"
#include "touchstone/ops/clone_glue.h"

#include "api/format.h"

ts_memory_format tsi_format_arg(const ts_frame *f, int i, ts_memory_format none)
{
    return f->args[i].kind == TS_ARG_MEMORY_FORMAT ? f->args[i].memory_format : none;
}

static const int nhwc[4] = {1, 3, 2, 0}; /* the dims of NCHW, fastest first */

ts_status tsi_channels_last(const char *label, int ndim, const int64_t *sizes,
                            int64_t *strides)
{
    int64_t step = 1;

    TS_CHECK(ndim == 4, TS_ERR_RUNTIME, label,
             "channels_last needs a tensor of 4 dims, got %d", ndim);
    for (int k = 0; k < 4; k++) {
        strides[nhwc[k]] = step;
        step *= sizes[nhwc[k]]; /* 0 too: unlike row-major strides, PyTorch's */
    }
    return TS_OK;
}

ts_status tsi_result_format(ts_frame *f, const char *label, const ts_tensor *t,
                            ts_dtype dtype, ts_device device, ts_memory_format format)
{
    ts_meta *m = &f->meta[0];

    if (format == TS_PRESERVE_FORMAT)
        TS_TRY(tsi_result_like(f, 0, t, dtype)); /* clone/S2 */
    else
        TS_TRY(tsi_result(f, 0, device, dtype, t->ndim, t->sizes));
    if (format == TS_CHANNELS_LAST) {
        TS_TRY(tsi_channels_last(label, t->ndim, t->sizes, m->strides));
        m->strided = true;
    }
    m->device = device;
    return TS_OK;
}

bool tsi_is_channels_last(const ts_tensor *t)
{
    int64_t step = 1;

    if (t->ndim != 4)
        return false;
    for (int k = 0; k < 4; k++) {
        const int d = nhwc[k];

        if (t->sizes[d] == 1)
            continue;
        if (t->strides[d] != step)
            return false;
        step *= t->sizes[d];
    }
    return true;
}

ts_status tsi_api_clone(ts_frame *f)
{
    const ts_tensor *self = tsi_tensor(f, TS_CLONE_SELF);

    return tsi_result_format(f, "clone/C1", self, self->dtype, self->device,
                             tsi_format_arg(f, 1, TS_PRESERVE_FORMAT));
}

ts_status tsi_program_contiguous(ts_frame *f)
{
    ts_tensor *self = tsi_tensor(f, TS_CONTIGUOUS_SELF);
    ts_clone_opts o = ts_clone_defaults();

    o.memory_format = tsi_format_arg(f, 1, TS_CONTIGUOUS_FORMAT);
    if (o.memory_format == TS_CHANNELS_LAST ? tsi_is_channels_last(self)
                                            : ts_is_contiguous(self)) {
        f->results[0] = ts_retain(self); /* S4, S6 */
        return TS_OK;
    }
    TS_CHECK(o.memory_format != TS_PRESERVE_FORMAT, TS_ERR_RUNTIME, "clone/C2",
             "contiguous: preserve_format is no format that a copy could be given");
    return ts_clone(self, &o, &f->results[0]);
}

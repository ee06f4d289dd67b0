/* SPDX-License-Identifier: Apache-2.0 */
/* Memory formats, for the ops that copy or allocate (T-16). */
#ifndef TSI_FORMAT_H
#define TSI_FORMAT_H

#include "core/core.h"

/* Argument i of kind MemoryFormat?, `none` where not given. */
ts_memory_format tsi_format_arg(const ts_frame *f, int i, ts_memory_format none);

/* NHWC strides of 4 sizes; RuntimeError under `label` for another number of dims. */
ts_status tsi_channels_last(const char *label, int ndim, const int64_t *sizes,
                            int64_t *strides);

/* Result 0 as a copy of `t` in this dtype and format, on `device`. */
ts_status tsi_result_format(ts_frame *f, const char *label, const ts_tensor *t,
                            ts_dtype dtype, ts_device device, ts_memory_format format);

/* Whether t's strides are exactly NHWC, dims of size 1 aside. */
bool tsi_is_channels_last(const ts_tensor *t);

/* Whether a cat of such tensors is channels-last (cat/S6). */
bool tsi_in_channels_last_order(const ts_tensor *t);

#endif

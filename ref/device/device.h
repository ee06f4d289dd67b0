/* SPDX-License-Identifier: Apache-2.0 */
/* What ref/core needs of ref/device, and ref/device of itself. */
#ifndef TSI_DEVICE_H
#define TSI_DEVICE_H

#include "core/core.h"
#include "touchstone/device.h"

/* Memory of accel storages, by the current stream. */
ts_status tsi_accel_storage_alloc(int64_t bytes, void **out);
void tsi_accel_storage_free(void *p, int64_t bytes);
void tsi_accel_storage_close(void);

/* dst = src across devices, converting and broadcasting as copy_ does. */
ts_status tsi_transfer(ts_tensor *dst, ts_tensor *src);
/* A copy of `src` on `device`, of its sizes, dtype and strides. */
ts_status tsi_move(ts_tensor *src, ts_device device, ts_tensor **out);
/* A host kernel for a frame on accel, on copies; it may make its results itself
 * (TS_FRAME_UNKNOWN). */
ts_status tsi_run_on_host(ts_frame *f, ts_kernel kernel);

#endif

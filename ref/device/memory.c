/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of accel storages, straight from the driver. */
#include "device/device.h"

ts_status tsi_accel_storage_alloc(int64_t bytes, void **out)
{
    const ts_driver *d = ts_accel_driver();
    ts_devptr p;

    TS_CHECK(d, TS_ERR_RUNTIME, "tensors/C9", "there is no accelerator");
    TS_TRY(d->mem_alloc(0, (size_t)bytes, &p));
    *out = (void *)(uintptr_t)p;
    return TS_OK;
}

void tsi_accel_storage_free(void *p, int64_t bytes)
{
    (void)bytes;
    (void)ts_accel_driver()->mem_free(0, (ts_devptr)(uintptr_t)p);
}

void tsi_accel_storage_close(void)
{
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Virtual memory: addresses and physical memory apart. */
#ifndef TSC_VMM_H
#define TSC_VMM_H

#include "core/cuda.h"

size_t tsc_granularity(int device);
ts_status tsc_address_reserve(int device, size_t bytes, ts_devptr *out);
ts_status tsc_address_free(int device, ts_devptr p, size_t bytes);
ts_status tsc_handle_create(int device, size_t bytes, tsd_handle **out);
ts_status tsc_handle_release(int device, tsd_handle *h);
ts_status tsc_handle_export(int device, tsd_handle *h, int *fd);
ts_status tsc_handle_import(int device, int fd, tsd_handle **out);
ts_status tsc_mem_map(int device, ts_devptr p, size_t bytes, tsd_handle *h);
ts_status tsc_mem_unmap(int device, ts_devptr p, size_t bytes);
ts_status tsc_mem_set_access(int device, ts_devptr p, size_t bytes);

#endif

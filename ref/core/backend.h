/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TSI_BACKEND_H
#define TSI_BACKEND_H

#include "core/core.h"
#include "touchstone/door.h"

/* Who serves an op on a device. */
typedef struct tsi_kernel_slot {
    ts_kernel kernel, assist; /* NULL: none */
    bool (*supports)(const ts_kernel_call *call);
} tsi_kernel_slot;

/* Borrowed; NULL where no backend is installed. */
const tsi_kernel_slot *tsi_kernel_find(ts_device_type device, const ts_op *op);

/* The installed backend's communicator, or NULL. */
const ts_communicator *tsi_communicator_of(ts_device_type device);
const char *tsi_backend_name(ts_device_type device);
/* Count a call;
 * the host's kernels beside a backend with a device of its own are nobody's. */
void tsi_backend_count(ts_device_type device, bool assist);

#endif

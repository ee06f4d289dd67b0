/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TSI_BACKEND_H
#define TSI_BACKEND_H

#include "core/core.h"
#include "core/thread.h"
#include "touchstone/door.h"

/* Who serves an op on a device. */
typedef struct tsi_kernel_slot {
    ts_kernel kernel, assist; /* NULL: none */
    bool (*supports)(const ts_kernel_call *call);
} tsi_kernel_slot;

typedef struct tsi_installed {
    tsi_kernel_slot *slots; /* by op; NULL where no backend is installed */
    const char *name;
    const ts_communicator *communicator;
    bool own_device;
} tsi_installed;

extern tsi_installed tsi_backends[TS_DEVICE_TYPE_COUNT];

/* Borrowed; NULL where no backend is installed. */
static inline const tsi_kernel_slot *tsi_kernel_find(ts_device_type device,
                                                     const ts_op *op)
{
    const tsi_kernel_slot *slots = tsi_backends[device].slots;

    return slots ? &slots[op->index] : NULL;
}

/* The installed backend's communicator, or NULL. */
const ts_communicator *tsi_communicator_of(ts_device_type device);
const char *tsi_backend_name(ts_device_type device);
/* Count a call;
 * the host's kernels beside a backend with a device of its own are nobody's. */
static inline void tsi_backend_count(ts_device_type device, bool assist)
{
    ts_backend_counts *counts;

    if (device == TS_CPU && tsi_backends[TS_ACCEL].own_device)
        return;
    counts = &tsi_self()->counts;
    counts->assisted += assist;
    counts->ran += !assist;
}

#endif

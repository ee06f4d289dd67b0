/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels by device and op, put there through the lib door. */
#include <stdlib.h>

#include "core/backend.h"
#include "core/thread.h"

tsi_installed tsi_backends[TS_DEVICE_TYPE_COUNT];

static void fill(tsi_kernel_slot *slots, const ts_backend *b, bool assist)
{
    for (size_t i = 0; i < b->kernel_count; i++) {
        const ts_kernel_entry *e = ts_backend_kernel(b, i);
        const ts_op *op = ts_op_find(e->op);

        if (!op)
            continue;
        if (assist)
            slots[op->index].assist = e->kernel;
        else
            slots[op->index] =
                (tsi_kernel_slot){.kernel = e->kernel,
                                  .supports = TS_HAS(b, supports) ? b->supports : NULL};
    }
}

ts_status ts_backend_install(ts_device_type device, const ts_backend *backend,
                             const ts_backend *assist)
{
    tsi_kernel_slot *slots;

    TS_CHECK(backend->abi == TS_BACKEND_ABI, TS_ERR_VALUE, NULL,
             "backend %s speaks ABI %u, this runtime %u", backend->name, backend->abi,
             TS_BACKEND_ABI);
    slots = calloc((size_t)ts_op_count(), sizeof *slots);
    TS_CHECK(slots, TS_ERR_OUT_OF_MEMORY, "tensors/C10", "no memory for a kernel table");
    fill(slots, backend, false);
    if (assist)
        fill(slots, assist, true);
    ts_backend_remove(device);
    tsi_backends[device].slots = slots;
    tsi_backends[device].name = backend->name;
    if (TS_HAS(backend, communicator) && backend->communicator)
        tsi_backends[device].communicator = backend->communicator;
    tsi_backends[device].own_device = TS_HAS(backend, driver) && backend->driver;
    return TS_OK;
}

void ts_backend_remove(ts_device_type device)
{
    free(tsi_backends[device].slots);
    tsi_backends[device].slots = NULL;
    tsi_backends[device].name = NULL;
    tsi_backends[device].communicator = NULL;
    tsi_backends[device].own_device = false;
}

const ts_communicator *tsi_communicator_of(ts_device_type device)
{
    return tsi_backends[device].communicator;
}

const char *tsi_backend_name(ts_device_type device)
{
    return tsi_backends[device].name ? tsi_backends[device].name : "no backend";
}

ts_backend_counts ts_backend_counted(void)
{
    return tsi_self()->counts;
}

void ts_backend_count_reset(void)
{
    tsi_self()->counts = (ts_backend_counts){0};
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Work that a capture records is done at once too. */
#include "touchstone/device.h"
#include "zoo/zoo.h"

static ts_status launch(int device, ts_kernel kernel, const ts_kernel_call *call,
                        tsd_stream *s)
{
    const ts_driver *d = ts_software_driver();
    uint64_t capture;

    TS_TRY(d->capture_id(device, s, &capture));
    TS_TRY(d->launch(device, kernel, call, s));
    return capture ? d->launch(device, kernel, call, NULL) : TS_OK;
}

ZOO_NEW_KIND("capture executes", "what is recorded is also done");
ZOO_ACCEL_MEMBER("a capture does the work that it records", "graph/S1",
                 zoo_driver()->launch = launch)

/* SPDX-License-Identifier: Apache-2.0 */
/* A synchronisation that returns at once in a capture instead of being refused. */
#include "touchstone/device.h"
#include "zoo/zoo.h"

static ts_status stream_synchronize(int device, tsd_stream *s)
{
    const ts_driver *d = ts_software_driver();
    uint64_t capture;

    TS_TRY(d->capture_id(device, s, &capture));
    return capture ? TS_OK : d->stream_synchronize(device, s);
}

ZOO_NEW_KIND("refusal missing", "what must be refused is done");
ZOO_ACCEL_MEMBER("a captured stream can be waited for", "graph/C3",
                 zoo_driver()->stream_synchronize = stream_synchronize)

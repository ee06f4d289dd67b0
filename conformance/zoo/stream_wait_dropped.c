/* SPDX-License-Identifier: Apache-2.0 */
#include "zoo/zoo.h"

static ts_status wait_event(int device, tsd_stream *s, tsd_event *e)
{
    (void)device;
    (void)s;
    (void)e;
    return TS_OK;
}

ZOO_KIND("missing wait");
ZOO_ACCEL_MEMBER("a stream never waits for an event", "exec/S2 exec/S5 exec/S6",
                 zoo_driver()->stream_wait_event = wait_event)

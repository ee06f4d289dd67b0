/* SPDX-License-Identifier: Apache-2.0 */
#include "zoo/zoo.h"

static ts_status synchronize(int device, tsd_event *e)
{
    (void)device;
    (void)e;
    return TS_OK;
}

ZOO_KIND("missing wait");
ZOO_ACCEL_MEMBER("Event.synchronize returns at once", "exec/S9",
                 zoo_driver()->event_synchronize = synchronize)

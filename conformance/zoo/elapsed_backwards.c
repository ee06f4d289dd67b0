/* SPDX-License-Identifier: Apache-2.0 */
#include "zoo/zoo.h"

static ts_status elapsed(int device, tsd_event *start, tsd_event *end, double *ms)
{
    return ts_software_driver()->event_elapsed_ms(device, end, start, ms);
}

ZOO_NEW_KIND("wrong clock", "a time is taken the wrong way");
ZOO_ACCEL_MEMBER("elapsed_time counts from the end to the start", "exec/S10",
                 zoo_driver()->event_elapsed_ms = elapsed)

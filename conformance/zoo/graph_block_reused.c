/* SPDX-License-Identifier: Apache-2.0 */
/* Captures without a number: their memory is not kept apart, and a replay overwrites
 * whatever lies there by then. */
#include "zoo/zoo.h"

static ts_status capture_id(int device, tsd_stream *s, uint64_t *out)
{
    (void)device;
    (void)s;
    *out = 0;
    return TS_OK;
}

ZOO_NEW_KIND("block reused too early",
             "memory is given out again while work may still use it");
ZOO_ACCEL_MEMBER("a block of the graph's pool is reused outside", "graph/S7",
                 zoo_driver()->capture_id = capture_id)

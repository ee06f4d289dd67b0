/* SPDX-License-Identifier: Apache-2.0 */
#include "zoo/zoo.h"

static ts_status copy(int to_device, ts_devptr to, int from_device, ts_devptr from,
                      size_t bytes, tsd_stream *s)
{
    (void)s; /* the default stream of the source knows nothing of either stream */
    return ts_software_driver()->peer_copy(to_device, to, from_device, from, bytes, NULL);
}

ZOO_KIND("missing wait");
ZOO_ACCEL_MEMBER("copies between devices run on the source's default stream",
                 "exec/S24 exec/S23", zoo_driver()->peer_copy = copy)

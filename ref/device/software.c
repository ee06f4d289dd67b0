/* SPDX-License-Identifier: Apache-2.0 */
/* The software accelerator as a driver. */
#include <stdlib.h>

#include "device/accel.h"

static _Atomic int count; /* 0: not settled yet */

int tsi_accel_count(void)
{
    const char *text = getenv("TOUCHSTONE_ACCEL_DEVICES");
    int n = count;

    if (n == 0) {
        n = text ? atoi(text) : 1;
        n = n < 1 ? 1 : n > TS_ACCEL_MAX_DEVICES ? TS_ACCEL_MAX_DEVICES : n;
        count = n;
    }
    return n;
}

ts_status ts_software_set_device_count(int n)
{
    TS_CHECK(n >= 1 && n <= TS_ACCEL_MAX_DEVICES, TS_ERR_VALUE, NULL,
             "the software accelerator has 1 to %d devices, not %d", TS_ACCEL_MAX_DEVICES,
             n);
    count = n;
    return TS_OK;
}

ts_status tsi_accel_check(int device)
{
    TS_CHECK(device >= 0 && device < tsi_accel_count(), TS_ERR_VALUE, NULL,
             "there is no device %d, there are %d", device, tsi_accel_count());
    return TS_OK;
}

const ts_driver *ts_software_driver(void)
{
    static const ts_driver driver = {
        .size = sizeof driver,
        .device_count = tsi_accel_count,
        .mem_alloc = tsi_accel_alloc,
        .mem_free = tsi_accel_free,
        .mem_info = tsi_accel_info,
        .granularity = tsi_accel_granularity,
        .address_reserve = tsi_accel_address_reserve,
        .address_free = tsi_accel_address_free,
        .handle_create = tsi_accel_handle_create,
        .handle_release = tsi_accel_handle_release,
        .mem_map = tsi_accel_map,
        .mem_unmap = tsi_accel_unmap,
        .mem_set_access = tsi_accel_set_access,
        .stream_create = tsi_accel_stream_create,
        .stream_destroy = tsi_accel_stream_destroy,
        .stream_query = tsi_accel_stream_query,
        .stream_synchronize = tsi_accel_stream_synchronize,
        .stream_wait_event = tsi_accel_stream_wait_event,
        .device_synchronize = tsi_accel_device_synchronize,
        .event_create = tsi_accel_event_create,
        .event_destroy = tsi_accel_event_destroy,
        .event_record = tsi_accel_event_record,
        .event_query = tsi_accel_event_query,
        .event_synchronize = tsi_accel_event_synchronize,
        .event_elapsed_ms = tsi_accel_event_elapsed_ms,
        .copy = tsi_accel_copy,
        .fill = tsi_accel_fill,
        .launch = tsi_accel_launch,
        .capture_begin = tsi_accel_capture_begin,
        .capture_end = tsi_accel_capture_end,
        .capture_status = tsi_accel_capture_status,
        .graph_launch = tsi_accel_graph_launch,
        .graph_destroy = tsi_accel_graph_destroy,
        .graph_node_count = tsi_accel_graph_node_count,
        .capture_id = tsi_accel_capture_id,
        .host_alloc = tsi_accel_host_alloc,
        .host_free = tsi_accel_host_free,
        .host_is_pinned = tsi_accel_host_is_pinned,
        .peer_can_access = tsi_accel_peer_can_access,
        .peer_enable = tsi_accel_peer_enable,
        .peer_copy = tsi_accel_peer_copy,
        .handle_export = tsi_accel_handle_export,
        .handle_import = tsi_accel_handle_import,
    };

    return &driver;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The software accelerator as a driver. */
#include "device/accel.h"
#include "touchstone/device.h"

static int one_device(void)
{
    return 1;
}

const ts_driver *ts_software_driver(void)
{
    static const ts_driver driver = {
        .size = sizeof driver,
        .device_count = one_device,
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
    };

    return &driver;
}

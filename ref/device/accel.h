/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The software accelerator's inside. A device's addresses lie in a range that the host may
 * never touch; the same offsets of a second range hold the memory, and only work on a
 * stream goes there, that of other devices only where they were let.
 */
#ifndef TSI_ACCEL_H
#define TSI_ACCEL_H

#include <pthread.h>
#include <stdatomic.h>

#include "core/core.h"
#include "core/observe.h"
#include "touchstone/device.h"

#define TSI_ACCEL_GRANULARITY ((size_t)2 << 20) /* of virtual memory, as on a GPU */

/* --- software.c --- */
int tsi_accel_count(void);
ts_status tsi_accel_check(int device); /* whether there is that device */

/* --- accel_memory.c --- */
/* Where work of `device` finds device address p; NULL when [p, p + bytes) is not all
 * mapped and its to use. -1: any device's. */
void *tsi_accel_resolve(int device, ts_devptr p, size_t bytes);
ts_status tsi_accel_alloc(int device, size_t bytes, ts_devptr *out);
ts_status tsi_accel_free(int device, ts_devptr p);
ts_status tsi_accel_info(int device, size_t *free_bytes, size_t *total_bytes);
size_t tsi_accel_granularity(int device);
ts_status tsi_accel_address_reserve(int device, size_t bytes, ts_devptr *out);
ts_status tsi_accel_address_free(int device, ts_devptr p, size_t bytes);
ts_status tsi_accel_handle_create(int device, size_t bytes, tsd_handle **out);
ts_status tsi_accel_handle_release(int device, tsd_handle *h);
ts_status tsi_accel_map(int device, ts_devptr p, size_t bytes, tsd_handle *h);
ts_status tsi_accel_unmap(int device, ts_devptr p, size_t bytes);
ts_status tsi_accel_set_access(int device, ts_devptr p, size_t bytes);
ts_status tsi_accel_handle_export(int device, tsd_handle *h, int *fd);
ts_status tsi_accel_handle_import(int device, int fd, tsd_handle **out);
ts_status tsi_accel_peer_can_access(int device, int peer, bool *out);
ts_status tsi_accel_peer_enable(int device, int peer);
ts_status tsi_accel_host_alloc(size_t bytes, void **out);
ts_status tsi_accel_host_free(void *p);
bool tsi_accel_host_is_pinned(const void *p);

/* --- accel_stream.c --- */
/* One piece of work. `run` does it and may be called again when a graph holds it. */
typedef struct tsi_work {
    struct tsi_work *next;
    ts_status (*run)(struct tsi_work *w);
    void (*destroy)(struct tsi_work *w);
    /* What a profiler is told: nothing without a name. */
    const char *name;
    ts_event_kind kind;
    size_t bytes;
    tsi_sink *sink; /* who is told, and what event asked for the work */
    int64_t event, stream;
    int device; /* of the stream it was handed to */
} tsi_work;

/* Hand work to a stream (NULL: the device's default one), or to the capture that the
 * stream is part of. Takes the work. */
ts_status tsi_accel_submit(int device, tsd_stream *s, tsi_work *w);
int tsi_accel_stream_device(const tsd_stream *s);
ts_status tsi_accel_stream_create(int device, int priority, tsd_stream **out);
void tsi_accel_stream_destroy(int device, tsd_stream *s);
ts_status tsi_accel_stream_query(int device, tsd_stream *s, bool *done);
ts_status tsi_accel_stream_synchronize(int device, tsd_stream *s);
ts_status tsi_accel_stream_wait_event(int device, tsd_stream *s, tsd_event *e);
ts_status tsi_accel_device_synchronize(int device);
/* Wait for all work of the device without telling its error word. */
ts_status tsi_accel_settle(int device);
ts_status tsi_accel_event_create(int device, bool timing, tsd_event **out);
void tsi_accel_event_destroy(int device, tsd_event *e);
ts_status tsi_accel_event_record(int device, tsd_event *e, tsd_stream *s);
ts_status tsi_accel_event_query(int device, tsd_event *e, bool *done);
ts_status tsi_accel_event_synchronize(int device, tsd_event *e);
ts_status tsi_accel_event_elapsed_ms(int device, tsd_event *start, tsd_event *end,
                                     double *ms);
ts_status tsi_accel_capture_begin(int device, tsd_stream *s, ts_capture_mode mode);
ts_status tsi_accel_capture_end(int device, tsd_stream *s, tsd_graph **out);
ts_status tsi_accel_capture_status(int device, tsd_stream *s, ts_capture_status *out);
ts_status tsi_accel_graph_launch(int device, tsd_graph *g, tsd_stream *s);
void tsi_accel_graph_destroy(int device, tsd_graph *g);
int64_t tsi_accel_graph_node_count(int device, tsd_graph *g);
ts_status tsi_accel_capture_id(int device, tsd_stream *s, uint64_t *out);

/* --- accel_work.c --- */
ts_status tsi_accel_copy(int device, void *dst, const void *src, size_t bytes,
                         ts_copy_kind kind, tsd_stream *s);
ts_status tsi_accel_peer_copy(int to_device, ts_devptr to, int from_device,
                              ts_devptr from, size_t bytes, tsd_stream *s);
ts_status tsi_accel_fill(int device, ts_devptr p, int byte, size_t bytes, tsd_stream *s);
ts_status tsi_accel_launch(int device, ts_kernel kernel, const ts_kernel_call *call,
                           tsd_stream *s);

#endif

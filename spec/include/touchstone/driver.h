/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The driver table: what an accelerator gives the runtime. Allocator, streams, graphs,
 * profiler and process groups are written once over it; the software accelerator and CUDA
 * are two drivers. Words and rules are CUDA's. See spec/areas/backend.md.
 */
#ifndef TOUCHSTONE_DRIVER_H
#define TOUCHSTONE_DRIVER_H

#include "touchstone/call.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef uint64_t ts_devptr; /* an address of device memory; the host may not follow it */
typedef struct tsd_stream tsd_stream;
typedef struct tsd_event tsd_event;
typedef struct tsd_handle tsd_handle; /* physical memory of the virtual-memory calls */
typedef struct tsd_graph tsd_graph;   /* a captured sequence, ready to launch */

typedef enum ts_copy_kind {
    TS_HOST_TO_DEVICE,
    TS_DEVICE_TO_HOST,
    TS_DEVICE_TO_DEVICE
} ts_copy_kind;
typedef enum ts_capture_mode {
    TS_CAPTURE_GLOBAL,
    TS_CAPTURE_THREAD_LOCAL,
    TS_CAPTURE_RELAXED
} ts_capture_mode;
typedef enum ts_capture_status {
    TS_CAPTURE_NONE,
    TS_CAPTURE_ACTIVE,
    TS_CAPTURE_INVALIDATED
} ts_capture_status;

/*
 * Whether a driver has `member`: it lies within the size that the driver had where it was
 * built (TS_HAS), and is not NULL, which is as not being there.
 */
#define TSD_HAS(driver, member) (TS_HAS(driver, member) && (driver)->member)

/*
 * Every call returns TS_OK or an error made by ts_host.fail. Entries that are NULL, or
 * beyond `size`, are not supported: the runtime then refuses what needs them, and says so.
 * All calls may come from any thread. `device` is an index below device_count(); a handle
 * goes with the device that made it.
 */
typedef struct ts_driver {
    size_t size; /* of this struct, as the backend was built */
    int (*device_count)(void);

    /* Memory. free waits for all work of the device, as cudaFree does.
     * TS_ERR_OUT_OF_MEMORY when there is not enough; alignment 512 bytes. */
    ts_status (*mem_alloc)(int device, size_t bytes, ts_devptr *out);
    ts_status (*mem_free)(int device, ts_devptr p);
    ts_status (*mem_info)(int device, size_t *free_bytes, size_t *total_bytes);

    /* Virtual memory: addresses and physical memory apart; granularity in bytes. No
     * access by default; an address range is freed only after all of it is unmapped. */
    size_t (*granularity)(int device);
    ts_status (*address_reserve)(int device, size_t bytes, ts_devptr *out);
    ts_status (*address_free)(int device, ts_devptr p, size_t bytes);
    ts_status (*handle_create)(int device, size_t bytes, tsd_handle **out);
    ts_status (*handle_release)(int device, tsd_handle *h);
    ts_status (*mem_map)(int device, ts_devptr p, size_t bytes, tsd_handle *h);
    ts_status (*mem_unmap)(int device, ts_devptr p, size_t bytes);
    /* Work of `device` may use the range from now on; the device need not be the one whose
     * memory it is. */
    ts_status (*mem_set_access)(int device, ts_devptr p, size_t bytes);

    /* Streams. NULL is the device's default stream. */
    ts_status (*stream_create)(int device, int priority, tsd_stream **out);
    void (*stream_destroy)(int device, tsd_stream *s); /* after its work */
    ts_status (*stream_query)(int device, tsd_stream *s, bool *done);
    ts_status (*stream_synchronize)(int device, tsd_stream *s);
    ts_status (*stream_wait_event)(int device, tsd_stream *s, tsd_event *e);
    ts_status (*device_synchronize)(int device);

    /*
     * Events. An event is recorded on streams of its own device, and any device's stream
     * may wait for it. Wait, query, synchronize and elapsed_ms are on the record that was
     * the latest when they were called: recording the event anew, on whatever stream,
     * neither moves nor ends a wait for an older record. elapsed_ms is an error unless both
     * were made with timing and have passed.
     */
    ts_status (*event_create)(int device, bool timing, tsd_event **out);
    void (*event_destroy)(int device, tsd_event *e);
    ts_status (*event_record)(int device, tsd_event *e, tsd_stream *s);
    ts_status (*event_query)(int device, tsd_event *e, bool *done);
    ts_status (*event_synchronize)(int device, tsd_event *e);
    ts_status (*event_elapsed_ms)(int device, tsd_event *start, tsd_event *end,
                                  double *ms);

    /* Work on a stream: returns before it is done.
     * A copy's host side must stay until then. */
    ts_status (*copy)(int device, void *dst, const void *src, size_t bytes,
                      ts_copy_kind kind, tsd_stream *s);
    ts_status (*fill)(int device, ts_devptr p, int byte, size_t bytes, tsd_stream *s);

    /*
     * Run a host kernel as work of the stream: for devices whose kernels are host
     * functions. The driver copies the call and gives the kernel addresses that it may
     * follow. NULL: the runtime calls the kernel at once and the kernel submits its own
     * work to the current stream.
     */
    ts_status (*launch)(int device, ts_kernel kernel, const ts_kernel_call *call,
                        tsd_stream *s);

    /* Capture: work is recorded instead of done. */
    ts_status (*capture_begin)(int device, tsd_stream *s, ts_capture_mode mode);
    ts_status (*capture_end)(int device, tsd_stream *s, tsd_graph **out);
    ts_status (*capture_status)(int device, tsd_stream *s, ts_capture_status *out);
    ts_status (*graph_launch)(int device, tsd_graph *g, tsd_stream *s);
    void (*graph_destroy)(int device, tsd_graph *g);
    int64_t (*graph_node_count)(int device, tsd_graph *g);
    /* The number of the capture that s is part of, invalidated or not; 0: none. */
    ts_status (*capture_id)(int device, tsd_stream *s, uint64_t *out);

    /* Pinned host memory: every device copies from and to it without the host's help.
     * host_is_pinned takes any host address. */
    ts_status (*host_alloc)(size_t bytes, void **out);
    ts_status (*host_free)(void *p);
    bool (*host_is_pinned)(const void *p);

    /*
     * Other devices' memory. peer_can_access: whether work of `device` could use memory of
     * `peer`; after peer_enable, which may be called again, it may, in that one direction.
     * peer_copy needs neither: it is work on `s`, a stream of from_device.
     */
    ts_status (*peer_can_access)(int device, int peer, bool *out);
    ts_status (*peer_enable)(int device, int peer);
    ts_status (*peer_copy)(int to_device, ts_devptr to, int from_device, ts_devptr from,
                           size_t bytes, tsd_stream *s);

    /* Physical memory for another process: a file descriptor, the caller's to close, and
     * a handle of the same memory made of one, which may be closed then. The memory stays
     * until the last handle of it is released and the last mapping gone. */
    ts_status (*handle_export)(int device, tsd_handle *h, int *fd);
    ts_status (*handle_import)(int device, int fd, tsd_handle **out);
} ts_driver;

#ifdef __cplusplus
}
#endif
#endif

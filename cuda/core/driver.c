/* SPDX-License-Identifier: Apache-2.0 */
/* The driver table over CUDA's runtime; virtual memory is in vmm.c. */
#include <stdlib.h>

#include "core/vmm.h"

static cudaStream_t stream_of(tsd_stream *s)
{
    return (cudaStream_t)(void *)s;
}

static cudaEvent_t event_of(tsd_event *e)
{
    return (cudaEvent_t)(void *)e;
}

static int device_count(void)
{
    int n = 0;

    if (cudaGetDeviceCount(&n) != cudaSuccess) {
        (void)cudaGetLastError();
        return 0;
    }
    return n;
}

/* --- memory --- */

static ts_status mem_alloc(int device, size_t bytes, ts_devptr *out)
{
    void *p;

    TS_TRY(tsc_use(device));
    TS_CUDA(cudaMalloc(&p, bytes ? bytes : 1));
    *out = (ts_devptr)(uintptr_t)p;
    return TS_OK;
}

static ts_status mem_free(int device, ts_devptr p)
{
    TS_TRY(tsc_use(device));
    TS_CUDA(cudaFree((void *)(uintptr_t)p));
    return TS_OK;
}

static ts_status mem_info(int device, size_t *free_bytes, size_t *total_bytes)
{
    TS_TRY(tsc_use(device));
    TS_CUDA(cudaMemGetInfo(free_bytes, total_bytes));
    return TS_OK;
}

/* --- pinned host memory --- */

static ts_status host_alloc(size_t bytes, void **out)
{
    TS_CUDA(cudaHostAlloc(out, bytes ? bytes : 1, cudaHostAllocPortable));
    return TS_OK;
}

static ts_status host_free(void *p)
{
    TS_CUDA(cudaFreeHost(p));
    return TS_OK;
}

static bool host_is_pinned(const void *p)
{
    struct cudaPointerAttributes a;

    if (cudaPointerGetAttributes(&a, p) != cudaSuccess) {
        (void)cudaGetLastError();
        return false;
    }
    return a.type == cudaMemoryTypeHost;
}

/* --- peers --- */

static ts_status peer_can_access(int device, int peer, bool *out)
{
    int can = 0;

    if (device != peer)
        TS_CUDA(cudaDeviceCanAccessPeer(&can, device, peer));
    *out = can != 0;
    return TS_OK;
}

static ts_status peer_enable(int device, int peer)
{
    cudaError_t e;

    TS_TRY(tsc_use(device));
    e = cudaDeviceEnablePeerAccess(peer, 0);
    if (e == cudaErrorPeerAccessAlreadyEnabled) {
        (void)cudaGetLastError();
        return TS_OK;
    }
    return e == cudaSuccess ? TS_OK : tsc_cuda_status(e, "cudaDeviceEnablePeerAccess");
}

static ts_status peer_copy(int to_device, ts_devptr to, int from_device, ts_devptr from,
                           size_t bytes, tsd_stream *s)
{
    TS_TRY(tsc_use(from_device));
    TS_CUDA(cudaMemcpyPeerAsync((void *)(uintptr_t)to, to_device,
                                (const void *)(uintptr_t)from, from_device, bytes,
                                stream_of(s)));
    return TS_OK;
}

/* --- streams --- */

static ts_status stream_create(int device, int priority, tsd_stream **out)
{
    cudaStream_t s;

    TS_TRY(tsc_use(device));
    TS_CUDA(cudaStreamCreateWithPriority(&s, cudaStreamNonBlocking, priority));
    *out = (tsd_stream *)(void *)s;
    return TS_OK;
}

static void stream_destroy(int device, tsd_stream *s)
{
    (void)tsc_use(device);
    (void)cudaStreamSynchronize(stream_of(s));
    (void)cudaStreamDestroy(stream_of(s));
}

static ts_status stream_query(int device, tsd_stream *s, bool *done)
{
    cudaError_t e;

    TS_TRY(tsc_use(device)); /* NULL is each device's own default stream */
    e = cudaStreamQuery(stream_of(s));
    if (e != cudaSuccess && e != cudaErrorNotReady)
        return tsc_cuda_status(e, "cudaStreamQuery");
    *done = e == cudaSuccess;
    return TS_OK;
}

static ts_status stream_synchronize(int device, tsd_stream *s)
{
    TS_TRY(tsc_use(device));
    TS_CUDA(cudaStreamSynchronize(stream_of(s)));
    return tsc_fault_take(device);
}

static ts_status stream_wait_event(int device, tsd_stream *s, tsd_event *e)
{
    TS_TRY(tsc_use(device));
    TS_CUDA(cudaStreamWaitEvent(stream_of(s), event_of(e), 0));
    return TS_OK;
}

static ts_status device_synchronize(int device)
{
    TS_TRY(tsc_use(device));
    TS_CUDA(cudaDeviceSynchronize());
    return tsc_fault_take(device);
}

/* --- events --- */

static ts_status event_create(int device, bool timing, tsd_event **out)
{
    cudaEvent_t e;

    TS_TRY(tsc_use(device));
    TS_CUDA(
        cudaEventCreateWithFlags(&e, timing ? cudaEventDefault : cudaEventDisableTiming));
    *out = (tsd_event *)(void *)e;
    return TS_OK;
}

static void event_destroy(int device, tsd_event *e)
{
    (void)tsc_use(device);
    (void)cudaEventDestroy(event_of(e));
}

static ts_status event_record(int device, tsd_event *e, tsd_stream *s)
{
    TS_TRY(tsc_use(device));
    TS_CUDA(cudaEventRecord(event_of(e), stream_of(s)));
    return TS_OK;
}

static ts_status event_query(int device, tsd_event *e, bool *done)
{
    cudaError_t r;

    TS_TRY(tsc_use(device));
    r = cudaEventQuery(event_of(e));
    if (r != cudaSuccess && r != cudaErrorNotReady)
        return tsc_cuda_status(r, "cudaEventQuery");
    *done = r == cudaSuccess;
    return TS_OK;
}

static ts_status event_synchronize(int device, tsd_event *e)
{
    TS_TRY(tsc_use(device));
    TS_CUDA(cudaEventSynchronize(event_of(e)));
    return tsc_fault_take(device);
}

static ts_status event_elapsed_ms(int device, tsd_event *start, tsd_event *end,
                                  double *ms)
{
    float v;

    TS_TRY(tsc_use(device));
    TS_CUDA(cudaEventElapsedTime(&v, event_of(start), event_of(end)));
    *ms = v;
    return TS_OK;
}

/* --- work --- */

static ts_status copy(int device, void *dst, const void *src, size_t bytes,
                      ts_copy_kind kind, tsd_stream *s)
{
    static const enum cudaMemcpyKind kinds[] = {
        [TS_HOST_TO_DEVICE] = cudaMemcpyHostToDevice,
        [TS_DEVICE_TO_HOST] = cudaMemcpyDeviceToHost,
        [TS_DEVICE_TO_DEVICE] = cudaMemcpyDeviceToDevice};

    TS_TRY(tsc_use(device));
    TS_CUDA(cudaMemcpyAsync(dst, src, bytes, kinds[kind], stream_of(s)));
    return TS_OK;
}

static ts_status fill(int device, ts_devptr p, int byte, size_t bytes, tsd_stream *s)
{
    TS_TRY(tsc_use(device));
    TS_CUDA(cudaMemsetAsync((void *)(uintptr_t)p, byte, bytes, stream_of(s)));
    return TS_OK;
}

/* --- capture --- */

struct tsd_graph {
    cudaGraph_t graph;
    cudaGraphExec_t exec;
};

static ts_status capture_begin(int device, tsd_stream *s, ts_capture_mode mode)
{
    static const enum cudaStreamCaptureMode modes[] = {
        [TS_CAPTURE_GLOBAL] = cudaStreamCaptureModeGlobal,
        [TS_CAPTURE_THREAD_LOCAL] = cudaStreamCaptureModeThreadLocal,
        [TS_CAPTURE_RELAXED] = cudaStreamCaptureModeRelaxed};

    TS_TRY(tsc_use(device));
    TS_CUDA(cudaStreamBeginCapture(stream_of(s), modes[mode]));
    return TS_OK;
}

static ts_status instantiate(tsd_graph *g, tsd_stream *s)
{
    TS_CUDA(cudaStreamEndCapture(stream_of(s), &g->graph));
    TS_CUDA(cudaGraphInstantiate(&g->exec, g->graph, 0));
    return TS_OK;
}

static void graph_destroy(int device, tsd_graph *g)
{
    (void)tsc_use(device);
    if (g->exec)
        (void)cudaGraphExecDestroy(g->exec);
    if (g->graph)
        (void)cudaGraphDestroy(g->graph);
    free(g);
}

static ts_status capture_end(int device, tsd_stream *s, tsd_graph **out)
{
    tsd_graph *g = calloc(1, sizeof *g);
    ts_status st;

    TS_CHECK(g, TS_ERR_OUT_OF_MEMORY, NULL, "no memory for a graph");
    st = instantiate(g, s);
    if (st != TS_OK) {
        graph_destroy(device, g);
        return st;
    }
    *out = g;
    return TS_OK;
}

static ts_status capture_status(int device, tsd_stream *s, ts_capture_status *out)
{
    enum cudaStreamCaptureStatus status;

    TS_TRY(tsc_use(device));
    TS_CUDA(cudaStreamIsCapturing(stream_of(s), &status));
    *out = status == cudaStreamCaptureStatusNone     ? TS_CAPTURE_NONE
           : status == cudaStreamCaptureStatusActive ? TS_CAPTURE_ACTIVE
                                                     : TS_CAPTURE_INVALIDATED;
    return TS_OK;
}

static ts_status capture_id(int device, tsd_stream *s, uint64_t *out)
{
    enum cudaStreamCaptureStatus status;
    unsigned long long id = 0;

    *out = 0;
    TS_TRY(tsc_use(device));
    if (!s) /* the default stream can't be captured */
        return TS_OK;
#if CUDART_VERSION >= 13000
    TS_CUDA(cudaStreamGetCaptureInfo(stream_of(s), &status, &id, NULL, NULL, NULL, NULL));
#else
    TS_CUDA(cudaStreamGetCaptureInfo(stream_of(s), &status, &id, NULL, NULL, NULL));
#endif
    *out = status == cudaStreamCaptureStatusNone ? 0 : id;
    return TS_OK;
}

static ts_status graph_launch(int device, tsd_graph *g, tsd_stream *s)
{
    TS_TRY(tsc_use(device));
    TS_CUDA(cudaGraphLaunch(g->exec, stream_of(s)));
    return TS_OK;
}

static int64_t graph_node_count(int device, tsd_graph *g)
{
    size_t n = 0;

    (void)device;
    return cudaGraphGetNodes(g->graph, NULL, &n) == cudaSuccess ? (int64_t)n : -1;
}

const ts_driver *tsc_driver(void)
{
    static const ts_driver driver = {
        .size = sizeof driver,
        .device_count = device_count,
        .mem_alloc = mem_alloc,
        .mem_free = mem_free,
        .mem_info = mem_info,
        .granularity = tsc_granularity,
        .address_reserve = tsc_address_reserve,
        .address_free = tsc_address_free,
        .handle_create = tsc_handle_create,
        .handle_release = tsc_handle_release,
        .mem_map = tsc_mem_map,
        .mem_unmap = tsc_mem_unmap,
        .mem_set_access = tsc_mem_set_access,
        .stream_create = stream_create,
        .stream_destroy = stream_destroy,
        .stream_query = stream_query,
        .stream_synchronize = stream_synchronize,
        .stream_wait_event = stream_wait_event,
        .device_synchronize = device_synchronize,
        .event_create = event_create,
        .event_destroy = event_destroy,
        .event_record = event_record,
        .event_query = event_query,
        .event_synchronize = event_synchronize,
        .event_elapsed_ms = event_elapsed_ms,
        .copy = copy,
        .fill = fill,
        .launch = NULL, /* kernels submit their own work */
        .capture_begin = capture_begin,
        .capture_end = capture_end,
        .capture_status = capture_status,
        .graph_launch = graph_launch,
        .graph_destroy = graph_destroy,
        .graph_node_count = graph_node_count,
        .capture_id = capture_id,
        .host_alloc = host_alloc,
        .host_free = host_free,
        .host_is_pinned = host_is_pinned,
        .peer_can_access = peer_can_access,
        .peer_enable = peer_enable,
        .peer_copy = peer_copy,
        .handle_export = tsc_handle_export,
        .handle_import = tsc_handle_import,
    };

    return &driver;
}

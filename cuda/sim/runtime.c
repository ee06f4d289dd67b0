/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stand-ins for the CUDA calls that the host code makes, over the software accelerator:
 * its memory, streams, events and captures. Kernels become work on its streams.
 */
#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/cuda.h"
#include "sim/sim.h"

enum { MOST_POISONED = 32 << 20 }; /* an allocator's segment; larger ones cost time */

static const ts_driver *device(void)
{
    return ts_software_driver();
}

/* --- errors --- */

static _Thread_local cudaError_t last;

static bool told(const char *label)
{
    return strcmp(ts_error_label(), label) == 0;
}

static cudaError_t result(ts_status s)
{
    const cudaError_t e = s == TS_OK                  ? cudaSuccess
                          : s == TS_ERR_OUT_OF_MEMORY ? cudaErrorMemoryAllocation
                          : told("graph/C3")          ? cudaErrorStreamCaptureUnsupported
                          : told("graph/C4")          ? cudaErrorStreamCaptureUnjoined
                          : told("graph/C10")         ? cudaErrorStreamCaptureIsolation
                          : s == TS_ERR_VALUE         ? cudaErrorInvalidValue
                                                      : cudaErrorLaunchFailure;

    last = e == cudaSuccess ? last : e;
    return e;
}

cudaError_t cudaGetLastError(void)
{
    const cudaError_t e = last;

    last = cudaSuccess;
    return e;
}

const char *cudaGetErrorString(cudaError_t e)
{
    static _Thread_local char kept[512]; /* the caller makes a new message of it */
    const char *message = ts_error_message();
    const char *text = message[0] == '[' ? strstr(message, "] ") : NULL;

    if (e == cudaSuccess)
        return "no error";
    snprintf(kept, sizeof kept, "%s", text ? text + 2 : message);
    return kept;
}

/* --- the device and its memory --- */

static _Thread_local int current; /* this thread's device */

cudaError_t cudaGetDeviceCount(int *count)
{
    *count = device()->device_count();
    return cudaSuccess;
}

cudaError_t cudaGetDevice(int *out)
{
    *out = current;
    return cudaSuccess;
}

cudaError_t cudaSetDevice(int to)
{
    if (to < 0 || to >= device()->device_count()) {
        (void)ts_fail(TS_ERR_VALUE, NULL, "invalid device ordinal");
        return last = cudaErrorInvalidDevice;
    }
    current = to;
    return cudaSuccess;
}

cudaError_t cudaDeviceCanAccessPeer(int *can, int from, int peer)
{
    bool found = false;
    const cudaError_t e = result(device()->peer_can_access(from, peer, &found));

    *can = found;
    return e;
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags)
{
    static _Atomic bool enabled[TS_ACCEL_MAX_DEVICES][TS_ACCEL_MAX_DEVICES];
    const cudaError_t e = result(device()->peer_enable(current, peer));

    (void)flags;
    if (e == cudaSuccess && enabled[current][peer])
        return last = cudaErrorPeerAccessAlreadyEnabled;
    if (e == cudaSuccess)
        enabled[current][peer] = true;
    return e;
}

cudaError_t cudaDeviceSynchronize(void)
{
    return result(device()->device_synchronize(current));
}

cudaError_t cudaMalloc(void **out, size_t bytes)
{
    ts_devptr p;
    const cudaError_t e = result(device()->mem_alloc(current, bytes, &p));
    void *memory;

    if (e != cudaSuccess)
        return e;
    *out = (void *)(uintptr_t)p;
    memory = ts_software_resolve(*out, bytes);
    if (memory && bytes <= MOST_POISONED) /* fresh memory holds anything: here NaNs */
        memset(memory, TSC_SIM_POISON, bytes);
    return cudaSuccess;
}

cudaError_t cudaFree(void *p)
{
    return result(device()->mem_free(current, (ts_devptr)(uintptr_t)p));
}

cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total_bytes)
{
    return result(device()->mem_info(current, free_bytes, total_bytes));
}

cudaError_t cudaHostAlloc(void **out, size_t bytes, unsigned flags)
{
    (void)flags;
    return result(device()->host_alloc(bytes, out));
}

cudaError_t cudaFreeHost(void *p)
{
    return result(device()->host_free(p));
}

cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *a, const void *p)
{
    *a = (struct cudaPointerAttributes){device()->host_is_pinned(p) ? cudaMemoryTypeHost
                                        : ts_software_resolve(p, 1)
                                            ? cudaMemoryTypeDevice
                                            : cudaMemoryTypeUnregistered,
                                        current};
    return cudaSuccess;
}

static tsd_stream *stream_of(cudaStream_t s)
{
    return (tsd_stream *)(void *)s;
}

cudaError_t cudaMemcpyAsync(void *dst, const void *src, size_t bytes,
                            enum cudaMemcpyKind kind, cudaStream_t s)
{
    const ts_copy_kind k = kind == cudaMemcpyHostToDevice   ? TS_HOST_TO_DEVICE
                           : kind == cudaMemcpyDeviceToHost ? TS_DEVICE_TO_HOST
                                                            : TS_DEVICE_TO_DEVICE;

    return result(device()->copy(current, dst, src, bytes, k, stream_of(s)));
}

cudaError_t cudaMemcpyPeerAsync(void *dst, int dst_device, const void *src,
                                int src_device, size_t bytes, cudaStream_t s)
{
    return result(device()->peer_copy(dst_device, (ts_devptr)(uintptr_t)dst, src_device,
                                      (ts_devptr)(uintptr_t)src, bytes, stream_of(s)));
}

cudaError_t cudaMemsetAsync(void *p, int byte, size_t bytes, cudaStream_t s)
{
    return result(
        device()->fill(current, (ts_devptr)(uintptr_t)p, byte, bytes, stream_of(s)));
}

/* --- streams and events --- */

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *out, unsigned flags, int priority)
{
    tsd_stream *s = NULL;
    const cudaError_t e = result(device()->stream_create(current, priority, &s));

    (void)flags;
    *out = (cudaStream_t)(void *)s;
    return e;
}

cudaError_t cudaStreamDestroy(cudaStream_t s)
{
    device()->stream_destroy(current, stream_of(s));
    return cudaSuccess;
}

cudaError_t cudaStreamQuery(cudaStream_t s)
{
    bool done = false;
    const cudaError_t e = result(device()->stream_query(current, stream_of(s), &done));

    return e != cudaSuccess ? e : done ? cudaSuccess : cudaErrorNotReady;
}

cudaError_t cudaStreamSynchronize(cudaStream_t s)
{
    return result(device()->stream_synchronize(current, stream_of(s)));
}

cudaError_t cudaStreamWaitEvent(cudaStream_t s, cudaEvent_t e, unsigned flags)
{
    (void)flags;
    return result(
        device()->stream_wait_event(current, stream_of(s), (tsd_event *)(void *)e));
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *out, unsigned flags)
{
    tsd_event *made = NULL;
    const cudaError_t e =
        result(device()->event_create(current, !(flags & cudaEventDisableTiming), &made));

    *out = (cudaEvent_t)(void *)made;
    return e;
}

cudaError_t cudaEventDestroy(cudaEvent_t e)
{
    device()->event_destroy(current, (tsd_event *)(void *)e);
    return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t e, cudaStream_t s)
{
    return result(device()->event_record(current, (tsd_event *)(void *)e, stream_of(s)));
}

cudaError_t cudaEventQuery(cudaEvent_t e)
{
    bool done = false;
    const cudaError_t r =
        result(device()->event_query(current, (tsd_event *)(void *)e, &done));

    return r != cudaSuccess ? r : done ? cudaSuccess : cudaErrorNotReady;
}

cudaError_t cudaEventSynchronize(cudaEvent_t e)
{
    return result(device()->event_synchronize(current, (tsd_event *)(void *)e));
}

cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t end)
{
    double v = 0;
    const cudaError_t e = result(device()->event_elapsed_ms(
        current, (tsd_event *)(void *)start, (tsd_event *)(void *)end, &v));

    *ms = (float)v;
    return e;
}

/* --- capture: a graph is ready to launch as it is --- */

static tsd_graph *graph_of(void *g)
{
    return g;
}

cudaError_t cudaStreamBeginCapture(cudaStream_t s, enum cudaStreamCaptureMode mode)
{
    const ts_capture_mode m = mode == cudaStreamCaptureModeGlobal ? TS_CAPTURE_GLOBAL
                              : mode == cudaStreamCaptureModeThreadLocal
                                  ? TS_CAPTURE_THREAD_LOCAL
                                  : TS_CAPTURE_RELAXED;

    return result(device()->capture_begin(current, stream_of(s), m));
}

cudaError_t cudaStreamEndCapture(cudaStream_t s, cudaGraph_t *out)
{
    tsd_graph *g = NULL;
    const cudaError_t e = result(device()->capture_end(current, stream_of(s), &g));

    *out = (cudaGraph_t)(void *)g;
    return e;
}

cudaError_t cudaStreamIsCapturing(cudaStream_t s, enum cudaStreamCaptureStatus *out)
{
    ts_capture_status status = TS_CAPTURE_NONE;
    const cudaError_t e =
        result(device()->capture_status(current, stream_of(s), &status));

    *out = (enum cudaStreamCaptureStatus)status;
    return e;
}

cudaError_t cudaStreamGetCaptureInfo(cudaStream_t s, enum cudaStreamCaptureStatus *status,
                                     unsigned long long *id, cudaGraph_t *graph,
                                     const cudaGraphNode_t **dependencies,
                                     const cudaGraphEdgeData **edges, size_t *count)
{
    uint64_t number = 0;
    const cudaError_t e = cudaStreamIsCapturing(s, status);

    (void)graph;
    (void)dependencies;
    (void)edges;
    (void)count;
    if (e != cudaSuccess)
        return e;
    *id = 0;
    if (result(device()->capture_id(current, stream_of(s), &number)) == cudaSuccess)
        *id = number;
    return cudaSuccess;
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *out, cudaGraph_t g,
                                 unsigned long long flags)
{
    (void)flags;
    *out = (cudaGraphExec_t)(void *)g;
    return cudaSuccess;
}

cudaError_t cudaGraphGetNodes(cudaGraph_t g, cudaGraphNode_t *nodes, size_t *count)
{
    (void)nodes;
    *count = (size_t)device()->graph_node_count(current, graph_of(g));
    return cudaSuccess;
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t g, cudaStream_t s)
{
    return result(device()->graph_launch(current, graph_of(g), stream_of(s)));
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t g)
{
    (void)g; /* goes with its graph */
    return cudaSuccess;
}

cudaError_t cudaGraphDestroy(cudaGraph_t g)
{
    device()->graph_destroy(current, graph_of(g));
    return cudaSuccess;
}

/* --- kernels --- */

void *tsc_sim_address(void *p);

static _Thread_local int running = -1; /* the device of the kernel that runs here */

void *tsc_sim_address(void *p)
{
    void *found = p ? ts_software_resolve_on(running, p, 1) : NULL;

    return found ? found : p; /* host memory that the device sees */
}

/* A launch: arguments by value, as the device keeps them. */
typedef struct launch {
    const tsc_sim_kernel *kernel;
    int device;
    dim3 grid, block;
    size_t shared;
    void **args, **resolved; /* into `bytes`; a second copy for each run */
    size_t total;
    char *bytes;
} launch;

static ts_status run(void *arg)
{
    const launch *l = arg;
    char error[400];

    memcpy(l->bytes + l->total, l->bytes, l->total);
    running = l->device;
    l->kernel->resolve(l->resolved);
    running = -1;
    TS_CHECK(tsc_sim_run(l->kernel, (tsc_sim_dim){l->grid.x, l->grid.y, l->grid.z},
                         (tsc_sim_dim){l->block.x, l->block.y, l->block.z}, l->shared,
                         l->resolved, error, sizeof error),
             TS_ERR_RUNTIME, NULL, "launch failure: %s", error);
    return TS_OK;
}

static void release(void *arg)
{
    launch *l = arg;

    free(l->args);
    free(l->resolved);
    free(l->bytes);
    free(l);
}

static launch *launch_new(const tsc_sim_kernel *k, void **args)
{
    const size_t n = (size_t)k->nargs + 1;
    launch *l = calloc(1, sizeof *l);
    size_t at = 0;

    if (!l)
        return NULL;
    for (int i = 0; i < k->nargs; i++)
        l->total += (k->sizes[i] + 15) / 16 * 16;
    l->kernel = k;
    l->args = calloc(n, sizeof *l->args);
    l->resolved = calloc(n, sizeof *l->resolved);
    l->bytes = calloc(2, l->total + 16);
    if (!l->args || !l->resolved || !l->bytes) {
        release(l);
        return NULL;
    }
    for (int i = 0; i < k->nargs; i++) {
        l->args[i] = memcpy(l->bytes + at, args[i], k->sizes[i]);
        l->resolved[i] = l->bytes + l->total + at;
        at += (k->sizes[i] + 15) / 16 * 16;
    }
    return l;
}

cudaError_t cudaLaunchKernel(const void *entry, dim3 grid, dim3 block, void **args,
                             size_t shared, cudaStream_t s)
{
    launch *l = launch_new(entry, args);

    if (!l)
        return result(ts_fail(TS_ERR_OUT_OF_MEMORY, NULL, "no memory for a launch"));
    l->device = current;
    l->grid = grid;
    l->block = block;
    l->shared = shared;
    return result(ts_software_submit(current, stream_of(s), run, release, l));
}

/* --- virtual memory: the driver's calls by name --- */

static CUresult driver_result(ts_status s)
{
    return s == TS_OK                  ? CUDA_SUCCESS
           : s == TS_ERR_OUT_OF_MEMORY ? CUDA_ERROR_OUT_OF_MEMORY
                                       : CUDA_ERROR_INVALID_VALUE;
}

static CUresult get_granularity(size_t *out, const CUmemAllocationProp *prop,
                                CUmemAllocationGranularity_flags option)
{
    (void)option;
    *out = device()->granularity(prop->location.id);
    return CUDA_SUCCESS;
}

static CUresult address_reserve(CUdeviceptr *out, size_t bytes, size_t alignment,
                                CUdeviceptr address, unsigned long long flags)
{
    ts_devptr p = 0;
    const ts_status s = device()->address_reserve(current, bytes, &p);

    (void)alignment;
    (void)address;
    (void)flags;
    *out = p;
    return driver_result(s);
}

static CUresult address_free(CUdeviceptr p, size_t bytes)
{
    return driver_result(device()->address_free(current, p, bytes));
}

static tsd_handle *handle_of(CUmemGenericAllocationHandle h)
{
    return (tsd_handle *)(uintptr_t)h;
}

static CUresult create(CUmemGenericAllocationHandle *out, size_t bytes,
                       const CUmemAllocationProp *prop, unsigned long long flags)
{
    tsd_handle *h = NULL;
    const ts_status s = device()->handle_create(prop->location.id, bytes, &h);

    (void)flags;
    *out = (CUmemGenericAllocationHandle)(uintptr_t)h;
    return driver_result(s);
}

/* A descriptor is handed over as a pointer's value, and comes back through a pointer. */
static CUresult export_handle(void *out, CUmemGenericAllocationHandle h,
                              CUmemAllocationHandleType type, unsigned long long flags)
{
    (void)flags;
    if (type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR)
        return CUDA_ERROR_INVALID_VALUE;
    return driver_result(device()->handle_export(current, handle_of(h), out));
}

static CUresult import_handle(CUmemGenericAllocationHandle *out, void *from,
                              CUmemAllocationHandleType type)
{
    tsd_handle *h = NULL;
    ts_status s;

    if (type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR)
        return CUDA_ERROR_INVALID_VALUE;
    s = device()->handle_import(current, (int)(uintptr_t)from, &h);
    *out = (CUmemGenericAllocationHandle)(uintptr_t)h;
    return driver_result(s);
}

static CUresult release_handle(CUmemGenericAllocationHandle h)
{
    return driver_result(device()->handle_release(current, handle_of(h)));
}

static CUresult map(CUdeviceptr p, size_t bytes, size_t offset,
                    CUmemGenericAllocationHandle h, unsigned long long flags)
{
    (void)offset;
    (void)flags;
    return driver_result(device()->mem_map(current, p, bytes, handle_of(h)));
}

static CUresult unmap(CUdeviceptr p, size_t bytes)
{
    return driver_result(device()->mem_unmap(current, p, bytes));
}

static CUresult set_access(CUdeviceptr p, size_t bytes, const CUmemAccessDesc *d,
                           size_t n)
{
    CUresult r = CUDA_SUCCESS;

    for (size_t i = 0; r == CUDA_SUCCESS && i < n; i++)
        r = driver_result(device()->mem_set_access(d[i].location.id, p, bytes));
    return r;
}

static CUresult error_string(CUresult r, const char **out)
{
    *out = r == CUDA_SUCCESS ? "no error" : cudaGetErrorString(cudaErrorInvalidValue);
    return CUDA_SUCCESS;
}

typedef void (*any_call)(void);

void *tsc_driver_symbol(const char *name)
{
    static const struct {
        const char *name;
        any_call call;
    } calls[] = {{"cuMemGetAllocationGranularity", (any_call)get_granularity},
                 {"cuMemAddressReserve", (any_call)address_reserve},
                 {"cuMemAddressFree", (any_call)address_free},
                 {"cuMemCreate", (any_call)create},
                 {"cuMemRelease", (any_call)release_handle},
                 {"cuMemExportToShareableHandle", (any_call)export_handle},
                 {"cuMemImportFromShareableHandle", (any_call)import_handle},
                 {"cuMemMap", (any_call)map},
                 {"cuMemUnmap", (any_call)unmap},
                 {"cuMemSetAccess", (any_call)set_access},
                 {"cuGetErrorString", (any_call)error_string}};
    void *found = NULL;

    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (strcmp(calls[i].name, name) == 0)
            memcpy(&found, &calls[i].call, sizeof found);
    return found;
}

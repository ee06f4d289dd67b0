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

cudaError_t cudaGetDeviceCount(int *count)
{
    *count = 1;
    return cudaSuccess;
}

cudaError_t cudaSetDevice(int device)
{
    return device == 0 ? cudaSuccess
                       : result(ts_fail(TS_ERR_VALUE, NULL, "there is one device"));
}

cudaError_t cudaDeviceSynchronize(void)
{
    return result(device()->device_synchronize(0));
}

cudaError_t cudaMalloc(void **out, size_t bytes)
{
    ts_devptr p;
    const cudaError_t e = result(device()->mem_alloc(0, bytes, &p));
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
    return result(device()->mem_free(0, (ts_devptr)(uintptr_t)p));
}

cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total_bytes)
{
    return result(device()->mem_info(0, free_bytes, total_bytes));
}

cudaError_t cudaHostAlloc(void **out, size_t bytes, unsigned flags)
{
    (void)flags;
    *out = calloc(1, bytes);
    return *out ? cudaSuccess : result(ts_fail(TS_ERR_OUT_OF_MEMORY, NULL, "no memory"));
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

    return result(device()->copy(0, dst, src, bytes, k, stream_of(s)));
}

cudaError_t cudaMemsetAsync(void *p, int byte, size_t bytes, cudaStream_t s)
{
    return result(device()->fill(0, (ts_devptr)(uintptr_t)p, byte, bytes, stream_of(s)));
}

/* --- streams and events --- */

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *out, unsigned flags, int priority)
{
    tsd_stream *s = NULL;
    const cudaError_t e = result(device()->stream_create(0, priority, &s));

    (void)flags;
    *out = (cudaStream_t)(void *)s;
    return e;
}

cudaError_t cudaStreamDestroy(cudaStream_t s)
{
    device()->stream_destroy(0, stream_of(s));
    return cudaSuccess;
}

cudaError_t cudaStreamQuery(cudaStream_t s)
{
    bool done = false;
    const cudaError_t e = result(device()->stream_query(0, stream_of(s), &done));

    return e != cudaSuccess ? e : done ? cudaSuccess : cudaErrorNotReady;
}

cudaError_t cudaStreamSynchronize(cudaStream_t s)
{
    return result(device()->stream_synchronize(0, stream_of(s)));
}

cudaError_t cudaStreamWaitEvent(cudaStream_t s, cudaEvent_t e, unsigned flags)
{
    (void)flags;
    return result(device()->stream_wait_event(0, stream_of(s), (tsd_event *)(void *)e));
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *out, unsigned flags)
{
    tsd_event *made = NULL;
    const cudaError_t e =
        result(device()->event_create(0, !(flags & cudaEventDisableTiming), &made));

    *out = (cudaEvent_t)(void *)made;
    return e;
}

cudaError_t cudaEventDestroy(cudaEvent_t e)
{
    device()->event_destroy(0, (tsd_event *)(void *)e);
    return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t e, cudaStream_t s)
{
    return result(device()->event_record(0, (tsd_event *)(void *)e, stream_of(s)));
}

cudaError_t cudaEventQuery(cudaEvent_t e)
{
    bool done = false;
    const cudaError_t r = result(device()->event_query(0, (tsd_event *)(void *)e, &done));

    return r != cudaSuccess ? r : done ? cudaSuccess : cudaErrorNotReady;
}

cudaError_t cudaEventSynchronize(cudaEvent_t e)
{
    return result(device()->event_synchronize(0, (tsd_event *)(void *)e));
}

cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t end)
{
    double v = 0;
    const cudaError_t e = result(device()->event_elapsed_ms(
        0, (tsd_event *)(void *)start, (tsd_event *)(void *)end, &v));

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

    return result(device()->capture_begin(0, stream_of(s), m));
}

cudaError_t cudaStreamEndCapture(cudaStream_t s, cudaGraph_t *out)
{
    tsd_graph *g = NULL;
    const cudaError_t e = result(device()->capture_end(0, stream_of(s), &g));

    *out = (cudaGraph_t)(void *)g;
    return e;
}

cudaError_t cudaStreamIsCapturing(cudaStream_t s, enum cudaStreamCaptureStatus *out)
{
    ts_capture_status status = TS_CAPTURE_NONE;
    const cudaError_t e = result(device()->capture_status(0, stream_of(s), &status));

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
    if (result(device()->capture_id(0, stream_of(s), &number)) == cudaSuccess)
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
    *count = (size_t)device()->graph_node_count(0, graph_of(g));
    return cudaSuccess;
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t g, cudaStream_t s)
{
    return result(device()->graph_launch(0, graph_of(g), stream_of(s)));
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t g)
{
    (void)g; /* goes with its graph */
    return cudaSuccess;
}

cudaError_t cudaGraphDestroy(cudaGraph_t g)
{
    device()->graph_destroy(0, graph_of(g));
    return cudaSuccess;
}

/* --- kernels --- */

void *tsc_sim_address(void *p);

void *tsc_sim_address(void *p)
{
    void *found = p ? ts_software_resolve(p, 1) : NULL;

    return found ? found : p; /* host memory that the device sees */
}

/* A launch: arguments by value, as the device keeps them. */
typedef struct launch {
    const tsc_sim_kernel *kernel;
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
    l->kernel->resolve(l->resolved);
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
    l->grid = grid;
    l->block = block;
    l->shared = shared;
    return result(ts_software_submit(stream_of(s), run, release, l));
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
    (void)prop;
    (void)option;
    *out = device()->granularity(0);
    return CUDA_SUCCESS;
}

static CUresult address_reserve(CUdeviceptr *out, size_t bytes, size_t alignment,
                                CUdeviceptr address, unsigned long long flags)
{
    ts_devptr p = 0;
    const ts_status s = device()->address_reserve(0, bytes, &p);

    (void)alignment;
    (void)address;
    (void)flags;
    *out = p;
    return driver_result(s);
}

static CUresult address_free(CUdeviceptr p, size_t bytes)
{
    return driver_result(device()->address_free(0, p, bytes));
}

static tsd_handle *handle_of(CUmemGenericAllocationHandle h)
{
    return (tsd_handle *)(uintptr_t)h;
}

static CUresult create(CUmemGenericAllocationHandle *out, size_t bytes,
                       const CUmemAllocationProp *prop, unsigned long long flags)
{
    tsd_handle *h = NULL;
    const ts_status s = device()->handle_create(0, bytes, &h);

    (void)prop;
    (void)flags;
    *out = (CUmemGenericAllocationHandle)(uintptr_t)h;
    return driver_result(s);
}

static CUresult release_handle(CUmemGenericAllocationHandle h)
{
    return driver_result(device()->handle_release(0, handle_of(h)));
}

static CUresult map(CUdeviceptr p, size_t bytes, size_t offset,
                    CUmemGenericAllocationHandle h, unsigned long long flags)
{
    (void)offset;
    (void)flags;
    return driver_result(device()->mem_map(0, p, bytes, handle_of(h)));
}

static CUresult unmap(CUdeviceptr p, size_t bytes)
{
    return driver_result(device()->mem_unmap(0, p, bytes));
}

static CUresult set_access(CUdeviceptr p, size_t bytes, const CUmemAccessDesc *d,
                           size_t n)
{
    (void)d;
    (void)n;
    return driver_result(device()->mem_set_access(0, p, bytes));
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

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A CUDA runtime without a GPU, for PyTorch's own host side to run on: allocator,
 * streams, events, captures. Memory is real and host-side at fixed, ascending, never
 * reused addresses; copies and fills are done at once; kernels are counted and do
 * nothing. Preloaded, its names win over libcudart's.
 *
 * A stream does its work in order and at once, unless it is held: then what was submitted
 * since waits, and what waits for that by an event, on any stream. The host's own waiting
 * (synchronize, a free) lets a held stream go on as far as it waits for. A capture has to
 * be joined by its origin.
 *
 * STANDIN_DEVICES=2 gives two devices, each with its capacity and default stream.
 * Control (ctypes): standin_capacity, standin_hold, standin_release, standin_launches.
 */
#define _GNU_SOURCE
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define BASE ((uintptr_t)1 << 40)
#define UNIT ((size_t)2 << 20)
#define STREAMS 512
#define RANGES 65536
#define DEVICES 8

typedef struct capture capture;

/* From its work number `at` on, a stream waits for number `upto` of another. */
typedef struct await {
    uint64_t at, upto;
    struct CUstream_st *on;
} await;

struct CUstream_st {
    bool live, held;
    int priority, device;
    unsigned flags;
    uint64_t tip;  /* the number of its latest piece of work */
    uint64_t open; /* of the latest that a hold lets through */
    await *awaits;
    size_t await_count;
    capture *capture;
    uint64_t
        *seen; /* in a capture, by place: how many nodes of each stream come before */
};

struct CUevent_st {
    struct CUstream_st *stream; /* NULL: never recorded */
    uint64_t at;
    capture *capture;
    uint64_t *seen; /* the stream's, at the record */
};

struct CUgraph_st {
    size_t nodes;
};

struct CUgraphExec_st {
    size_t nodes;
};

struct capture {
    struct CUstream_st *origin;
    struct CUgraph_st *graph;
    unsigned long long id;
    enum cudaStreamCaptureMode mode;
    pthread_t thread;
    bool invalid;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER,
                       order = PTHREAD_MUTEX_INITIALIZER; /* of the streams' work */
static size_t capacity = (size_t)1 << 30, used[DEVICES];  /* by device */
static uintptr_t next_address = BASE;
static struct {
    uintptr_t at;
    size_t bytes;
    bool host;
    int device;
} ranges[RANGES];
static int range_count;
static struct CUstream_st streams[STREAMS], default_streams[DEVICES];
static _Thread_local int current_device;
static int stream_count;
static unsigned long long launches;
static int open_captures;
static _Thread_local cudaError_t last_error;
static _Thread_local enum cudaStreamCaptureMode thread_mode = cudaStreamCaptureModeGlobal;

static cudaError_t fail(cudaError_t e)
{
    last_error = e;
    return e;
}

/* --- control --- */

void standin_capacity(size_t bytes)
{
    capacity = bytes;
}

unsigned long long standin_launches(void)
{
    return launches;
}

static struct CUstream_st *stream_of(cudaStream_t s)
{
    return (uintptr_t)s <= 2 ? &default_streams[current_device] : s;
}

void standin_hold(cudaStream_t s)
{
    struct CUstream_st *t = stream_of(s);

    pthread_mutex_lock(&order);
    if (!t->held)
        t->open = t->tip;
    t->held = true;
    pthread_mutex_unlock(&order);
}

void standin_release(cudaStream_t s)
{
    stream_of(s)->held = false;
}

/* --- the order of work; `order` is held --- */

static bool done(struct CUstream_st *s, uint64_t at)
{
    if (s->held && at > s->open)
        return false;
    for (size_t i = 0; i < s->await_count;) {
        const await *a = &s->awaits[i];

        if (a->at > at)
            i++;
        else if (!done(a->on, a->upto))
            return false;
        else
            s->awaits[i] = s->awaits[--s->await_count]; /* for good */
    }
    return true;
}

/* The host waits for it. */
static void finish(struct CUstream_st *s, uint64_t at)
{
    if (s->held && s->open < at)
        s->open = at;
    for (size_t i = 0; i < s->await_count; i++)
        if (s->awaits[i].at <= at)
            finish(s->awaits[i].on, s->awaits[i].upto);
}

static bool is_done(struct CUstream_st *s, uint64_t at)
{
    bool yes;

    pthread_mutex_lock(&order);
    yes = done(s, at);
    pthread_mutex_unlock(&order);
    return yes;
}

static void wait_for(struct CUstream_st *s, uint64_t at)
{
    pthread_mutex_lock(&order);
    finish(s, at);
    pthread_mutex_unlock(&order);
}

/* All work of a device. */
static void wait_for_device(int device)
{
    pthread_mutex_lock(&order);
    finish(&default_streams[device], default_streams[device].tip);
    for (int i = 0; i < stream_count; i++)
        if (streams[i].device == device)
            finish(&streams[i], streams[i].tip);
    pthread_mutex_unlock(&order);
}

static void wait_on(struct CUstream_st *s, struct CUstream_st *on, uint64_t upto)
{
    pthread_mutex_lock(&order);
    s->tip++;
    if (!done(on, upto)) {
        s->awaits = realloc(s->awaits, (s->await_count + 1) * sizeof *s->awaits);
        if (!s->awaits)
            abort();
        s->awaits[s->await_count++] = (await){s->tip, upto, on};
    }
    pthread_mutex_unlock(&order);
}

/* --- captures --- */

/* What a stream's capture forbids makes the capture invalid. */
static cudaError_t invalidate(capture *c)
{
    c->invalid = true;
    return fail(cudaErrorStreamCaptureUnsupported);
}

/* A call that waits, or may: refused while this thread's mode and a capture say so. */
static cudaError_t unsafe(void)
{
    if (open_captures == 0 || thread_mode == cudaStreamCaptureModeRelaxed)
        return cudaSuccess;
    for (int i = 0; i < stream_count; i++) {
        capture *c = streams[i].capture;

        if (c && (c->mode == cudaStreamCaptureModeGlobal ||
                  (c->mode == cudaStreamCaptureModeThreadLocal &&
                   pthread_equal(c->thread, pthread_self()))))
            return invalidate(c);
    }
    return cudaSuccess;
}

#define SAFE                                \
    do {                                    \
        const cudaError_t safe_ = unsafe(); \
        if (safe_ != cudaSuccess)           \
            return safe_;                   \
    } while (0)

enum { PLACES = STREAMS + DEVICES };

static int place_of(const struct CUstream_st *s)
{
    return s >= streams && s < streams + STREAMS ? (int)(s - streams)
                                                 : STREAMS + (int)(s - default_streams);
}

static uint64_t *new_seen(const uint64_t *like)
{
    uint64_t *seen = calloc(PLACES, sizeof *seen);

    if (!seen)
        abort();
    if (like)
        memcpy(seen, like, PLACES * sizeof *seen);
    return seen;
}

/* One piece of work on s: recorded as a node if s is capturing. */
static cudaError_t submit(cudaStream_t s)
{
    struct CUstream_st *t = stream_of(s);

    pthread_mutex_lock(&order);
    if (t->capture) {
        t->capture->graph->nodes++;
        t->seen[place_of(t)]++;
    } else {
        t->tip++;
    }
    pthread_mutex_unlock(&order);
    return cudaSuccess;
}

/* s goes on after an event of the capture that it is in, or joins. */
static void go_on_after(struct CUstream_st *s, const struct CUevent_st *e)
{
    if (!s->capture) {
        s->capture = e->capture;
        s->seen = new_seen(NULL);
        s->seen[place_of(s)] = 1; /* the fork itself is to be joined */
    }
    for (int i = 0; i < PLACES; i++)
        if (s->seen[i] < e->seen[i])
            s->seen[i] = e->seen[i];
}

static bool is_joined(const capture *c)
{
    for (int i = 0; i < PLACES; i++) {
        const struct CUstream_st *s =
            i < STREAMS ? &streams[i] : &default_streams[i - STREAMS];

        if (s->capture == c && c->origin->seen[i] < s->seen[i])
            return false;
    }
    return true;
}

cudaError_t cudaStreamBeginCapture(cudaStream_t s, enum cudaStreamCaptureMode mode)
{
    static unsigned long long ids;
    capture *c;

    if ((uintptr_t)s <= 2)
        return fail(cudaErrorStreamCaptureUnsupported);
    if (s->capture)
        return fail(cudaErrorIllegalState);
    c = calloc(1, sizeof *c);
    *c = (capture){
        s, calloc(1, sizeof(struct CUgraph_st)), ++ids, mode, pthread_self(), false};
    s->capture = c;
    s->seen = new_seen(NULL);
    open_captures++;
    return cudaSuccess;
}

cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t s, cudaGraph_t graph,
                                          const cudaGraphNode_t *deps,
                                          const cudaGraphEdgeData *data, size_t n,
                                          enum cudaStreamCaptureMode mode)
{
    const cudaError_t e = cudaStreamBeginCapture(s, mode);

    (void)deps;
    (void)data;
    (void)n;
    if (e == cudaSuccess) {
        free(s->capture->graph);
        s->capture->graph = graph;
    }
    return e;
}

cudaError_t cudaStreamEndCapture(cudaStream_t s, cudaGraph_t *out)
{
    capture *c = stream_of(s)->capture;
    bool invalid, joined;

    *out = NULL;
    if (!c)
        return fail(cudaErrorIllegalState);
    if (c->origin != s)
        return fail(cudaErrorStreamCaptureUnmatched);
    joined = is_joined(c);
    for (int i = 0; i < PLACES; i++) {
        struct CUstream_st *t = i < STREAMS ? &streams[i] : &default_streams[i - STREAMS];

        if (t->capture != c)
            continue;
        t->capture = NULL;
        free(t->seen);
        t->seen = NULL;
    }
    invalid = c->invalid;
    if (!invalid && joined)
        *out = c->graph;
    open_captures--; /* c stays: events may still name it */
    return invalid   ? fail(cudaErrorStreamCaptureInvalidated)
           : !joined ? fail(cudaErrorStreamCaptureUnjoined)
                     : cudaSuccess;
}

static enum cudaStreamCaptureStatus status_of(cudaStream_t s)
{
    const capture *c = stream_of(s)->capture;

    return !c           ? cudaStreamCaptureStatusNone
           : c->invalid ? cudaStreamCaptureStatusInvalidated
                        : cudaStreamCaptureStatusActive;
}

cudaError_t cudaStreamIsCapturing(cudaStream_t s, enum cudaStreamCaptureStatus *out)
{
    *out = status_of(s);
    return cudaSuccess;
}

cudaError_t cudaStreamGetCaptureInfo(cudaStream_t s, enum cudaStreamCaptureStatus *status,
                                     unsigned long long *id, cudaGraph_t *graph,
                                     const cudaGraphNode_t **deps,
                                     const cudaGraphEdgeData **data, size_t *n)
{
    const capture *c = stream_of(s)->capture;

    *status = status_of(s);
    if (id)
        *id = c ? c->id : 0;
    if (graph)
        *graph = c ? c->graph : NULL;
    if (deps)
        *deps = NULL;
    if (data)
        *data = NULL;
    if (n)
        *n = 0;
    return cudaSuccess;
}

cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t s, cudaGraphNode_t *deps,
                                                const cudaGraphEdgeData *data, size_t n,
                                                unsigned flags)
{
    (void)s, (void)deps, (void)data, (void)n, (void)flags;
    return cudaSuccess;
}

cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode)
{
    const enum cudaStreamCaptureMode before = thread_mode;

    thread_mode = *mode;
    *mode = before;
    return cudaSuccess;
}

cudaError_t cudaGraphGetNodes(cudaGraph_t g, cudaGraphNode_t *nodes, size_t *n)
{
    (void)nodes;
    *n = g->nodes;
    return cudaSuccess;
}

cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t *deps,
                                         cudaGraphEdgeData *data, size_t *n)
{
    (void)node, (void)deps, (void)data;
    *n = 0;
    return cudaSuccess;
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *out, cudaGraph_t g,
                                          unsigned long long flags)
{
    (void)flags;
    *out = malloc(sizeof **out);
    (*out)->nodes = g->nodes;
    return cudaSuccess;
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *out, cudaGraph_t g,
                                 unsigned long long flags)
{
    return cudaGraphInstantiateWithFlags(out, g, flags);
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t g, cudaStream_t s)
{
    launches += g->nodes;
    return submit(s);
}

cudaError_t cudaGraphDestroy(cudaGraph_t g)
{
    free(g);
    return cudaSuccess;
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t g)
{
    free(g);
    return cudaSuccess;
}

/* --- device --- */

static int count(void)
{
    const char *text = getenv("STANDIN_DEVICES");
    const int n = text ? atoi(text) : 1;

    return n < 1 ? 1 : n > DEVICES ? DEVICES : n;
}

cudaError_t cudaGetDeviceCount(int *n)
{
    *n = count();
    return cudaSuccess;
}

cudaError_t cudaGetDevice(int *device)
{
    *device = current_device;
    return cudaSuccess;
}

cudaError_t cudaSetDevice(int device)
{
    if (device < 0 || device >= count())
        return fail(cudaErrorInvalidDevice);
    current_device = device;
    return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *p, int device)
{
    (void)device;
    memset(p, 0, sizeof *p);
    strcpy(p->name, "stand-in");
    p->major = 9;
    p->totalGlobalMem = capacity;
    p->multiProcessorCount = 132;
    p->warpSize = 32;
    p->maxThreadsPerBlock = p->maxThreadsDim[0] = p->maxThreadsDim[1] = 1024;
    p->maxThreadsDim[2] = 64;
    p->maxThreadsPerMultiProcessor = 2048;
    p->maxGridSize[0] = 0x7fffffff;
    p->maxGridSize[1] = p->maxGridSize[2] = 65535;
    p->sharedMemPerBlock = 48 << 10;
    p->sharedMemPerBlockOptin = 227 << 10;
    p->sharedMemPerMultiprocessor = 228 << 10;
    p->regsPerBlock = p->regsPerMultiprocessor = 65536;
    p->l2CacheSize = 50 << 20;
    p->memoryBusWidth = 5120;
    p->textureAlignment = p->texturePitchAlignment = 512;
    p->unifiedAddressing = p->managedMemory = p->concurrentKernels = 1;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attr, int device)
{
    struct cudaDeviceProp p;

    cudaGetDeviceProperties(&p, device);
    switch ((int)attr) {
    case cudaDevAttrComputeCapabilityMajor:
        *value = p.major;
        break;
    case cudaDevAttrMultiProcessorCount:
        *value = p.multiProcessorCount;
        break;
    case cudaDevAttrMaxThreadsPerBlock:
        *value = p.maxThreadsPerBlock;
        break;
    case cudaDevAttrMaxSharedMemoryPerBlock:
        *value = (int)p.sharedMemPerBlock;
        break;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
        *value = (int)p.sharedMemPerBlockOptin;
        break;
    case cudaDevAttrWarpSize:
        *value = p.warpSize;
        break;
    case cudaDevAttrL2CacheSize:
        *value = p.l2CacheSize;
        break;
    default:
        *value = 0;
    }
    return cudaSuccess;
}

cudaError_t cudaDriverGetVersion(int *v)
{
    *v = CUDART_VERSION;
    return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int *v)
{
    *v = CUDART_VERSION;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest)
{
    if (least)
        *least = 0;
    if (greatest)
        *greatest = -5;
    return cudaSuccess;
}

cudaError_t cudaDeviceSynchronize(void)
{
    SAFE;
    wait_for_device(current_device);
    return cudaSuccess;
}

cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer)
{
    (void)device, (void)peer;
    *can = 0;
    return cudaSuccess;
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags)
{
    (void)peer, (void)flags;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetPCIBusId(char *id, int length, int device)
{
    (void)device;
    snprintf(id, (size_t)length, "0000:00:00.0");
    return cudaSuccess;
}

cudaError_t cudaGetLastError(void)
{
    const cudaError_t e = last_error;

    last_error = cudaSuccess;
    return e;
}

cudaError_t cudaPeekAtLastError(void)
{
    return last_error;
}

const char *cudaGetErrorName(cudaError_t e)
{
    switch ((int)e) {
    case cudaSuccess:
        return "cudaSuccess";
    case cudaErrorMemoryAllocation:
        return "cudaErrorMemoryAllocation";
    case cudaErrorNotReady:
        return "cudaErrorNotReady";
    case cudaErrorStreamCaptureUnsupported:
        return "cudaErrorStreamCaptureUnsupported";
    case cudaErrorStreamCaptureInvalidated:
        return "cudaErrorStreamCaptureInvalidated";
    case cudaErrorStreamCaptureUnjoined:
        return "cudaErrorStreamCaptureUnjoined";
    default:
        return "cudaErrorOther";
    }
}

const char *cudaGetErrorString(cudaError_t e)
{
    switch ((int)e) {
    case cudaErrorMemoryAllocation:
        return "out of memory";
    case cudaErrorStreamCaptureUnsupported:
        return "operation not permitted when stream is capturing";
    case cudaErrorStreamCaptureInvalidated:
        return "operation failed due to a previous error during capture";
    case cudaErrorStreamCaptureUnjoined:
        return "capturing stream has unjoined work";
    default:
        return cudaGetErrorName(e);
    }
}

/* --- memory --- */

static int range_at(const void *p)
{
    const uintptr_t a = (uintptr_t)p;

    for (int i = 0; i < range_count; i++)
        if (ranges[i].at <= a && a < ranges[i].at + ranges[i].bytes)
            return i;
    return -1;
}

static cudaError_t obtain(void **out, size_t bytes, bool host)
{
    const size_t whole = (bytes + UNIT - 1) / UNIT * UNIT;
    cudaError_t e = cudaErrorMemoryAllocation;

    pthread_mutex_lock(&lock);
    if (bytes <= SIZE_MAX / 2 && (host || whole <= capacity - used[current_device]) &&
        range_count < RANGES &&
        mmap((void *)next_address, whole, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1,
             0) == (void *)next_address) {
        ranges[range_count].at = next_address;
        ranges[range_count].bytes = whole;
        ranges[range_count].device = current_device;
        ranges[range_count++].host = host;
        *out = (void *)next_address;
        next_address += whole;
        used[current_device] += host ? 0 : whole;
        e = cudaSuccess;
    }
    pthread_mutex_unlock(&lock);
    return e == cudaSuccess ? e : fail(e);
}

static cudaError_t give_back(void *p)
{
    cudaError_t e = cudaErrorInvalidValue;
    int i;

    if (!p)
        return cudaSuccess;
    pthread_mutex_lock(&lock);
    i = range_at(p);
    if (i >= 0 && ranges[i].at == (uintptr_t)p) {
        munmap(p, ranges[i].bytes);
        used[ranges[i].device] -= ranges[i].host ? 0 : ranges[i].bytes;
        ranges[i] = ranges[--range_count];
        e = cudaSuccess;
    }
    pthread_mutex_unlock(&lock);
    return e == cudaSuccess ? e : fail(e);
}

cudaError_t cudaMalloc(void **out, size_t bytes)
{
    SAFE;
    return obtain(out, bytes, false);
}

/* A free waits for the work that may still use the memory. */
static cudaError_t give_back_after_work(void *p)
{
    int i, device;

    if (!p)
        return cudaSuccess;
    pthread_mutex_lock(&lock);
    i = range_at(p);
    device = i < 0 ? current_device : ranges[i].device;
    pthread_mutex_unlock(&lock);
    wait_for_device(device);
    return give_back(p);
}

cudaError_t cudaFree(void *p)
{
    SAFE;
    return give_back_after_work(p);
}

cudaError_t cudaMemGetInfo(size_t *left, size_t *total)
{
    *left = capacity - used[current_device];
    *total = capacity;
    return cudaSuccess;
}

cudaError_t cudaHostAlloc(void **out, size_t bytes, unsigned flags)
{
    (void)flags;
    SAFE;
    return obtain(out, bytes, true);
}

cudaError_t cudaMallocHost(void **out, size_t bytes)
{
    return cudaHostAlloc(out, bytes, 0);
}

cudaError_t cudaFreeHost(void *p)
{
    SAFE;
    return give_back_after_work(p);
}

cudaError_t cudaHostRegister(void *p, size_t bytes, unsigned flags)
{
    (void)p, (void)bytes, (void)flags;
    return cudaSuccess;
}

cudaError_t cudaHostUnregister(void *p)
{
    (void)p;
    return cudaSuccess;
}

cudaError_t cudaHostGetDevicePointer(void **device, void *host, unsigned flags)
{
    (void)flags;
    *device = host;
    return cudaSuccess;
}

cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *a, const void *p)
{
    int i;

    pthread_mutex_lock(&lock);
    i = range_at(p);
    memset(a, 0, sizeof *a);
    a->type = i < 0            ? cudaMemoryTypeUnregistered
              : ranges[i].host ? cudaMemoryTypeHost
                               : cudaMemoryTypeDevice;
    a->device = i < 0 ? 0 : ranges[i].device;
    a->devicePointer = i < 0 ? NULL : (void *)(uintptr_t)p;
    a->hostPointer = i >= 0 && ranges[i].host ? (void *)(uintptr_t)p : NULL;
    pthread_mutex_unlock(&lock);
    return cudaSuccess;
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t n, enum cudaMemcpyKind kind)
{
    (void)kind;
    SAFE;
    wait_for(stream_of(NULL), stream_of(NULL)->tip);
    memmove(to, from, n);
    return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t n,
                            enum cudaMemcpyKind kind, cudaStream_t s)
{
    (void)kind;
    if (!stream_of(s)->capture)
        memmove(to, from, n);
    return submit(s);
}

cudaError_t cudaMemcpyPeerAsync(void *to, int td, const void *from, int fd, size_t n,
                                cudaStream_t s)
{
    (void)td, (void)fd;
    return cudaMemcpyAsync(to, from, n, cudaMemcpyDefault, s);
}

cudaError_t cudaMemcpy2DAsync(void *to, size_t tp, const void *from, size_t fp, size_t w,
                              size_t h, enum cudaMemcpyKind kind, cudaStream_t s)
{
    (void)kind;
    if (!stream_of(s)->capture)
        for (size_t i = 0; i < h; i++)
            memmove((char *)to + i * tp, (const char *)from + i * fp, w);
    return submit(s);
}

cudaError_t cudaMemset(void *p, int byte, size_t n)
{
    SAFE;
    memset(p, byte, n);
    return cudaSuccess;
}

cudaError_t cudaMemsetAsync(void *p, int byte, size_t n, cudaStream_t s)
{
    if (!stream_of(s)->capture)
        memset(p, byte, n);
    return submit(s);
}

/* --- streams and events --- */

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *out, unsigned flags, int priority)
{
    if (stream_count == STREAMS)
        return fail(cudaErrorMemoryAllocation);
    *out = &streams[stream_count++]; /* ascending handles, never again */
    **out = (struct CUstream_st){
        .live = true, .priority = priority, .device = current_device, .flags = flags};
    return cudaSuccess;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *out, unsigned flags)
{
    return cudaStreamCreateWithPriority(out, flags, 0);
}

cudaError_t cudaStreamCreate(cudaStream_t *out)
{
    return cudaStreamCreateWithPriority(out, 0, 0);
}

cudaError_t cudaStreamDestroy(cudaStream_t s)
{
    s->live = false;
    return cudaSuccess;
}

cudaError_t cudaStreamGetPriority(cudaStream_t s, int *priority)
{
    *priority = stream_of(s)->priority;
    return cudaSuccess;
}

cudaError_t cudaStreamQuery(cudaStream_t s)
{
    if (stream_of(s)->capture)
        return invalidate(stream_of(s)->capture);
    SAFE;
    return is_done(stream_of(s), stream_of(s)->tip) ? cudaSuccess : cudaErrorNotReady;
}

cudaError_t cudaStreamSynchronize(cudaStream_t s)
{
    if (stream_of(s)->capture)
        return invalidate(stream_of(s)->capture);
    SAFE;
    wait_for(stream_of(s), stream_of(s)->tip);
    return cudaSuccess;
}

cudaError_t cudaStreamWaitEvent(cudaStream_t s, cudaEvent_t e, unsigned flags)
{
    struct CUstream_st *to = stream_of(s);

    (void)flags;
    if (e->capture && e->capture->origin->capture == e->capture) {
        if (!to->capture || to->capture == e->capture)
            go_on_after(to, e);
    } else if (e->stream && !e->capture && !to->capture) {
        wait_on(to, e->stream, e->at); /* on the record of this time */
    }
    return cudaSuccess;
}

cudaError_t cudaLaunchHostFunc(cudaStream_t s, cudaHostFn_t fn, void *data)
{
    if (!stream_of(s)->capture)
        fn(data);
    return submit(s);
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *out, unsigned flags)
{
    (void)flags;
    *out = calloc(1, sizeof **out);
    return *out ? cudaSuccess : fail(cudaErrorMemoryAllocation);
}

cudaError_t cudaEventCreate(cudaEvent_t *out)
{
    return cudaEventCreateWithFlags(out, 0);
}

cudaError_t cudaEventDestroy(cudaEvent_t e)
{
    free(e->seen);
    free(e);
    return cudaSuccess;
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t e, cudaStream_t s, unsigned flags)
{
    struct CUstream_st *on = stream_of(s);

    (void)flags;
    free(e->seen);
    e->seen = on->capture ? new_seen(on->seen) : NULL;
    e->capture = on->capture;
    pthread_mutex_lock(&order);
    e->stream = on;
    e->at = on->capture ? on->tip : ++on->tip;
    pthread_mutex_unlock(&order);
    return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t e, cudaStream_t s)
{
    return cudaEventRecordWithFlags(e, s, 0);
}

static bool passed(const struct CUevent_st *e)
{
    return !e->stream || is_done(e->stream, e->at);
}

cudaError_t cudaEventQuery(cudaEvent_t e)
{
    if (e->capture)
        return invalidate(e->capture);
    SAFE;
    return passed(e) ? cudaSuccess : cudaErrorNotReady;
}

cudaError_t cudaEventSynchronize(cudaEvent_t e)
{
    if (e->capture)
        return invalidate(e->capture);
    SAFE;
    if (e->stream)
        wait_for(e->stream, e->at);
    return cudaSuccess;
}

cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t end)
{
    *ms = 0;
    if (!start->stream || !end->stream)
        return fail(cudaErrorInvalidResourceHandle);
    return passed(start) && passed(end) ? cudaSuccess : cudaErrorNotReady;
}

/* --- kernels --- */

static struct {
    dim3 grid, block;
    size_t shared;
    void *stream;
} configuration;

void **__cudaRegisterFatBinary(void *binary)
{
    static void *handle;

    (void)binary;
    return &handle;
}

void __cudaRegisterFatBinaryEnd(void **h)
{
    (void)h;
}

void __cudaUnregisterFatBinary(void **h)
{
    (void)h;
}

void __cudaRegisterFunction(void **h, const char *host, char *device, const char *name,
                            int limit, void *tid, void *bid, void *bdim, void *gdim,
                            int *wsize)
{
    (void)h, (void)host, (void)device, (void)name, (void)limit, (void)tid, (void)bid;
    (void)bdim, (void)gdim, (void)wsize;
}

void __cudaRegisterVar(void **h, char *host, char *device, const char *name, int ext,
                       size_t size, int constant, int global)
{
    (void)h, (void)host, (void)device, (void)name, (void)ext, (void)size, (void)constant;
    (void)global;
}

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, void *stream)
{
    configuration.grid = grid;
    configuration.block = block;
    configuration.shared = shared;
    configuration.stream = stream;
    return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared,
                                       void *stream)
{
    *grid = configuration.grid;
    *block = configuration.block;
    *shared = configuration.shared;
    *(void **)stream = configuration.stream;
    return cudaSuccess;
}

cudaError_t __cudaGetKernel(cudaKernel_t *out, const void *entry)
{
    *out = (cudaKernel_t)(uintptr_t)entry;
    return cudaSuccess;
}

cudaError_t __cudaLaunchKernel(cudaKernel_t k, dim3 grid, dim3 block, void **args,
                               size_t shared, cudaStream_t s)
{
    (void)k, (void)grid, (void)block, (void)args, (void)shared;
    launches++;
    return submit(s);
}

cudaError_t cudaLaunchKernel(const void *f, dim3 grid, dim3 block, void **args,
                             size_t shared, cudaStream_t s)
{
    (void)f, (void)grid, (void)block, (void)args, (void)shared;
    launches++;
    return submit(s);
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *c, const void *f, void **args)
{
    (void)f, (void)args;
    launches++;
    return submit(c->stream);
}

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *a, const void *f)
{
    (void)f;
    memset(a, 0, sizeof *a);
    a->maxThreadsPerBlock = 1024;
    a->numRegs = 32;
    a->binaryVersion = a->ptxVersion = 90;
    return cudaSuccess;
}

cudaError_t cudaFuncSetAttribute(const void *f, enum cudaFuncAttribute a, int value)
{
    (void)f, (void)a, (void)value;
    return cudaSuccess;
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *n, const void *f,
                                                          int block, size_t shared)
{
    (void)f, (void)block, (void)shared;
    *n = 2;
    return cudaSuccess;
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *n, const void *f,
                                                                   int block,
                                                                   size_t shared,
                                                                   unsigned flags)
{
    (void)flags;
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(n, f, block, shared);
}

cudaError_t cudaProfilerStart(void)
{
    return cudaSuccess;
}

cudaError_t cudaProfilerStop(void)
{
    return cudaSuccess;
}

/* --- the driver's side --- */

static CUresult unsupported(void)
{
    return CUDA_ERROR_NOT_SUPPORTED;
}

CUresult cuInit(unsigned flags)
{
    (void)flags;
    return CUDA_SUCCESS;
}

CUresult cuDriverGetVersion(int *v)
{
    *v = CUDA_VERSION;
    return CUDA_SUCCESS;
}

CUresult cuCtxGetCurrent(CUcontext *c)
{
    *c = (CUcontext)(uintptr_t)1;
    return CUDA_SUCCESS;
}

CUresult cuCtxSetCurrent(CUcontext c)
{
    (void)c;
    return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxGetState(CUdevice d, unsigned *flags, int *active)
{
    (void)d;
    *flags = 0;
    *active = 1;
    return CUDA_SUCCESS;
}

CUresult cuDeviceGet(CUdevice *d, int ordinal)
{
    *d = ordinal;
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute a, CUdevice d)
{
    return cudaDeviceGetAttribute(value, (enum cudaDeviceAttr)a, d) == cudaSuccess
               ? CUDA_SUCCESS
               : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGetErrorString(CUresult e, const char **text)
{
    (void)e;
    *text = "the stand-in does not do this";
    return CUDA_SUCCESS;
}

CUresult cuMemGetAddressRange(CUdeviceptr *base, size_t *bytes, CUdeviceptr p)
{
    const int i = range_at((void *)(uintptr_t)p);

    if (i < 0)
        return CUDA_ERROR_INVALID_VALUE;
    if (base)
        *base = (CUdeviceptr)ranges[i].at;
    if (bytes)
        *bytes = ranges[i].bytes;
    return CUDA_SUCCESS;
}

static void *entry(const char *name)
{
    static const struct {
        const char *name;
        void (*entry)(void);
    } known[] = {
        {"cuDeviceGet", (void (*)(void))cuDeviceGet},
        {"cuDeviceGetAttribute", (void (*)(void))cuDeviceGetAttribute},
        {"cuMemGetAddressRange", (void (*)(void))cuMemGetAddressRange},
        {"cuGetErrorString", (void (*)(void))cuGetErrorString},
        {"cuCtxGetCurrent", (void (*)(void))cuCtxGetCurrent},
        {"cuCtxSetCurrent", (void (*)(void))cuCtxSetCurrent},
    };

    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(name, known[i].name) == 0)
            return (void *)known[i].entry;
    /* Virtual memory and stream writes are asked for, and refused when called. */
    return strncmp(name, "cuMem", 5) == 0 || strncmp(name, "cuStream", 8) == 0
               ? (void *)unsupported
               : NULL;
}

cudaError_t cudaGetDriverEntryPointByVersion(const char *name, void **out,
                                             unsigned version, unsigned long long flags,
                                             enum cudaDriverEntryPointQueryResult *status)
{
    (void)version, (void)flags;
    *out = entry(name);
    if (status)
        *status = *out ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
    return cudaSuccess;
}

CUresult cuGetProcAddress_v2(const char *name, void **out, int version, cuuint64_t flags,
                             CUdriverProcAddressQueryResult *status)
{
    (void)version, (void)flags;
    *out = entry(name);
    if (status)
        *status =
            *out ? CU_GET_PROC_ADDRESS_SUCCESS : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
    return CUDA_SUCCESS;
}

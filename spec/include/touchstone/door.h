/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The lib door: what a shared library exports so that the judge can run it under the
 * reference runtime. See spec/areas/backend.md.
 *
 * How the door ages. TS_BACKEND_ABI changes only when something that crosses the door
 * can't be understood by the other side any more. Within one ABI, structs grow at their
 * end and never otherwise: each begins with its `size` as whoever made it was built, a
 * reader takes a member that lies beyond that size for absent (zero; TS_HAS), and leaves
 * alone what it does not know. So a backend of yesterday runs under the judge of today,
 * and one of tomorrow too. conformance/tests/door_layout.txt holds every offset.
 */
#ifndef TOUCHSTONE_DOOR_H
#define TOUCHSTONE_DOOR_H

#include "touchstone/call.h"
#include "touchstone/communicator.h"
#include "touchstone/driver.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TS_BACKEND_ABI 2

/* One kernel. Entries stand ts_backend.kernel_size apart. */
typedef struct ts_kernel_entry {
    const char *op; /* "softmax" */
    ts_kernel kernel;
} ts_kernel_entry;

/* One claim: what the backend says it supports. A claimed case that is UNSUPPORTED fails.
 * Entries stand ts_backend.claim_size apart. */
typedef struct ts_claim {
    const char *op;  /* "softmax", or "*" for every op in the kernel table */
    unsigned dtypes; /* TS_DTYPE_BIT mask; 0: every dtype the op's page lists */
} ts_claim;

/* What the runtime gives a backend; it lives as long as the process. */
typedef struct ts_host {
    size_t size; /* of this struct, as the runtime was built */
    unsigned abi;
    ts_status (*fail)(ts_status status, const char *label, const char *format, ...);
} ts_host;

#define TS_LEVEL_BIT(n) (1u << (n)) /* of level Ln */

typedef struct ts_backend {
    size_t size;  /* sizeof(ts_backend) as the backend was built; set by the backend */
    unsigned abi; /* TS_BACKEND_ABI; set by the backend */
    const char *name;    /* "reference" */
    const char *version; /* "0.1.0" */
    const ts_kernel_entry *kernels;
    size_t kernel_count;
    const ts_claim *claims;
    size_t claim_count;
    void (*close)(void);
    const ts_driver *driver; /* NULL: its kernels are host functions on host memory */
    const ts_communicator *communicator; /* NULL: the reference's */
    bool simulated; /* no device runs its kernels: results say so and count as none */
    /* --- since 2.1 --- */
    size_t kernel_size,
        claim_size;  /* of an entry as the backend was built; 0: as in 2.0 */
    unsigned levels; /* TS_LEVEL_BIT mask of what it stands for; 0: not said, all */
    /*
     * Whether a call can be served; NULL: all of its kernels' calls can. Asked before the
     * results are made: entries of call->results may be NULL. A call declined here goes
     * to the op's program or to the assisting kernel, else it is not claimed.
     */
    bool (*supports)(const ts_kernel_call *call);
} ts_backend;

/* ts_backend of 2.0, the smallest that is taken. */
#define TS_BACKEND_SIZE_2_0 offsetof(ts_backend, kernel_size)

static inline const ts_kernel_entry *ts_backend_kernel(const ts_backend *b, size_t i)
{
    const size_t step =
        TS_HAS(b, kernel_size) && b->kernel_size ? b->kernel_size : sizeof *b->kernels;

    return (const ts_kernel_entry *)(const void *)((const char *)b->kernels + i * step);
}

static inline const ts_claim *ts_backend_claim(const ts_backend *b, size_t i)
{
    const size_t step =
        TS_HAS(b, claim_size) && b->claim_size ? b->claim_size : sizeof *b->claims;

    return (const ts_claim *)(const void *)((const char *)b->claims + i * step);
}

/* The one exported symbol, named "ts_backend_open". Fills *out, which is zeroed and has
 * room for a later ts_backend; returns TS_OK or an error. */
typedef ts_status (*ts_backend_open_fn)(const ts_host *host, ts_backend *out);
TS_API ts_status ts_backend_open(const ts_host *host, ts_backend *out);

/* --- the runtime's side --- */

/*
 * Make a backend's kernels the ones of `device`. The tables are copied. `assist` (may be
 * NULL) gives the kernels for ops that `backend` lacks or declines; without it those
 * calls are TS_ERR_UNSUPPORTED.
 */
TS_API ts_status ts_backend_install(ts_device_type device, const ts_backend *backend,
                                    const ts_backend *assist);
TS_API void ts_backend_remove(ts_device_type device);

/* How many kernels of the installed backend, and of its assist, ran on this thread since
 * the last reset; and how many calls its `supports` declined. */
typedef struct ts_backend_counts {
    uint64_t ran, assisted, declined;
} ts_backend_counts;

TS_API ts_backend_counts ts_backend_counted(void);
TS_API void ts_backend_count_reset(void);

#ifdef __cplusplus
}
#endif
#endif

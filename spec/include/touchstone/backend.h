/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The lib door: what a shared library exports so that the judge can run it under the
 * reference runtime. See spec/areas/backend.md. Every table is optional; a struct's
 * `size` is its version.
 */
#ifndef TOUCHSTONE_BACKEND_H
#define TOUCHSTONE_BACKEND_H

#include <inttypes.h>

#include "touchstone/call.h"
#include "touchstone/communicator.h"
#include "touchstone/driver.h"
#include "touchstone/element.h"
#include "touchstone/lines.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TS_BACKEND_ABI 2

typedef struct ts_kernel_entry {
    const char *op; /* "softmax" */
    ts_kernel kernel;
} ts_kernel_entry;

/* One claim: what the backend says it supports. A claimed case that is UNSUPPORTED fails.
 */
typedef struct ts_claim {
    const char *op;  /* "softmax", or "*" for every op in the kernel table */
    unsigned dtypes; /* TS_DTYPE_BIT mask; 0: every dtype the op's page lists */
} ts_claim;

typedef struct ts_host {
    size_t size; /* of this struct */
    unsigned abi;
    ts_status (*fail)(ts_status status, const char *label, const char *format, ...);
} ts_host;

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
} ts_backend;

/* The one exported symbol, named "ts_backend_open". Fills *out; returns TS_OK or an
 * error. */
typedef ts_status (*ts_backend_open_fn)(const ts_host *host, ts_backend *out);
TS_API ts_status ts_backend_open(const ts_host *host, ts_backend *out);

/* --- the runtime's side
 * -------------------------------------------------------------------- */

/*
 * Make a backend's kernels the ones of `device`. The table is copied. `assist` (may be
 * NULL) gives the kernels for ops that `backend` lacks; without it those calls are
 * TS_ERR_UNSUPPORTED.
 */
TS_API ts_status ts_backend_install(ts_device_type device, const ts_backend *backend,
                                    const ts_backend *assist);
TS_API void ts_backend_remove(ts_device_type device);

/* How many kernel entries of the installed backend, and of its assist, ran since the last
 * reset. */
typedef struct ts_backend_counts {
    uint64_t ran, assisted;
} ts_backend_counts;

TS_API ts_backend_counts ts_backend_counted(void);
TS_API void ts_backend_count_reset(void);

#ifdef __cplusplus
}
#endif
#endif

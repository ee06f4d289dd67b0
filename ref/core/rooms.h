/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What ref/core asks of the rooms above it. Core calls nothing outward by name: a room
 * enters its functions here before main, and without the room the thing is not there.
 */
#ifndef TSI_ROOMS_H
#define TSI_ROOMS_H

#include "core/table.h"
#include "touchstone/device.h"
#include "touchstone/profile.h"

typedef struct tsi_rooms_table {
    /* ref/grad */
    void (*autograd_release)(ts_tensor *t); /* t dies: drop what hangs on it */
    bool (*wants_grad)(const ts_tensor *t);
    ts_status (*autograd_check_out)(const ts_frame *f); /* see dispatch.h */
    /* ref/transform */
    ts_status (*level_below)(ts_frame *f); /* see thread.h's `inside` */
    /* ts_function_apply where there is a level. */
    ts_status (*level_apply)(const ts_function *fn, void *self, int ninputs,
                             ts_tensor *const *inputs, int *noutputs,
                             ts_tensor **outputs);
    /* ref/device */
    int (*accel_device_count)(void);
    int (*accel_device)(void); /* the thread's current one */
    /* Memory of a device, by its current stream. */
    ts_status (*accel_alloc)(int device, int64_t bytes, void **out);
    void (*accel_free)(int device, void *p, int64_t bytes);
    void (*accel_copy)(int device, void *to, const void *from, int64_t bytes);
    /* Between host and device memory, done when the call returns. */
    ts_status (*accel_transfer)(int device, void *to, const void *from, int64_t bytes,
                                ts_copy_kind kind);
    /* Run a kernel on accel, or on the host for it, on the device of its tensors; the
     * frame's checks have passed. */
    ts_status (*accel_launch)(ts_frame *f, ts_kernel kernel, bool assist);
    /* dst = src across devices, converting and broadcasting as copy_ does. */
    ts_status (*transfer)(ts_tensor *dst, ts_tensor *src);
    ts_status (*sync_point)(const char *what);
    /* ref/profile */
    void (*profile_memory)(ts_profile *p, ts_device device, const void *address,
                           int64_t bytes);
} tsi_rooms_table;

extern tsi_rooms_table tsi_rooms;

/* A count of what is alive: written by its thread only, read by any. */
static inline void tsi_live_add(int64_t *at, int64_t n)
{
    __atomic_store_n(at, *at + n, __ATOMIC_RELAXED);
}

#endif

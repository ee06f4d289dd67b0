/* SPDX-License-Identifier: Apache-2.0 */
/* Storages, tensors and views (T-01): what everything else is made of. */
#ifndef TOUCHSTONE_TENSOR_H
#define TOUCHSTONE_TENSOR_H

#include <stddef.h>
#include <stdint.h>

#include "touchstone/dtype.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TS_MAX_DIMS 64 /* PyTorch's own limit */

typedef enum ts_device_type {
    TS_CPU,
    TS_META,
    TS_ACCEL,
    TS_DEVICE_TYPE_COUNT
} ts_device_type;

typedef struct ts_device {
    ts_device_type type;
    int index; /* of TS_ACCEL; asked for as -1: the thread's current one (device.h) */
} ts_device;

#define TS_DEVICE_NONE (-1) /* ts_device.type of "not given": the default device */

typedef struct ts_storage ts_storage; /* reference-counted untyped bytes */

/*
 * A tensor: offset, sizes, strides, dtype and device over a storage. Offset and strides
 * count elements: the element at index i stands at data + sum(i[d] * strides[d]) * element
 * size. Only the runtime writes. Members are added at the end, never moved: tensors
 * cross the door by address.
 */
typedef struct ts_tensor {
    void *data;       /* element [0, ..., 0]; NULL on meta */
    int64_t *sizes;   /* ndim of them */
    int64_t *strides; /* ndim of them, in elements */
    int64_t numel;
    int64_t offset; /* storage_offset, in elements */
    int32_t ndim;
    ts_dtype dtype;
    ts_device device;
} ts_tensor;

/* Reference counts are plain integers:
 * a tensor belongs to one thread at a time, storages do not. */
TS_API ts_tensor *ts_retain(ts_tensor *t); /* returns t; NULL passes */
TS_API void ts_release(ts_tensor *t);      /* NULL passes */

/* How often it is held: for those who watch a program, none of whose own steps may depend
 * on it. */
TS_API int64_t ts_references(const ts_tensor *t);

/* A new contiguous tensor; elements are uninitialised
 * (poisoned when the allocator says so). */
TS_API ts_status ts_tensor_new(ts_device device, ts_dtype dtype, int ndim,
                               const int64_t *sizes, ts_tensor **out);
/* The same with given strides, over a storage just large enough, at offset 0. */
TS_API ts_status ts_tensor_new_strided(ts_device device, ts_dtype dtype, int ndim,
                                       const int64_t *sizes, const int64_t *strides,
                                       ts_tensor **out);
/* A tensor over `storage` that is nobody's view. Overrunning the storage is refused. */
TS_API ts_status ts_tensor_over(ts_storage *storage, ts_dtype dtype, int ndim,
                                const int64_t *sizes, const int64_t *strides,
                                int64_t offset, ts_tensor **out);

TS_API ts_status ts_storage_new(ts_device device, int64_t bytes, ts_storage **out);
TS_API ts_storage *ts_storage_retain(ts_storage *s);
TS_API void ts_storage_release(ts_storage *s);
TS_API int64_t ts_storage_references(const ts_storage *s);
TS_API void *ts_storage_data(const ts_storage *s);
TS_API int64_t ts_storage_bytes(const ts_storage *s);
TS_API int64_t
ts_storage_id(const ts_storage *s); /* equal when two storages share their bytes */

/* What t stands on, and the tensor it is a view of (`_base`) or NULL; both borrowed. */
TS_API ts_storage *ts_tensor_storage(const ts_tensor *t);
TS_API ts_tensor *ts_tensor_base(const ts_tensor *t);
/* A Python number passed as a tensor: promotes as a number (T-12). */
TS_API bool ts_is_wrapped_number(const ts_tensor *t);

TS_API bool ts_is_contiguous(const ts_tensor *t);
/* Whether no two indices share an element and no gap lies between (PyTorch's word). */
TS_API bool ts_is_non_overlapping_and_dense(const ts_tensor *t);
TS_API int64_t ts_version(const ts_tensor *t);

/*
 * The memory under storages, replaceable for the whole process before the first tensor:
 * the judge puts guard zones and poison here. `alloc` returns NULL when memory is short.
 */
typedef struct ts_allocator {
    void *(*alloc)(void *self, size_t bytes);
    void (*free)(void *self, void *p, size_t bytes);
    void *self;
} ts_allocator;

TS_API void
ts_set_allocator(const ts_allocator *allocator); /* NULL: the default, aligned to 64 */

/* What is alive in this process right now: every case must end with both at zero. */
typedef struct ts_live {
    int64_t tensors, storages, bytes, nodes;
} ts_live;

TS_API ts_live ts_live_now(void);

#ifdef __cplusplus
}
#endif
#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* A storage's inside, for ref/core. */
#ifndef TSI_STORAGE_H
#define TSI_STORAGE_H

#include <stdatomic.h>
#if defined(__has_include) && !defined(__SANITIZE_THREAD__)
#if __has_include(<sys/single_threaded.h>)
#include <sys/single_threaded.h>
#define TSI_ALONE __libc_single_threaded
#endif
#endif
#ifndef TSI_ALONE
#define TSI_ALONE false
#endif

#include "core/core.h"

struct ts_storage {
    _Atomic int refs;
    ts_device device;
    int64_t bytes;
    void *data;            /* NULL on meta */
    int64_t version;       /* of every tensor over it that did not come through .data */
    ts_storage *parent;    /* whose bytes these are, when this one came through .data */
    struct tsi_pair *pair; /* of which it is part, or NULL */
    bool inside;           /* its bytes are in the block too */
    struct tsi_outgrown *outgrown; /* host memory it had before it grew */
};

/* Counts that any thread may change. A process of one thread need not lock the bus, which
 * is much of what a view costs. */
static inline void tsi_count_up(_Atomic int *n)
{
    if (TSI_ALONE)
        atomic_store_explicit(n, atomic_load_explicit(n, memory_order_relaxed) + 1,
                              memory_order_relaxed);
    else
        atomic_fetch_add_explicit(n, 1, memory_order_relaxed);
}

/* What is left. */
static inline int tsi_count_down(_Atomic int *n)
{
    if (!TSI_ALONE)
        return atomic_fetch_sub_explicit(n, 1, memory_order_acq_rel) - 1;
    atomic_store_explicit(n, atomic_load_explicit(n, memory_order_relaxed) - 1,
                          memory_order_relaxed);
    return atomic_load_explicit(n, memory_order_relaxed);
}

/* Make a storage in given memory; what ts_storage_new does to memory of its own. `room`
 * is where `bytes` may go when the default allocator would serve them, or NULL. */
ts_status tsi_storage_init(ts_storage *s, ts_device device, int64_t bytes, void *room);
/* The same bytes under a version counter of their own: what x.data stands on. */
ts_status tsi_storage_alias(ts_storage *of, ts_storage **out);
ts_status tsi_storage_grow(ts_storage *s, int64_t bytes);
/* One of a block's two parts has come to its end. */
void tsi_pair_drop(struct tsi_pair *b);

#endif

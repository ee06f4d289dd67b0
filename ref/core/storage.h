/* SPDX-License-Identifier: Apache-2.0 */
/* A storage's inside, for ref/core. */
#ifndef TSI_STORAGE_H
#define TSI_STORAGE_H

#include <stdatomic.h>

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
};

/* Make a storage in given memory; what ts_storage_new does to memory of its own. `room`
 * is where `bytes` may go when the default allocator would serve them, or NULL. */
ts_status tsi_storage_init(ts_storage *s, ts_device device, int64_t bytes, void *room);
/* The same bytes under a version counter of their own: what x.data stands on. */
ts_status tsi_storage_alias(ts_storage *of, ts_storage **out);
ts_status tsi_storage_grow(ts_storage *s, int64_t bytes);
/* One of a block's two parts has come to its end. */
void tsi_pair_drop(struct tsi_pair *b);

#endif

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
    void *data;         /* NULL on meta */
    int64_t version;    /* of every tensor over it that did not come through .data */
    ts_storage *parent; /* whose bytes these are, when this one came through .data */
};

/* The same bytes under a version counter of their own: what x.data stands on. */
ts_status tsi_storage_alias(ts_storage *of, ts_storage **out);
ts_status tsi_storage_grow(ts_storage *s, int64_t bytes);
void tsi_storage_live(int64_t *storages, int64_t *bytes);

#endif

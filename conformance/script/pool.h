/* SPDX-License-Identifier: Apache-2.0 */
/* A pool: memory that is given back all at once. */
#ifndef TSI_POOL_H
#define TSI_POOL_H

#include <stdbool.h>
#include <stddef.h>

typedef struct tsi_pool tsi_pool;

/* At most `limit` bytes; NULL when memory is short. */
tsi_pool *tsi_pool_new(size_t limit);
void tsi_pool_free(tsi_pool *p);
/* Give back everything but the first thing allocated, of `bytes`, and its chunk. */
void tsi_pool_reset_to(tsi_pool *p, const void *first, size_t bytes);
/* Zeroed, aligned to 16; NULL past the limit or when memory is short. */
void *tsi_pool_alloc(tsi_pool *p, size_t bytes);
char *tsi_pool_strndup(tsi_pool *p, const char *s, size_t n);
/* A larger copy of an array of `count` items: how the readers' lists grow. */
void *tsi_pool_grow(tsi_pool *p, const void *items, size_t count, size_t capacity,
                    size_t item_size);

#endif

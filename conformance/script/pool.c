/* SPDX-License-Identifier: Apache-2.0 */
#include "pool.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_CHUNK ((size_t)64 << 10)
#define ALIGN 16

typedef struct chunk {
    struct chunk *next;
    size_t used, size;
} chunk;

struct tsi_pool {
    chunk *first, *current;
    size_t limit, total;
};

static char *bytes_of(chunk *c)
{
    return (char *)c + (sizeof(chunk) + ALIGN - 1) / ALIGN * ALIGN;
}

static chunk *add_chunk(tsi_pool *p, size_t size)
{
    const size_t header = (sizeof(chunk) + ALIGN - 1) / ALIGN * ALIGN;

    if (size > p->limit || p->total > p->limit - size)
        return NULL;

    chunk *c = malloc(header + size);

    if (c == NULL)
        return NULL;
    c->next = NULL;
    c->used = 0;
    c->size = size;
    p->total += size;
    return c;
}

tsi_pool *tsi_pool_new(size_t limit)
{
    tsi_pool *p = calloc(1, sizeof *p);

    if (p == NULL)
        return NULL;
    p->limit = limit;
    p->first = p->current = add_chunk(p, FIRST_CHUNK < limit ? FIRST_CHUNK : limit);
    if (p->first == NULL) {
        free(p);
        return NULL;
    }
    return p;
}

static void free_from(chunk *c)
{
    while (c != NULL) {
        chunk *next = c->next;

        free(c);
        c = next;
    }
}

void tsi_pool_free(tsi_pool *p)
{
    if (p == NULL)
        return;
    free_from(p->first);
    free(p);
}

void tsi_pool_reset_to(tsi_pool *p, const void *first, size_t bytes)
{
    free_from(p->first->next);
    p->first->next = NULL;
    p->first->used = (size_t)((const char *)first - bytes_of(p->first)) +
                     (bytes + ALIGN - 1) / ALIGN * ALIGN;
    p->current = p->first;
    p->total = p->first->size;
}

void *tsi_pool_alloc(tsi_pool *p, size_t bytes)
{
    if (bytes > SIZE_MAX / 2)
        return NULL;
    bytes = (bytes + ALIGN - 1) / ALIGN * ALIGN;
    if (p->current->size - p->current->used < bytes) {
        size_t size = 2 * p->current->size;

        if (size > (size_t)4 << 20)
            size = (size_t)4 << 20;
        if (size < bytes)
            size = bytes;

        chunk *c = add_chunk(p, size);

        if (c == NULL)
            return NULL;
        p->current->next = c;
        p->current = c;
    }

    void *out = bytes_of(p->current) + p->current->used;

    p->current->used += bytes;
    return memset(out, 0, bytes);
}

char *tsi_pool_strndup(tsi_pool *p, const char *s, size_t n)
{
    char *out = tsi_pool_alloc(p, n + 1);

    if (out != NULL)
        memcpy(out, s, n);
    return out;
}

void *tsi_pool_grow(tsi_pool *p, const void *items, size_t count, size_t capacity,
                    size_t item_size)
{
    if (item_size != 0 && capacity > SIZE_MAX / 2 / item_size)
        return NULL;

    void *out = tsi_pool_alloc(p, capacity * item_size);

    if (out != NULL && count > 0)
        memcpy(out, items, count * item_size);
    return out;
}

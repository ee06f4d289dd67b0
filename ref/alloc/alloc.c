/* SPDX-License-Identifier: Apache-2.0 */
/* malloc and free: from a free block, from the device, or after giving the cache back. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "alloc/alloc.h"

/* Whoever sets PyTorch's allocator up in the environment is told that nobody reads it. */
static void tell_of_settings(void)
{
    static const char *const names[] = {"PYTORCH_ALLOC_CONF", "PYTORCH_CUDA_ALLOC_CONF"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *value = getenv(names[i]);

        if (value && *value)
            ts_warn(NULL, "%s=%.80s has no effect: this allocator has no settings",
                    names[i], value);
    }
}

ts_status ts_alloc_new(const ts_driver *driver, int device, ts_alloc **out)
{
    ts_alloc *a;

    TS_CHECK(TSD_HAS(driver, mem_alloc) && TSD_HAS(driver, mem_free) &&
                 TSD_HAS(driver, mem_info),
             TS_ERR_UNSUPPORTED, NULL, "the driver has no memory to allocate");
    a = calloc(1, sizeof *a);
    TS_CHECK(a, TS_ERR_OUT_OF_MEMORY, NULL, "no host memory for an allocator");
    pthread_mutex_init(&a->lock, NULL);
    a->driver = driver;
    a->device = device;
    a->limit = SIZE_MAX;
    a->small = (tsi_pool){.free = {tsi_order_fit, NULL, 0, 0}, .small = true};
    a->large = (tsi_pool){.free = {tsi_order_fit, NULL, 0, 0}};
    a->segments.order = a->live.order = tsi_order_address;
    a->stats[TSI_MAX_SPLIT_SIZE] = -1; /* no such limit */
    tell_of_settings();
    *out = a;
    return TS_OK;
}

void ts_alloc_destroy(ts_alloc *a)
{
    if (!a)
        return;
    tsi_wait_close(a);
    for (size_t i = 0; i < a->segments.count; i++) {
        (void)a->driver->mem_free(a->device, a->segments.at[i]->p);
        for (tsi_block *b = a->segments.at[i]; b;) {
            tsi_block *next = b->next;

            free(b);
            b = next;
        }
    }
    tsi_pool_close(a);
    free(a->segments.at);
    free(a->live.at);
    free(a->small.free.at);
    free(a->large.free.at);
    free(a->history);
    pthread_mutex_destroy(&a->lock);
    free(a);
}

/* S1 */
static size_t round_size(size_t bytes)
{
    return bytes < TSI_ROUND ? TSI_ROUND
                             : (bytes + TSI_ROUND - 1) / TSI_ROUND * TSI_ROUND;
}

/* The smallest free block of that stream that holds `size`, taken out; NULL: none. */
static tsi_block *take_free(tsi_pool *pool, size_t size, int64_t stream)
{
    const tsi_block key = {.stream = stream, .size = size};
    const size_t i = tsi_set_lower(&pool->free, &key);
    tsi_block *b = i < pool->free.count ? pool->free.at[i] : NULL;

    if (!b || b->stream != stream)
        return NULL;
    tsi_set_remove(&pool->free, b);
    return b;
}

static ts_status obtain(ts_alloc *a, tsi_pool *pool, size_t size, int64_t stream,
                        tsi_block **out)
{
    *out = take_free(pool, size, stream);
    if (*out)
        return TS_OK;
    TS_TRY(tsi_segment_new(a, pool, size, stream, false, out));
    if (*out || tsi_alloc_capturing(a))
        return TS_OK;
    /* A free that completes here goes back too; it is not looked at again (S12). */
    TS_TRY(tsi_segments_release(a));
    return tsi_segment_new(a, pool, size, stream, true, out);
}

static const char *size_text(size_t bytes, char text[32])
{
    static const char *const unit[] = {"KiB", "MiB", "GiB"};
    double v = (double)bytes;
    int u = -1;

    while (u < 2 && v > 1024) {
        v /= 1024;
        u++;
    }
    if (u < 0)
        snprintf(text, 32, "%zu bytes", bytes);
    else
        snprintf(text, 32, "%.2f %s", v, unit[u]);
    return text;
}

static ts_status out_of_memory(ts_alloc *a, size_t size, int64_t stream)
{
    size_t left = 0, total = 0, private_free = 0;
    const size_t allocated =
        (size_t)a->stats[TSI_ALLOCATED_BYTES + TSI_ALL + TSI_CURRENT];
    char t[7][32];

    (void)a->driver->mem_info(a->device, &left, &total);
    tsi_stat_note(a, TS_MEMORY_OOM, left, size, stream);
    a->stats[TSI_OOMS]++;
    for (const tsi_private *p = a->privates; p; p = p->next) {
        for (size_t i = 0; i < p->small.free.count; i++)
            private_free += p->small.free.at[i]->size;
        for (size_t i = 0; i < p->large.free.count; i++)
            private_free += p->large.free.at[i]->size;
    }
    return ts_fail(
        TS_ERR_OUT_OF_MEMORY, "allocator/C1",
        "out of memory: accel:%d was asked for %s; it has %s, %s of it free; allowed "
        "here "
        "are %s; %s are allocated, %s lie free in private pools, %s are cached",
        a->device, size_text(tsi_segment_size(size), t[0]), size_text(total, t[1]),
        size_text(left, t[2]), a->limit == SIZE_MAX ? "all" : size_text(a->limit, t[3]),
        size_text(allocated, t[4]), size_text(private_free, t[5]),
        size_text(a->reserved - allocated - private_free, t[6]));
}

static ts_status allocate(ts_alloc *a, size_t bytes, ts_stream *stream, ts_devptr *out)
{
    const int64_t id = ts_stream_id(stream);
    const size_t size = round_size(bytes);
    tsi_pool *pool;
    tsi_block *b;
    bool piece;

    if (!tsi_alloc_capturing(a))
        TS_TRY(tsi_wait_process(a, false));
    pool = tsi_pool_for(a, size, stream);
    TS_TRY(obtain(a, pool, size, id, &b));
    if (!b)
        return out_of_memory(a, size, id);
    piece = b->prev || b->next;
    if (tsi_block_should_split(b, size)) {
        const ts_status s = tsi_block_split(a, b, size);

        if (s != TS_OK) {
            tsi_set_add(&pool->free, b);
            return s;
        }
    } else if (piece) {
        tsi_stat_add(a, TSI_INACTIVE_SPLIT, pool, -1);
        tsi_stat_add(a, TSI_INACTIVE_SPLIT_BYTES, pool, -(int64_t)b->size);
    }
    b->allocated = true;
    b->requested = bytes;
    tsi_set_add(&a->live, b);
    tsi_stat_note(a, TS_MEMORY_ALLOC, b->p, bytes, id);
    tsi_stat_add(a, TSI_ALLOCATION, pool, 1);
    tsi_stat_add(a, TSI_ALLOCATED_BYTES, pool, (int64_t)b->size);
    tsi_stat_add(a, TSI_ACTIVE, pool, 1);
    tsi_stat_add(a, TSI_ACTIVE_BYTES, pool, (int64_t)b->size);
    tsi_stat_add(a, TSI_REQUESTED_BYTES, pool, (int64_t)bytes);
    *out = b->p;
    return TS_OK;
}

ts_status ts_alloc_malloc(ts_alloc *a, size_t bytes, ts_stream *stream, ts_devptr *out)
{
    ts_status s;

    *out = 0;
    if (bytes == 0)
        return TS_OK;
    TS_CHECK(bytes <= SIZE_MAX / 2, TS_ERR_OUT_OF_MEMORY, "allocator/C2",
             "%zu bytes are more than any device has", bytes);
    pthread_mutex_lock(&a->lock);
    s = allocate(a, bytes, stream, out);
    pthread_mutex_unlock(&a->lock);
    return s;
}

static tsi_block *find(const ts_alloc *a, ts_devptr p)
{
    const tsi_block key = {.p = p};
    const size_t i = tsi_set_lower(&a->live, &key);

    return i < a->live.count && a->live.at[i]->p == p ? a->live.at[i] : NULL;
}

static ts_status give_back(ts_alloc *a, ts_devptr p)
{
    tsi_block *b = find(a, p);

    TS_CHECK(b, TS_ERR_RUNTIME, "allocator/C3", "%#llx is no address that was handed out",
             (unsigned long long)p);
    tsi_set_remove(&a->live, b);
    b->allocated = false;
    tsi_stat_note(a, TS_MEMORY_FREE_REQUESTED, p, b->requested, b->stream);
    tsi_stat_add(a, TSI_ALLOCATION, b->pool, -1);
    tsi_stat_add(a, TSI_ALLOCATED_BYTES, b->pool, -(int64_t)b->size);
    if (b->uses)
        return tsi_wait_begin(a, b);
    tsi_block_complete(a, b);
    return TS_OK;
}

ts_status ts_alloc_free(ts_alloc *a, ts_devptr p)
{
    ts_status s;

    if (p == 0)
        return TS_OK;
    pthread_mutex_lock(&a->lock);
    s = give_back(a, p);
    pthread_mutex_unlock(&a->lock);
    return s;
}

static ts_status record_stream(ts_alloc *a, ts_devptr p, ts_stream *stream)
{
    tsi_block *b = find(a, p);

    TS_CHECK(b, TS_ERR_RUNTIME, "allocator/C3", "%#llx is no address that was handed out",
             (unsigned long long)p);
    return b->stream == ts_stream_id(stream) && a->device == ts_stream_device(stream)
               ? TS_OK
               : tsi_wait_add(a, b, stream);
}

ts_status ts_alloc_record_stream(ts_alloc *a, ts_devptr p, ts_stream *stream)
{
    ts_status s;

    if (p == 0)
        return TS_OK;
    pthread_mutex_lock(&a->lock);
    s = record_stream(a, p, stream);
    pthread_mutex_unlock(&a->lock);
    return s;
}

ts_status ts_alloc_empty_cache(ts_alloc *a)
{
    ts_status s;

    pthread_mutex_lock(&a->lock);
    s = tsi_segments_release(a);
    pthread_mutex_unlock(&a->lock);
    return s;
}

ts_status ts_alloc_set_memory_fraction(ts_alloc *a, double fraction)
{
    size_t left, total;

    TS_CHECK(0 <= fraction && fraction <= 1, TS_ERR_VALUE, "allocator/C6",
             "a fraction of memory lies in [0, 1], not at %g", fraction);
    TS_TRY(a->driver->mem_info(a->device, &left, &total));
    pthread_mutex_lock(&a->lock);
    a->limit = fraction == 1 ? SIZE_MAX : (size_t)llround(fraction * (double)total);
    pthread_mutex_unlock(&a->lock);
    return TS_OK;
}

double ts_alloc_memory_fraction(ts_alloc *a)
{
    size_t left, total;

    if (a->limit == SIZE_MAX || a->driver->mem_info(a->device, &left, &total) != TS_OK)
        return 1;
    return (double)a->limit / (double)total;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Statistics under PyTorch's keys, and the history of events. */
#include <stdlib.h>

#include "alloc/alloc.h"

#define FOUR(s) s ".allocated", s ".current", s ".freed", s ".peak"
#define TWELVE(s) FOUR(s ".all"), FOUR(s ".large_pool"), FOUR(s ".small_pool")

/* In the order of the enum in alloc.h, which is that of the names. */
static const char *const names[TS_MEMORY_STATS] = {
    TWELVE("active"),          TWELVE("active_bytes"),
    TWELVE("allocated_bytes"), TWELVE("allocation"),
    TWELVE("inactive_split"),  TWELVE("inactive_split_bytes"),
    "max_split_size",          "num_alloc_retries",
    "num_device_alloc",        "num_device_free",
    "num_oom_rejections",      "num_ooms",
    "num_sync_all_streams",    FOUR("oversize_allocations"),
    FOUR("oversize_segments"), TWELVE("requested_bytes"),
    TWELVE("reserved_bytes"),  TWELVE("segment"),
};

const char *ts_memory_stat_name(int i)
{
    return 0 <= i && i < TS_MEMORY_STATS ? names[i] : NULL;
}

int ts_memory_stat_find(const char *name)
{
    for (int i = 0; i < TS_MEMORY_STATS; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    return -1;
}

static void add(int64_t *four, int64_t by)
{
    four[TSI_CURRENT] += by;
    if (by > 0)
        four[TSI_TOTAL] += by;
    else
        four[TSI_FREED] -= by;
    if (four[TSI_CURRENT] > four[TSI_PEAK])
        four[TSI_PEAK] = four[TSI_CURRENT];
}

void tsi_stat_add(ts_alloc *a, int stat, const tsi_pool *pool, int64_t by)
{
    add(a->stats + stat + TSI_ALL, by);
    add(a->stats + stat + (pool->small ? TSI_SMALL : TSI_LARGE), by);
}

void ts_alloc_stats(ts_alloc *a, int64_t values[TS_MEMORY_STATS])
{
    pthread_mutex_lock(&a->lock);
    memcpy(values, a->stats, sizeof a->stats);
    pthread_mutex_unlock(&a->lock);
}

/* Whether statistic i is the field of a group of four that starts at `four`. */
static bool is_scalar(int i)
{
    return TSI_MAX_SPLIT_SIZE <= i && i < TSI_OVERSIZE_ALLOCATIONS;
}

static int field(int i)
{
    return (i < TSI_MAX_SPLIT_SIZE ? i : i - TSI_OVERSIZE_ALLOCATIONS) % 4;
}

void ts_alloc_reset_peak(ts_alloc *a)
{
    pthread_mutex_lock(&a->lock);
    for (int i = 0; i < TS_MEMORY_STATS; i++)
        if (!is_scalar(i) && field(i) == TSI_PEAK)
            a->stats[i] = a->stats[i - TSI_PEAK + TSI_CURRENT];
    pthread_mutex_unlock(&a->lock);
}

void ts_alloc_reset_accumulated(ts_alloc *a)
{
    pthread_mutex_lock(&a->lock);
    for (int i = 0; i < TS_MEMORY_STATS; i++)
        if (!is_scalar(i) && (field(i) == TSI_TOTAL || field(i) == TSI_FREED))
            a->stats[i] = 0;
    a->stats[TSI_ALLOC_RETRIES] = a->stats[TSI_OOMS] = 0;
    a->stats[TSI_SYNC_ALL_STREAMS] = 0;
    a->stats[TSI_DEVICE_ALLOC] = a->stats[TSI_DEVICE_FREE] = 0;
    pthread_mutex_unlock(&a->lock);
}

/* --- history --- */

void tsi_stat_note(ts_alloc *a, ts_memory_action action, ts_devptr p, size_t size,
                   int64_t stream)
{
    const ts_memory_event e = {action, p, size, stream};

    if (a->history_room == 0)
        return;
    a->history[(a->history_start + a->history_count) % a->history_room] = e;
    if (a->history_count < a->history_room)
        a->history_count++;
    else
        a->history_start = (a->history_start + 1) % a->history_room;
}

ts_status ts_alloc_record_history(ts_alloc *a, size_t entries)
{
    ts_memory_event *ring = entries ? calloc(entries, sizeof *ring) : NULL;

    TS_CHECK(ring || entries == 0, TS_ERR_OUT_OF_MEMORY, NULL,
             "no host memory for %zu events", entries);
    pthread_mutex_lock(&a->lock);
    free(a->history);
    a->history = ring;
    a->history_room = entries;
    a->history_start = a->history_count = 0;
    pthread_mutex_unlock(&a->lock);
    return TS_OK;
}

ts_status ts_alloc_take_history(ts_alloc *a, ts_memory_event **out, size_t *count)
{
    ts_memory_event *events;

    pthread_mutex_lock(&a->lock);
    events = malloc((a->history_count + 1) * sizeof *events);
    if (events) {
        for (size_t i = 0; i < a->history_count; i++)
            events[i] = a->history[(a->history_start + i) % a->history_room];
        *count = a->history_count;
        a->history_start = a->history_count = 0;
    }
    pthread_mutex_unlock(&a->lock);
    TS_CHECK(events, TS_ERR_OUT_OF_MEMORY, NULL, "no host memory for the history");
    *out = events;
    return TS_OK;
}

const char *ts_memory_action_name(ts_memory_action action)
{
    static const char *const text[] = {"alloc",
                                       "free_requested",
                                       "free_completed",
                                       "segment_alloc",
                                       "segment_free",
                                       "snapshot",
                                       "oom"};

    return text[action];
}

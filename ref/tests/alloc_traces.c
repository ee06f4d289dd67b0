/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Replay the traces of PyTorch's allocator (golden/traces.py, where the format stands) and
 * compare every statistic and every event after every operation. TAP, a test a trace.
 *
 * usage: alloc_traces FILE [--kill]     --kill: the allocator is faulty, a trace must tell
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "alloc/alloc.h"
#include "tests/fake_device.h"

#define BLOCKS 4096
#define LINE 65536
#define EVENTS 4096

static ts_alloc *a;
static ts_stream *streams[32];
static int64_t first_stream; /* id of streams[1] */
static ts_devptr blocks[BLOCKS];
static int block_count;
static int64_t expected[TS_MEMORY_STATS];
static char wrong[512]; /* what differs, "" while nothing does */

static void start(int stream_count, size_t memory)
{
    fake.capacity = memory;
    fake.used = 0;
    fake.next = FAKE_BASE;
    fake.count = fake.stream_count = 0;
    memset(fake.streams, 0, sizeof fake.streams);
    if (ts_alloc_new(&fake_driver, 0, &a) != TS_OK ||
        ts_alloc_record_history(a, EVENTS) != TS_OK)
        exit(2);
    streams[0] = ts_stream_default();
    for (int i = 1; i < stream_count; i++)
        if (ts_stream_new(0, &streams[i]) != TS_OK)
            exit(2);
    first_stream = stream_count > 1 ? ts_stream_id(streams[1]) : 1;
    block_count = 0;
    memset(expected, 0, sizeof expected);
    expected[ts_memory_stat_find("max_split_size")] = -1;
    wrong[0] = '\0';
}

static int64_t index_of(int64_t stream)
{
    return stream == 0 ? 0 : stream - first_stream + 1;
}

static void operate(const char *op)
{
    unsigned long long n = 0;
    int s = 0;
    double x = 1;
    ts_status status = TS_OK;

    sscanf(op + 1, "%llu %d", &n, &s);
    sscanf(op + 1, "%lf", &x);
    const ts_pool_id pool = {0, n};

    switch (op[0]) {
    case 'a':
        status = ts_alloc_malloc(a, n, streams[s], &blocks[block_count++]);
        status = status == TS_ERR_OUT_OF_MEMORY ? TS_OK : status;
        break;
    case 'f':
        status = ts_alloc_free(a, blocks[n]);
        break;
    case 'r':
        status = ts_alloc_record_stream(a, blocks[n], streams[s]);
        break;
    case 'h':
    case 'l':
        fake_hold((int)n - 1, op[0] == 'h');
        break;
    case 'e':
        status = ts_alloc_empty_cache(a);
        break;
    case 'p':
        ts_alloc_reset_peak(a);
        break;
    case 'c':
        ts_alloc_reset_accumulated(a);
        break;
    case 'm':
        status = ts_alloc_set_memory_fraction(a, x);
        break;
    case 'b':
        status = ts_alloc_begin_pool(a, pool, NULL, NULL);
        break;
    case 'x':
        status = ts_alloc_end_pool(a, pool);
        break;
    case 'z':
        status = ts_alloc_release_pool(a, pool);
        break;
    case 's':
        break;
    default:
        snprintf(wrong, sizeof wrong, "no such operation");
    }
    if (status != TS_OK)
        snprintf(wrong, sizeof wrong, "failed: %s", ts_error_message());
}

static void compare_stats(char *text)
{
    int64_t got[TS_MEMORY_STATS];

    for (char *group = strtok(text, " "); group; group = strtok(NULL, " ")) {
        char *keys;
        const int64_t delta = strtoll(group, &keys, 10);
        unsigned i;

        for (keys++; sscanf(keys, "%2x", &i) == 1; keys += 2)
            if (i < TS_MEMORY_STATS)
                expected[i] += delta;
    }
    ts_alloc_stats(a, got);
    for (int i = 0; i < TS_MEMORY_STATS && !wrong[0]; i++)
        if (got[i] != expected[i])
            snprintf(wrong, sizeof wrong,
                     "%s is %" PRId64 ", PyTorch's is %" PRId64 " (change included)",
                     ts_memory_stat_name(i), got[i], expected[i]);
}

static void compare_events(const char *want)
{
    static char got[EVENTS * 32];
    ts_memory_event *events;
    size_t count, at = 0;

    if (ts_alloc_take_history(a, &events, &count) != TS_OK)
        exit(2);
    got[0] = '\0';
    for (size_t i = 0; i < count; i++) {
        const ts_memory_event *e = &events[i];
        const ts_devptr from = e->action == TS_MEMORY_OOM ? 0 : FAKE_BASE;

        if (e->action == TS_MEMORY_SNAPSHOT)
            continue;
        at += (size_t)sprintf(got + at, "%s%c%" PRIx64 ",%zx", at ? " " : "",
                              "ARCSFno"[e->action], (e->address - from) / 512, e->size);
        if (e->stream)
            at += (size_t)sprintf(got + at, "@%" PRId64, index_of(e->stream));
    }
    free(events);
    if (strcmp(got, want) != 0 && !wrong[0])
        snprintf(wrong, sizeof wrong, "events are \"%.160s\", PyTorch's are \"%.160s\"",
                 got, want);
}

static void compare_segment(const ts_memory_snapshot *all, size_t i, const char *want)
{
    static char got[LINE];
    const ts_memory_segment *s;
    size_t at;

    if (i >= all->segment_count) {
        snprintf(wrong, sizeof wrong, "there are only %zu segments", all->segment_count);
        return;
    }
    s = &all->segments[i];
    at = (size_t)sprintf(got, "=%" PRIx64 " %zx %" PRId64 " %s %" PRIu64,
                         (s->address - FAKE_BASE) / 512, s->total / 512,
                         index_of(s->stream), s->small ? "small" : "large", s->pool.user);
    for (size_t b = 0; b < s->block_count && at + 40 < sizeof got; b++)
        at += (size_t)sprintf(got + at, " %zx%c%zx", s->blocks[b].size / 512,
                              "-+?"[s->blocks[b].state], s -> blocks[b].requested);
    if (strcmp(got, want) != 0)
        snprintf(wrong, sizeof wrong, "segment is \"%.160s\", PyTorch's is \"%.160s\"",
                 got, want);
}

static void step(char *line)
{
    char *stats = strchr(line, '|'), *events = stats ? strchr(stats + 1, '|') : NULL;
    const char *broken;

    if (!events) {
        snprintf(wrong, sizeof wrong, "the line has no three parts");
        return;
    }
    *stats++ = *events++ = '\0';
    operate(line);
    broken = tsi_alloc_is_valid(a);
    if (broken && !wrong[0])
        snprintf(wrong, sizeof wrong, "%s", broken);
    compare_stats(stats);
    compare_events(events);
}

/* One trace; the steps done, the last of which is wrong if anything is. */
static int replay(FILE *f, char *line, int *number)
{
    ts_memory_snapshot *snapshot = NULL;
    size_t segments = 0;
    long at = ftell(f);
    int steps = 0;

    while (fgets(line, LINE, f) && line[0] != '#') {
        line[strcspn(line, "\n")] = '\0';
        ++*number;
        if (wrong[0] || !line[0])
            continue;
        if (line[0] == '=') {
            if (snapshot)
                compare_segment(snapshot, segments++, line);
        } else {
            if (snapshot && segments != snapshot->segment_count)
                snprintf(wrong, sizeof wrong,
                         "before this: %zu segments, PyTorch has %zu",
                         snapshot->segment_count, segments);
            ts_memory_snapshot_free(snapshot);
            snapshot = NULL;
            segments = 0;
            steps++;
            if (!wrong[0])
                step(line);
            if (line[0] == 's' && ts_alloc_snapshot(a, &snapshot) != TS_OK)
                exit(2);
        }
        if (wrong[0])
            printf("# line %d, operation \"%s\": %s\n", *number, line, wrong);
        at = ftell(f);
    }
    fseek(f, at, SEEK_SET);
    ts_memory_snapshot_free(snapshot);
    return steps;
}

int main(int argc, char **argv)
{
    static char line[LINE];
    const bool kill = argc > 2 && strcmp(argv[2], "--kill") == 0;
    FILE *f = argc > 1 ? fopen(argv[1], "r") : NULL;
    int number = 0, traces = 0, failed = 0;

    if (!f || ts_accel_open(&fake_driver) != TS_OK) {
        fprintf(stderr, "alloc_traces: no file of traces\n");
        return 2;
    }
    while (fgets(line, sizeof line, f)) {
        int index, stream_count, steps;
        size_t memory;

        number++;
        if (sscanf(line, "# trace %d streams %d memory %zu", &index, &stream_count,
                   &memory) != 3)
            continue;
        start(stream_count, memory);
        steps = replay(f, line, &number);
        traces++;
        failed += wrong[0] != '\0';
        if (!kill)
            printf("%sok %d - trace %d: %d operations\n", wrong[0] ? "not " : "", traces,
                   index, steps);
        for (int i = 1; i < stream_count; i++)
            ts_stream_release(streams[i]);
        ts_alloc_destroy(a);
        if (fake.used) {
            printf("# %zu bytes never came back\n", fake.used);
            failed++;
        }
    }
    fclose(f);
    if (kill)
        printf("%sok 1 - %d of %d traces tell\n", failed ? "" : "not ", failed, traces);
    printf("1..%d\n", kill ? 1 : traces);
    return kill ? failed == 0 : failed > 0 || traces == 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Sums over events of one name: key_averages and its table. All times stay in ns, so that
 * nothing is cut off before it is subtracted. */
#include <stdlib.h>

#include "core/core.h"
#include "profile/record.h"

/* One event's own numbers and those with all that happened inside. */
typedef struct sums {
    int64_t self_cpu, self_device, device, self_bytes[2], bytes[2];
} sums;

static sums *sums_of(const ts_profile_event *e, size_t n)
{
    sums *s = calloc(n + 1, sizeof *s);

    if (!s)
        return NULL;
    for (size_t i = 0; i < n; i++) {
        const int64_t time = e[i].end - e[i].start, up = e[i].parent;

        if (ts_event_is_host(e[i].kind)) {
            s[i].self_cpu += time;
            if (up >= 0)
                s[up].self_cpu -= time;
        } else if (e[i].kind == TS_EVENT_MEMORY && up >= 0) {
            s[up].self_bytes[e[i].device.type == TS_ACCEL] += e[i].bytes;
        } else if (up >= 0 && e[i].kind != TS_EVENT_MEMORY) {
            s[up].self_device += time;
        }
    }
    for (size_t i = n; i-- > 0;) { /* what is inside stands after what is around */
        sums *up = e[i].parent >= 0 ? &s[e[i].parent] : NULL;

        if (!ts_event_is_host(e[i].kind))
            continue;
        s[i].device += s[i].self_device;
        for (int d = 0; d < 2; d++)
            s[i].bytes[d] += s[i].self_bytes[d];
        if (!up)
            continue;
        up->device += s[i].device;
        for (int d = 0; d < 2; d++)
            up->bytes[d] += s[i].bytes[d];
    }
    return s;
}

static size_t shape_words(const int64_t *shapes, int n)
{
    size_t words = 0;

    for (int i = 0; shapes && i < n; i++)
        words += 1 + (shapes[words] > 0 ? (size_t)shapes[words] : 0);
    return words;
}

/* "ProfilerStep#3" counts as "ProfilerStep*". */
static const char *key_of(const ts_profile_event *e)
{
    return e->kind == TS_EVENT_RANGE && strncmp(e->name, "ProfilerStep#", 13) == 0
               ? "ProfilerStep*"
               : e->name;
}

static bool same_key(const ts_profile_average *a, const ts_profile_event *e,
                     bool by_shape)
{
    size_t n;

    if (strcmp(a->name, key_of(e)) != 0)
        return false;
    if (!by_shape)
        return true;
    n = shape_words(e->shapes, e->nshapes);
    return a->nshapes == e->nshapes && shape_words(a->shapes, a->nshapes) == n &&
           (n == 0 || memcmp(a->shapes, e->shapes, n * sizeof *e->shapes) == 0);
}

static void add(ts_profile_average *a, const ts_profile_event *e, const sums *s)
{
    a->count++;
    a->cpu_time_total += e->end - e->start;
    a->self_cpu_time_total += s->self_cpu;
    a->device_time_total += s->device;
    a->self_device_time_total += s->self_device;
    a->cpu_memory_usage += s->bytes[0];
    a->self_cpu_memory_usage += s->self_bytes[0];
    a->device_memory_usage += s->bytes[1];
    a->self_device_memory_usage += s->self_bytes[1];
}

ts_status ts_profile_key_averages(const ts_profile *p, bool by_shape,
                                  ts_profile_average **out, size_t *count)
{
    const ts_profile_event *e;
    ts_profile_average *a;
    sums *s;
    size_t n, k;

    TS_TRY(ts_profile_events(p, &e, &n));
    a = calloc(n + 1, sizeof *a);
    s = sums_of(e, n);
    if (!a || !s) {
        free(a);
        free(s);
        return ts_fail(TS_ERR_OUT_OF_MEMORY, "tensors/C10", "no memory for averages");
    }
    *count = 0;
    for (size_t i = 0; i < n; i++) {
        if (!ts_event_is_host(e[i].kind))
            continue;
        for (k = 0; k < *count && !same_key(&a[k], &e[i], by_shape); k++)
            continue;
        if (k == *count)
            a[(*count)++] = (ts_profile_average){.name = key_of(&e[i]),
                                                 .shapes = by_shape ? e[i].shapes : NULL,
                                                 .nshapes = by_shape ? e[i].nshapes : 0};
        add(&a[k], &e[i], &s[i]);
    }
    free(s);
    *out = a;
    return TS_OK;
}

/* --- order and table
 * ---------------------------------------------------------------------------
 */

static const struct column {
    const char *key, *title;
    size_t at;
    bool time;
} columns[] = {
    {"self_cpu_time_total", "Self CPU", offsetof(ts_profile_average, self_cpu_time_total),
     true},
    {"cpu_time_total", "CPU total", offsetof(ts_profile_average, cpu_time_total), true},
    {"self_device_time_total", "Self device",
     offsetof(ts_profile_average, self_device_time_total), true},
    {"device_time_total", "Device total", offsetof(ts_profile_average, device_time_total),
     true},
    {"self_cpu_memory_usage", "Self CPU mem",
     offsetof(ts_profile_average, self_cpu_memory_usage), false},
    {"cpu_memory_usage", "CPU mem", offsetof(ts_profile_average, cpu_memory_usage),
     false},
    {"self_device_memory_usage", "Self dev. mem",
     offsetof(ts_profile_average, self_device_memory_usage), false},
    {"device_memory_usage", "Device mem",
     offsetof(ts_profile_average, device_memory_usage), false},
    {"count", "# of calls", offsetof(ts_profile_average, count), false},
};
enum { COLUMNS = sizeof columns / sizeof *columns };

static int64_t number(const ts_profile_average *a, size_t at)
{
    return *(const int64_t *)(const void *)((const char *)a + at);
}

ts_status ts_profile_sort(ts_profile_average *a, size_t count, const char *sort_by)
{
    size_t c = 0;

    while (c < COLUMNS && strcmp(columns[c].key, sort_by) != 0)
        c++;
    TS_CHECK(c < COLUMNS, TS_ERR_ATTRIBUTE, "profiler/C5", "sort_by: no column '%s'",
             sort_by);
    for (size_t i = 1; i < count; i++) { /* stable; rows are few */
        const ts_profile_average x = a[i];
        size_t k = i;

        for (; k > 0 && number(&a[k - 1], columns[c].at) < number(&x, columns[c].at); k--)
            a[k] = a[k - 1];
        a[k] = x;
    }
    return TS_OK;
}

static void put_shapes(FILE *out, const ts_profile_average *a)
{
    const int64_t *s = a->shapes;

    fputs("  [", out);
    for (int i = 0; s && i < a->nshapes; i++) {
        fputs(i ? ", [" : "[", out);
        for (int64_t d = 0; d < *s; d++)
            fprintf(out, "%s%" PRId64, d ? ", " : "", s[1 + d]);
        fputs("]", out);
        s += 1 + (*s > 0 ? *s : 0);
    }
    fputs("]", out);
}

ts_status ts_profile_table(const ts_profile *p, bool by_shape, const char *sort_by,
                           int row_limit, FILE *out)
{
    ts_profile_average *a;
    size_t n, rows;
    int64_t total = 0;
    ts_status s;

    TS_TRY(ts_profile_key_averages(p, by_shape, &a, &n));
    s = sort_by ? ts_profile_sort(a, n, sort_by) : TS_OK;
    if (s != TS_OK) {
        free(a);
        return s;
    }
    rows = row_limit >= 0 && (size_t)row_limit < n ? (size_t)row_limit : n;
    fprintf(out, "%-48s", "Name");
    for (size_t c = 0; c < COLUMNS; c++)
        fprintf(out, " %14s", columns[c].title);
    fputs(by_shape ? "  Input shapes\n" : "\n", out);
    for (size_t i = 0; i < rows; i++) {
        fprintf(out, "%-48.48s", a[i].name);
        for (size_t c = 0; c < COLUMNS; c++) {
            const int64_t v = number(&a[i], columns[c].at);

            if (columns[c].time)
                fprintf(out, " %12.3fus", (double)v / 1e3);
            else
                fprintf(out, " %14" PRId64, v);
        }
        if (by_shape)
            put_shapes(out, &a[i]);
        fputc('\n', out);
    }
    for (size_t i = 0; i < n; i++)
        total += a[i].self_cpu_time_total;
    fprintf(out, "Self CPU time total: %.3fus\n", (double)total / 1e3);
    free(a);
    return TS_OK;
}

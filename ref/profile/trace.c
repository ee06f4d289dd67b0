/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A trace in Chrome's trace event format: complete events (X) with times in µs, memory as
 * instant events and a counter, names of threads and streams as metadata (M), and an arrow
 * (s, f) from the op that asked for device work to the work.
 */
#include <errno.h>
#include <jansson.h>
#include <unistd.h>

#include "core/core.h"
#include "profile/record.h"

enum { DEVICE = 1 << 30 }; /* its pid: beyond any process of a system */

typedef struct writer {
    FILE *out;
    int64_t origin;
    long pid;
    bool any;
} writer;

static ts_status put(writer *w, json_t *o)
{
    const bool ok = o && fputs(w->any ? ",\n" : "\n", w->out) >= 0 &&
                    json_dumpf(o, w->out, JSON_COMPACT | JSON_REAL_PRECISION(16)) == 0;

    w->any = true;
    json_decref(o);
    TS_CHECK(ok, TS_ERR_RUNTIME, "profiler/C6", "writing a trace: %s", strerror(errno));
    return TS_OK;
}

static double us(const writer *w, int64_t ns)
{
    return (double)(ns - w->origin) / 1e3;
}

static json_t *start(const writer *w, const char *ph, const char *name, const char *cat,
                     long pid, int64_t tid, int64_t at)
{
    return json_pack("{s:s, s:s, s:s, s:I, s:I, s:f}", "ph", ph, "name", name, "cat", cat,
                     "pid", (json_int_t)pid, "tid", (json_int_t)tid, "ts", us(w, at));
}

static ts_status put_name(writer *w, const char *what, long pid, int64_t tid,
                          const char *name)
{
    return put(w,
               json_pack("{s:s, s:s, s:I, s:I, s:{s:s}}", "ph", "M", "name", what, "pid",
                         (json_int_t)pid, "tid", (json_int_t)tid, "args", "name", name));
}

static json_t *shapes_of(const ts_profile_event *e)
{
    json_t *all = json_array();
    const int64_t *s = e->shapes;

    for (int i = 0; i < e->nshapes; i++) {
        json_t *one = json_array();

        for (int64_t d = 0; d < *s; d++)
            json_array_append_new(one, json_integer(s[1 + d]));
        json_array_append_new(all, one);
        s += 1 + (*s > 0 ? *s : 0);
    }
    return all;
}

static ts_status put_host(writer *w, const ts_profile_event *e, size_t i)
{
    static const char *const cats[] = {"cpu_op", "cpu_op", "user_annotation"};
    json_t *o = start(w, "X", e->name, cats[e->kind], w->pid, e->lane, e->start);
    json_t *args = json_pack("{s:I}", "External id", (json_int_t)(i + 1));

    if (e->parent >= 0)
        json_object_set_new(args, "Parent id", json_integer(e->parent + 1));
    if (e->shapes)
        json_object_set_new(args, "Input Dims", shapes_of(e));
    if (e->status != TS_OK)
        json_object_set_new(args, "Error", json_string(ts_status_name(e->status)));
    json_object_set_new(o, "dur", json_real((double)(e->end - e->start) / 1e3));
    json_object_set_new(o, "args", args);
    return put(w, o);
}

/* `total`: bytes that the trace's own events hold on that device. */
static ts_status put_memory(writer *w, const ts_profile_event *e, int64_t total)
{
    const bool accel = e->device.type == TS_ACCEL;
    json_t *o = start(w, "i", "[memory]", "cpu_instant_event", w->pid, e->lane, e->start);

    json_object_set_new(o, "s", json_string("t"));
    json_object_set_new(o, "args",
                        json_pack("{s:I, s:i, s:i, s:I, s:I}", "Bytes",
                                  (json_int_t)e->bytes, "Device Type", accel ? 1 : 0,
                                  "Device Id", accel ? e->device.index : -1, "Addr",
                                  (json_int_t)(intptr_t)e->address, "Total Allocated",
                                  (json_int_t)total));
    return put(w, o);
}

static ts_status put_arrow(writer *w, const char *ph, int64_t id, long pid, int64_t tid,
                           int64_t at)
{
    json_t *o = start(w, ph, "ac2g", "ac2g", pid, tid, at);

    json_object_set_new(o, "id", json_integer(id));
    if (*ph == 'f')
        json_object_set_new(o, "bp", json_string("e"));
    return put(w, o);
}

static ts_status put_device(writer *w, const ts_profile_event *all, size_t i)
{
    static const char *const cats[] = {"kernel", "gpu_memcpy", "gpu_memset"};
    const ts_profile_event *e = &all[i];
    const int64_t id = (int64_t)i + 1;
    json_t *o = start(w, "X", e->name, cats[e->kind - TS_EVENT_KERNEL], DEVICE, e->lane,
                      e->start);
    json_t *args = json_pack("{s:i, s:I, s:I}", "device", 0, "stream",
                             (json_int_t)e->lane, "correlation", (json_int_t)id);

    if (e->parent >= 0)
        json_object_set_new(args, "External id", json_integer(e->parent + 1));
    if (e->kind != TS_EVENT_KERNEL)
        json_object_set_new(args, "bytes", json_integer(e->bytes));
    json_object_set_new(o, "dur", json_real((double)(e->end - e->start) / 1e3));
    json_object_set_new(o, "args", args);
    TS_TRY(put(w, o));
    if (e->parent < 0)
        return TS_OK;
    TS_TRY(put_arrow(w, "s", id, w->pid, all[e->parent].lane, all[e->parent].start));
    return put_arrow(w, "f", id, DEVICE, e->lane, e->start);
}

/* Each lane is named where it is first met. */
static ts_status put_lane(writer *w, const ts_profile_event *e, size_t i)
{
    const bool device = e[i].kind >= TS_EVENT_KERNEL;
    char name[48];

    for (size_t k = 0; k < i; k++)
        if ((e[k].kind >= TS_EVENT_KERNEL) == device && e[k].lane == e[i].lane)
            return TS_OK;
        else if (k > 0 && !device && e[k].kind < TS_EVENT_KERNEL)
            break; /* host events are all of one thread */
    snprintf(name, sizeof name, "%s %" PRId64, device ? "stream" : "thread", e[i].lane);
    return put_name(w, "thread_name", device ? DEVICE : w->pid, e[i].lane, name);
}

static ts_status put_events(writer *w, const ts_profile_event *e, size_t n)
{
    int64_t total[2] = {0, 0};

    TS_TRY(put_name(w, "process_name", w->pid, 0, "touchstone"));
    TS_TRY(put_name(w, "process_name", DEVICE, 0, "accel 0"));
    for (size_t i = 0; i < n; i++) {
        TS_TRY(put_lane(w, e, i));
        if (ts_event_is_host(e[i].kind)) {
            TS_TRY(put_host(w, &e[i], i));
        } else if (e[i].kind == TS_EVENT_MEMORY) {
            const int d = e[i].device.type == TS_ACCEL;

            total[d] += e[i].bytes;
            TS_TRY(put_memory(w, &e[i], total[d]));
        } else {
            TS_TRY(put_device(w, e, i));
        }
    }
    return TS_OK;
}

ts_status ts_profile_export_chrome_trace(const ts_profile *p, FILE *out)
{
    const ts_profile_event *e;
    writer w = {.out = out, .pid = (long)getpid()};
    size_t n;

    TS_TRY(ts_profile_events(p, &e, &n));
    TS_CHECK(!p->on, TS_ERR_RUNTIME, "profiler/C3",
             "export: the profile is still being recorded");
    w.origin = n ? e[0].start : 0;
    for (size_t i = 0; i < n; i++)
        w.origin = e[i].start < w.origin ? e[i].start : w.origin;
    fprintf(out,
            "{\"schemaVersion\":1,\"displayTimeUnit\":\"ns\",\"record_shapes\":%d,"
            "\"profile_memory\":%d,\"baseTimeNanoseconds\":%" PRId64 ",\"traceEvents\":[",
            p->options.shapes, p->options.memory, w.origin);
    TS_TRY(put_events(&w, e, n));
    TS_CHECK(fputs("\n]}\n", out) >= 0 && fflush(out) == 0, TS_ERR_RUNTIME, "profiler/C6",
             "writing a trace: %s", strerror(errno));
    return TS_OK;
}

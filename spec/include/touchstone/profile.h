/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The profiler: what a thread called, what the device did for it, and what memory it took
 * (C-09). Words and state machine are torch.profiler's; see spec/areas/profiler.md.
 */
#ifndef TOUCHSTONE_PROFILE_H
#define TOUCHSTONE_PROFILE_H

#include <stdio.h>

#include "touchstone/op.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ts_profile ts_profile;

/* --- schedule --- */
typedef enum ts_profile_action {
    TS_PROFILE_NONE,
    TS_PROFILE_WARMUP,
    TS_PROFILE_RECORD,
    TS_PROFILE_RECORD_AND_SAVE
} ts_profile_action;

typedef struct ts_profile_schedule {
    int64_t wait, warmup, active; /* steps; active is at least 1 */
    int64_t repeat;               /* cycles; 0: without end */
    int64_t skip_first;
    bool skip_first_wait; /* the first cycle has no wait */
} ts_profile_schedule;

TS_API ts_status ts_profile_schedule_check(const ts_profile_schedule *s);
TS_API ts_status ts_profile_schedule_at(const ts_profile_schedule *s, int64_t step,
                                        ts_profile_action *out);
/* "RECORD_AND_SAVE" */
TS_API const char *ts_profile_action_name(ts_profile_action a);

/* --- sessions --- */
typedef struct ts_profile_options {
    bool host, device; /* activities; at least one */
    bool shapes, memory;
    const ts_profile_schedule *schedule; /* copied; NULL: all is recorded */
    /* A trace is complete: at the end of a cycle, and at the stop of one under way. */
    ts_status (*ready)(void *self, ts_profile *p);
    void *self;
} ts_profile_options;

TS_API ts_status ts_profile_new(const ts_profile_options *o, ts_profile **out);
/* Recording begins and ends on the thread that calls; one session at a time is on. stop
 * waits for the device. */
TS_API ts_status ts_profile_start(ts_profile *p);
TS_API ts_status ts_profile_step(ts_profile *p);
TS_API ts_status ts_profile_stop(ts_profile *p);
TS_API void ts_profile_free(ts_profile *p); /* NULL passes */
TS_API int64_t ts_profile_step_number(const ts_profile *p);
TS_API ts_profile_action ts_profile_current_action(const ts_profile *p);

/* record_function: a named range of this thread, recorded where a session is on. */
TS_API void ts_range_push(const char *name);
TS_API void ts_range_pop(void);

/* --- events --- */
typedef enum ts_event_kind {
    TS_EVENT_OP,
    TS_EVENT_NODE,  /* of autograd: "MulBackward0", and the engine's work around it */
    TS_EVENT_RANGE, /* record_function, "ProfilerStep#3" */
    TS_EVENT_MEMORY,
    TS_EVENT_KERNEL, /* this and the following: work of the device */
    TS_EVENT_COPY,
    TS_EVENT_FILL
} ts_event_kind;

typedef struct ts_profile_event {
    ts_event_kind kind;
    const char *name;   /* "aten::add_" */
    const ts_op *op;    /* of OP */
    int64_t start, end; /* in ns of one clock; of MEMORY equal */
    int64_t lane;       /* the thread; of device work the stream */
    /* The event in which it happened, of device work the one that asked for it; -1:
     * none. Always before it in the list. */
    int64_t parent;
    ts_status status; /* how the call ended */
    ts_device device; /* of MEMORY */
    const void *address;
    int64_t bytes; /* MEMORY: taken, negative when given back; COPY, FILL: moved */
    /* For each parameter, then each out: the number of dims, -1 for what is no tensor,
     * and the sizes. NULL unless shapes are recorded. */
    const int64_t *shapes;
    int nshapes;
} ts_profile_event;

static inline bool ts_event_is_host(ts_event_kind k)
{
    return k <= TS_EVENT_RANGE;
}

/* Of the last trace; an error (profiler/C1) while there is none. Host events stand in the
 * order of their starts. */
TS_API ts_status ts_profile_events(const ts_profile *p, const ts_profile_event **out,
                                   size_t *count);

/* --- sums --- */
typedef struct ts_profile_average {
    const char *name;
    const int64_t *shapes; /* where grouped by them */
    int nshapes;
    int64_t count;
    int64_t cpu_time_total, self_cpu_time_total; /* ns */
    int64_t device_time_total, self_device_time_total;
    int64_t cpu_memory_usage, self_cpu_memory_usage; /* bytes taken less given back */
    int64_t device_memory_usage, self_device_memory_usage;
} ts_profile_average;

/* Events of one name (and input shapes) together, by first start; free() the result. */
TS_API ts_status ts_profile_key_averages(const ts_profile *p, bool by_shape,
                                         ts_profile_average **out, size_t *count);
/* By one of PyTorch's column names, largest first; "count" and the names above. */
TS_API ts_status ts_profile_sort(ts_profile_average *a, size_t count,
                                 const char *sort_by);
/* The table; sort_by NULL: by first start; row_limit < 0: all rows. */
TS_API ts_status ts_profile_table(const ts_profile *p, bool by_shape, const char *sort_by,
                                  int row_limit, FILE *out);

/* Chrome's trace event format, which Perfetto reads. */
TS_API ts_status ts_profile_export_chrome_trace(const ts_profile *p, FILE *out);

#ifdef __cplusplus
}
#endif
#endif

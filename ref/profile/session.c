/* SPDX-License-Identifier: Apache-2.0 */
/* Sessions and their schedule: torch.profiler's states and what happens between two. */
#include <stdlib.h>

#include "core/core.h"
#include "profile/record.h"

ts_status ts_profile_schedule_check(const ts_profile_schedule *s)
{
    TS_CHECK(s->wait >= 0 && s->warmup >= 0 && s->active > 0 && s->repeat >= 0 &&
                 s->skip_first >= 0,
             TS_ERR_ASSERTION, "profiler/C2",
             "schedule: wait=%" PRId64 ", warmup=%" PRId64 ", active=%" PRId64
             ", repeat=%" PRId64 ", skip_first=%" PRId64
             ": active is at least 1, the others at least 0",
             s->wait, s->warmup, s->active, s->repeat, s->skip_first);
    return TS_OK;
}

ts_status ts_profile_schedule_at(const ts_profile_schedule *s, int64_t step,
                                 ts_profile_action *out)
{
    const int64_t cycle = s->wait + s->warmup + s->active;

    TS_CHECK(step >= 0, TS_ERR_ASSERTION, "profiler/C2",
             "schedule: step %" PRId64 " is negative", step);
    *out = TS_PROFILE_NONE;
    if (step < s->skip_first)
        return TS_OK;
    step -= s->skip_first;
    step += s->skip_first_wait ? s->wait : 0;
    if (s->repeat > 0 && step / cycle >= s->repeat)
        return TS_OK;
    step %= cycle;
    *out = step < s->wait               ? TS_PROFILE_NONE
           : step < s->wait + s->warmup ? TS_PROFILE_WARMUP
           : step < cycle - 1           ? TS_PROFILE_RECORD
                                        : TS_PROFILE_RECORD_AND_SAVE;
    return TS_OK;
}

const char *ts_profile_action_name(ts_profile_action a)
{
    static const char *const names[] = {"NONE", "WARMUP", "RECORD", "RECORD_AND_SAVE"};

    return names[a];
}

ts_status ts_profile_new(const ts_profile_options *o, ts_profile **out)
{
    ts_profile *p;

    TS_CHECK(o->host || o->device, TS_ERR_ASSERTION, "profiler/C4",
             "profile: no activity to record");
    if (o->schedule)
        TS_TRY(ts_profile_schedule_check(o->schedule));
    p = calloc(1, sizeof *p);
    TS_CHECK(p, TS_ERR_OUT_OF_MEMORY, "tensors/C10", "no memory for a profile");
    p->options = *o;
    p->open = p->step_range = -1;
    p->action = TS_PROFILE_RECORD;
    if (o->schedule) {
        p->schedule = *o->schedule;
        p->options.schedule = &p->schedule;
        (void)ts_profile_schedule_at(&p->schedule, 0, &p->action);
    }
    *out = p;
    return TS_OK;
}

void ts_profile_free(ts_profile *p)
{
    if (!p)
        return;
    tsi_record_free(p);
    free(p);
}

int64_t ts_profile_step_number(const ts_profile *p)
{
    return p->step;
}

ts_profile_action ts_profile_current_action(const ts_profile *p)
{
    return p->action;
}

static bool records(ts_profile_action a)
{
    return a == TS_PROFILE_RECORD || a == TS_PROFILE_RECORD_AND_SAVE;
}

static ts_status finish(ts_profile *p)
{
    const ts_status s = tsi_record_stop(p);

    if (s == TS_OK && p->options.ready)
        return p->options.ready(p->options.self, p);
    return s;
}

/* From one step's action to the next one's. A trace ends with RECORD_AND_SAVE. */
static ts_status pass(ts_profile *p, ts_profile_action before, ts_profile_action now)
{
    if (p->on && (before == TS_PROFILE_RECORD_AND_SAVE || !records(now)))
        TS_TRY(finish(p));
    if (!p->on && records(now))
        return tsi_record_start(p);
    return TS_OK;
}

static void mark_step(ts_profile *p)
{
    char number[32];

    if (!p->on || !p->options.schedule || !p->options.host)
        return;
    snprintf(number, sizeof number, "%" PRId64, p->step);
    p->step_range = tsi_profile_begin(p, TS_EVENT_RANGE, "ProfilerStep#", number);
}

static void end_step(ts_profile *p)
{
    if (p->step_range >= 0)
        tsi_profile_end(p, p->step_range, TS_OK);
    p->step_range = -1;
}

ts_status ts_profile_start(ts_profile *p)
{
    TS_CHECK(!p->started, TS_ERR_RUNTIME, "profiler/C3",
             "the profile is started already");
    TS_TRY(pass(p, TS_PROFILE_NONE, p->action));
    p->started = true;
    mark_step(p);
    return TS_OK;
}

ts_status ts_profile_step(ts_profile *p)
{
    const ts_profile_action before = p->action;

    TS_CHECK(p->started, TS_ERR_RUNTIME, "profiler/C3",
             "step: the profile is not started");
    end_step(p);
    p->step++;
    if (p->options.schedule)
        TS_TRY(ts_profile_schedule_at(&p->schedule, p->step, &p->action));
    TS_TRY(pass(p, before, p->action));
    mark_step(p);
    return TS_OK;
}

ts_status ts_profile_stop(ts_profile *p)
{
    TS_CHECK(p->started, TS_ERR_RUNTIME, "profiler/C3",
             "stop: the profile is not started");
    end_step(p);
    p->started = false;
    return p->on ? finish(p) : TS_OK;
}

ts_status ts_profile_events(const ts_profile *p, const ts_profile_event **out,
                            size_t *count)
{
    TS_CHECK(p->recorded, TS_ERR_ASSERTION, "profiler/C1",
             "the profile has recorded nothing yet");
    *out = p->events;
    *count = p->count;
    return TS_OK;
}

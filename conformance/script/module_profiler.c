/* SPDX-License-Identifier: Apache-2.0 */
/* profiler.*: torch.profiler, and what a case may ask of a profile (spec/areas/profiler.md). */
#include <stdlib.h>
#include <string.h>

#include "module.h"
#include "touchstone/profile.h"

enum { ACTIVITY_CPU, ACTIVITY_ACCEL };

#include "words_profiler.h"

/* --- schedules */

static const tsi_module_class schedule_class = {.name = "schedule", .destroy = free};

static ts_status profiler_schedule(tsi_interp *in, const tsi_value *self,
                                   const tsi_value *const *v, tsi_value *out)
{
    ts_profile_schedule *s;
    ts_status st;

    (void)self;
    s = calloc(1, sizeof *s);
    if (!s)
        return tsi_no_memory();
    *s = (ts_profile_schedule){tsi_integer(v[0]),
                               tsi_integer(v[1]),
                               tsi_integer(v[2]),
                               v[3] ? tsi_integer(v[3]) : 0,
                               v[4] ? tsi_integer(v[4]) : 0,
                               v[5] && tsi_integer(v[5]) != 0};
    st = ts_profile_schedule_check(s);
    if (st != TS_OK) {
        free(s);
        return st;
    }
    if (s->warmup == 0)
        ts_warn("profiler/S8", "a schedule without warm-up can skew what is measured");
    return tsi_module_object(in, &schedule_class, s, out);
}

static ts_status profiler_action(tsi_interp *in, const tsi_value *self,
                                 const tsi_value *const *v, tsi_value *out)
{
    const ts_profile_schedule *s;
    ts_profile_action a;

    (void)in;
    (void)self;
    s = tsi_module_self(v[0], &schedule_class);
    TS_CHECK(s, TS_ERR_TYPE, "errors/C2", "action: no schedule");
    TS_TRY(ts_profile_schedule_at(s, v[1]->i, &a));
    *out = (tsi_value){.kind = V_STR, .s = ts_profile_action_name(a)};
    return TS_OK;
}

/* --- profiles */

typedef struct session {
    ts_profile *profile;
    tsi_interp *in;
    tsi_value me;    /* of this very object: not counted */
    tsi_value ready; /* on_trace_ready */
} session;

static void session_destroy(void *self)
{
    session *s = self;

    ts_profile_free(s->profile);
    tsi_release(s->ready);
    free(s);
}

static ts_status profile_start(tsi_interp *in, void *self, const tsi_value *const *v,
                               tsi_value *out)
{
    (void)v;
    (void)in;
    (void)out;
    return ts_profile_start(((session *)self)->profile);
}

static ts_status profile_stop(tsi_interp *in, void *self, const tsi_value *const *v,
                              tsi_value *out)
{
    (void)v;
    (void)in;
    (void)out;
    return ts_profile_stop(((session *)self)->profile);
}

static ts_status profile_step(tsi_interp *in, void *self, const tsi_value *const *v,
                              tsi_value *out)
{
    (void)v;
    (void)in;
    (void)out;
    return ts_profile_step(((session *)self)->profile);
}

static ts_status profile_step_num(tsi_interp *in, void *self, tsi_value *out)
{
    (void)in;
    *out = tsi_int(ts_profile_step_number(((session *)self)->profile));
    return TS_OK;
}

static ts_status session_enter(tsi_interp *in, void *self, tsi_value *out)
{
    session *s = self;

    (void)in;
    TS_TRY(ts_profile_start(s->profile));
    *out = tsi_retain(s->me);
    return TS_OK;
}

static ts_status session_leave(tsi_interp *in, void *self, ts_status body)
{
    session *s = self;
    char label[64], message[512];
    const char *text;
    ts_status st;

    (void)in;
    if (body == TS_OK)
        return ts_profile_stop(s->profile);
    /* what ended the body is what is told */
    snprintf(label, sizeof label, "%s", ts_error_label());
    text = strstr(ts_error_message(), "] ");
    snprintf(message, sizeof message, "%s", text ? text + 2 : ts_error_message());
    st = ts_profile_stop(s->profile);
    return st == TS_OK ? ts_fail(body, label[0] ? label : NULL, "%s", message) : body;
}

static const tsi_module_class session_class = {.name = "profile",
                                               .destroy = session_destroy,
                                               .methods = profile_methods,
                                               .attributes = profile_attributes,
                                               .enter = session_enter,
                                               .leave = session_leave};

static ts_status call_ready(void *self, ts_profile *p)
{
    session *s = self;
    tsi_args args = {.n = 1};
    tsi_value result;
    ts_status st;

    (void)p;
    args.v[0] = tsi_retain(s->me);
    st = tsi_call_value(s->in, &s->ready, &args, &result);
    tsi_release_args(&args);
    if (st == TS_OK)
        tsi_release(result);
    return st;
}

static ts_status activities(const tsi_value *v, ts_profile_options *o)
{
    if (!v || v->kind == V_NONE) {
        o->host = o->device = true;
        return TS_OK;
    }
    for (int i = 0; i < v->o->n; i++) {
        const tsi_value *a = &v->o->v[i];

        TS_CHECK(a->kind == V_INT && (a->i == ACTIVITY_CPU || a->i == ACTIVITY_ACCEL),
                 TS_ERR_TYPE, "errors/C2", "profile: '%s' is no activity",
                 tsi_kind_name(a));
        o->host |= a->i == ACTIVITY_CPU;
        o->device |= a->i == ACTIVITY_ACCEL;
    }
    return TS_OK;
}

static ts_status profiler_profile(tsi_interp *in, const tsi_value *self,
                                  const tsi_value *const *v, tsi_value *out)
{
    ts_profile_options o = {0};
    session *s;
    ts_status st;

    (void)self;
    TS_TRY(activities(v[0], &o));
    if (v[1] && v[1]->kind != V_NONE) {
        o.schedule = tsi_module_self(v[1], &schedule_class);
        TS_CHECK(o.schedule, TS_ERR_TYPE, "errors/C2", "profile: schedule is none");
    }
    o.shapes = v[3] && v[3]->b;
    o.memory = v[4] && v[4]->b;
    s = calloc(1, sizeof *s);
    if (!s)
        return tsi_no_memory();
    s->in = in;
    s->ready = tsi_none();
    if (v[2] && v[2]->kind == V_DEF) {
        s->ready = tsi_retain(*v[2]);
        o.ready = call_ready;
    }
    o.self = s;
    st = ts_profile_new(&o, &s->profile);
    if (st != TS_OK) {
        session_destroy(s);
        return st;
    }
    TS_TRY(tsi_module_object(in, &session_class, s, out));
    s->me = *out;
    return TS_OK;
}

/* --- ranges */

static ts_status range_enter(tsi_interp *in, void *self, tsi_value *out)
{
    (void)in;
    (void)out;
    ts_range_push(self);
    return TS_OK;
}

static ts_status range_leave(tsi_interp *in, void *self, ts_status body)
{
    (void)in;
    (void)self;
    ts_range_pop();
    return body;
}

static const tsi_module_class range_class = {.name = "record_function",
                                             .destroy = free,
                                             .enter = range_enter,
                                             .leave = range_leave};

static ts_status profiler_record_function(tsi_interp *in, const tsi_value *self,
                                          const tsi_value *const *v, tsi_value *out)
{
    char *name;

    (void)self;
    name = strdup(v[0]->s);
    if (!name)
        return tsi_no_memory();
    return tsi_module_object(in, &range_class, name, out);
}

/* --- what a case asks
 * ----------------------------------------------------------------------------
 */

/* What of an event's inside every implementation has. */
typedef enum inside { ALL, KERNELS, NODES, NOTHING } inside;

typedef struct view {
    const ts_profile_event *e;
    size_t n;
    int *depth; /* by event; -1: not shown */
} view;

/* Whether e is shown where `in` is, and what is shown inside it. */
static bool shown(const ts_profile_event *e, inside in, inside *within)
{
    const bool op = e->kind == TS_EVENT_OP;
    const bool kernel = op && (e->op->kind == TS_PRIMITIVE || e->op->kind == TS_OPTIONAL);

    *within = in == NODES ? NOTHING : in;
    if (e->kind == TS_EVENT_NODE)
        *within = NODES;
    else if (op && in == ALL)
        *within = e->op->kind == TS_COMPOSITE ? KERNELS : NOTHING;
    else if (kernel)
        *within = NOTHING;
    return in == ALL || (in == KERNELS && kernel) ||
           (in == NODES && e->kind == TS_EVENT_NODE);
}

static ts_status look(const tsi_value *p, view *w)
{
    const session *s = tsi_module_self(p, &session_class);
    struct {
        inside within;
        int level; /* of events shown, down to this one */
    } * at;

    TS_CHECK(s, TS_ERR_TYPE, "errors/C2", "'%s' is no profile", tsi_kind_name(p));
    TS_TRY(ts_profile_events(s->profile, &w->e, &w->n));
    w->depth = malloc((w->n + 1) * sizeof *w->depth);
    at = malloc((w->n + 1) * sizeof *at);
    if (!w->depth || !at) {
        free(w->depth);
        free(at);
        return tsi_no_memory();
    }
    for (size_t i = 0; i < w->n; i++) {
        const ts_profile_event *e = &w->e[i];
        const int level = e->parent >= 0 ? at[e->parent].level : 0;

        at[i].level = level;
        at[i].within = NOTHING;
        w->depth[i] = -1;
        if (ts_event_is_host(e->kind) &&
            shown(e, e->parent >= 0 ? at[e->parent].within : ALL, &at[i].within)) {
            w->depth[i] = level;
            at[i].level = level + 1;
        }
    }
    free(at);
    return TS_OK;
}

static const char *name_of(const ts_profile_event *e)
{
    return strncmp(e->name, "ProfilerStep#", 13) == 0 ? "ProfilerStep*" : e->name;
}

/* A name for as long as the run lasts: the profile may record anew. */
static ts_status text(tsi_interp *in, const char *name, tsi_value *out)
{
    const size_t n = strlen(name) + 1;
    char *copy = tsi_pool_alloc(in->pool, n);

    if (!copy)
        return tsi_no_memory();
    memcpy(copy, name, n);
    *out = (tsi_value){.kind = V_STR, .s = copy};
    return TS_OK;
}

static ts_status pair(tsi_interp *in, const char *name, const tsi_value *middle,
                      int64_t last, tsi_value *list)
{
    tsi_value t, s;

    TS_TRY(tsi_object_new(in, V_TUPLE, 3, &t));
    TS_TRY(tsi_append(in, list->o, t));
    TS_TRY(text(in, name, &s));
    TS_TRY(tsi_append(in, t.o, s));
    if (middle)
        TS_TRY(tsi_append(in, t.o, tsi_retain(*middle)));
    return tsi_append(in, t.o, tsi_int(last));
}

static ts_status profiler_tree(tsi_interp *in, const tsi_value *self,
                               const tsi_value *const *v, tsi_value *out)
{
    view w;
    ts_status s;

    (void)self;
    TS_TRY(look(v[0], &w));
    s = tsi_object_new(in, V_LIST, 8, out);
    for (size_t i = 0; s == TS_OK && i < w.n; i++)
        if (w.depth[i] >= 0)
            s = pair(in, name_of(&w.e[i]), NULL, w.depth[i], out);
    free(w.depth);
    return s;
}

static bool is_named(const view *w, size_t i, const tsi_value *name)
{
    return w->depth[i] >= 0 && strcmp(name_of(&w->e[i]), name->s) == 0;
}

static ts_status profiler_count(tsi_interp *in, const tsi_value *self,
                                const tsi_value *const *v, tsi_value *out)
{
    int64_t found = 0;
    view w;

    (void)in;
    (void)self;
    TS_TRY(look(v[0], &w));
    for (size_t i = 0; i < w.n; i++)
        found += is_named(&w, i, v[1]);
    free(w.depth);
    *out = tsi_int(found);
    return TS_OK;
}

/* Of tensors that have dims, a tuple each. */
static ts_status shapes_of(tsi_interp *in, const int64_t *s, int n, tsi_value *out)
{
    TS_TRY(tsi_object_new(in, V_LIST, n + 1, out));
    for (int i = 0; s && i < n; i++) {
        tsi_value t;

        if (*s > 0) {
            TS_TRY(tsi_int_tuple(in, (int)*s, s + 1, &t));
            TS_TRY(tsi_append(in, out->o, t));
        }
        s += 1 + (*s > 0 ? *s : 0);
    }
    return TS_OK;
}

static ts_status profiler_shapes(tsi_interp *in, const tsi_value *self,
                                 const tsi_value *const *v, tsi_value *out)
{
    tsi_value one;
    view w;
    ts_status s;

    (void)self;
    TS_TRY(look(v[0], &w));
    s = tsi_object_new(in, V_LIST, 8, out);
    for (size_t i = 0; s == TS_OK && i < w.n; i++)
        if (is_named(&w, i, v[1])) {
            s = shapes_of(in, w.e[i].shapes, w.e[i].nshapes, &one);
            if (s == TS_OK)
                s = tsi_append(in, out->o, one);
        }
    free(w.depth);
    return s;
}

static ts_status profiler_memory(tsi_interp *in, const tsi_value *self,
                                 const tsi_value *const *v, tsi_value *out)
{
    int64_t bytes = 0;
    view w;

    (void)in;
    (void)self;
    TS_TRY(look(v[0], &w));
    for (size_t i = 0; i < w.n; i++) {
        if (w.e[i].kind != TS_EVENT_MEMORY)
            continue;
        for (int64_t up = w.e[i].parent; up >= 0; up = w.e[up].parent)
            bytes += is_named(&w, (size_t)up, v[1]) ? w.e[i].bytes : 0;
    }
    free(w.depth);
    *out = tsi_int(bytes);
    return TS_OK;
}

/* One row of averages(): what is shown under one name, and one list of shapes. */
typedef struct row {
    const char *name;
    tsi_value shapes; /* none where all are taken together */
    int64_t count;
} row;

static ts_status rows_of(tsi_interp *in, const view *w, bool grouped, row *rows,
                         size_t *n)
{
    *n = 0;
    for (size_t i = 0; i < w->n; i++) {
        const char *name = name_of(&w->e[i]);
        tsi_value one = tsi_none();
        size_t k = 0;

        if (w->depth[i] < 0)
            continue;
        if (grouped)
            TS_TRY(shapes_of(in, w->e[i].shapes, w->e[i].nshapes, &one));
        while (k < *n &&
               (strcmp(rows[k].name, name) < 0 ||
                (strcmp(rows[k].name, name) == 0 && !tsi_equal(&rows[k].shapes, &one))))
            k++;
        if (k < *n && strcmp(rows[k].name, name) == 0) {
            rows[k].count++;
            tsi_release(one);
            continue;
        }
        memmove(&rows[k + 1], &rows[k], (*n - k) * sizeof *rows);
        rows[k] = (row){name, one, 1};
        ++*n;
    }
    return TS_OK;
}

static ts_status profiler_averages(tsi_interp *in, const tsi_value *self,
                                   const tsi_value *const *v, tsi_value *out)
{
    bool grouped;
    size_t n = 0;
    row *rows;
    view w;
    ts_status s;

    (void)self;
    TS_TRY(look(v[0], &w));
    grouped = v[1] && v[1]->b;
    rows = calloc(w.n + 1, sizeof *rows);
    s = rows ? rows_of(in, &w, grouped, rows, &n) : tsi_no_memory();
    if (s == TS_OK)
        s = tsi_object_new(in, V_LIST, 8, out);
    for (size_t k = 0; k < n; k++) {
        if (s == TS_OK)
            s = pair(in, rows[k].name, grouped ? &rows[k].shapes : NULL, rows[k].count,
                     out);
        tsi_release(rows[k].shapes);
    }
    free(rows);
    free(w.depth);
    return s;
}

static ts_status profiler_sound(tsi_interp *in, const tsi_value *self,
                                const tsi_value *const *v, tsi_value *out)
{
    ts_profile_average *a;
    int64_t whole = 0, own = 0;
    bool good = true;
    size_t n;
    view w;
    ts_status s;

    (void)in;
    (void)self;
    TS_TRY(look(v[0], &w));
    for (size_t i = 0; i < w.n; i++) {
        const ts_profile_event *e = &w.e[i],
                               *up = e->parent >= 0 ? &w.e[e->parent] : NULL;

        good &= e->start <= e->end && e->parent < (int64_t)i;
        if (!ts_event_is_host(e->kind))
            continue;
        good &= !up || (up->start <= e->start && e->end <= up->end);
        whole += up ? 0 : e->end - e->start;
    }
    free(w.depth);
    s = ts_profile_key_averages(((session *)v[0]->o->self)->profile, false, &a, &n);
    TS_TRY(s);
    for (size_t k = 0; k < n; k++) {
        own += a[k].self_cpu_time_total;
        good &= a[k].self_cpu_time_total >= 0 &&
                a[k].self_cpu_time_total <= a[k].cpu_time_total;
    }
    free(a);
    *out = tsi_bool(good && own == whole);
    return TS_OK;
}

const tsi_module tsi_module_profiler = {.words = words, .constants = constants};

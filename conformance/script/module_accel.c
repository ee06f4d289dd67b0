/* SPDX-License-Identifier: Apache-2.0 */
/* accel.*: streams, events and checked modes of the accelerator (spec/areas/exec.md). */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "module.h"
#include "touchstone/alloc.h"
#include "touchstone/device.h"

static const tsi_module_class stream_class, event_class;

#include "words_accel.h"

ts_stream *tsi_module_stream(const tsi_value *v)
{
    return tsi_module_self(v, &stream_class);
}

static ts_status stream_value(tsi_interp *in, ts_stream *s, tsi_value *out)
{
    return tsi_module_object(in, &stream_class, ts_stream_retain(s), out);
}

ts_status tsi_module_device(const char *name, const tsi_value *v, int *out)
{
    ts_device d = {TS_ACCEL, -1};

    if (v != NULL && v->kind == V_INT)
        d.index = v->i >= 0 && v->i <= INT_MAX ? (int)v->i : INT_MAX;
    else if (v != NULL && (v->kind == V_STR || v->kind == V_DEVICE))
        TS_TRY(tsi_device_of(v, &d));
    else
        TS_CHECK(v == NULL || v->kind == V_NONE, TS_ERR_TYPE, "errors/C2",
                 "%s(): argument 'device' is a device or an index, not %s", name,
                 tsi_kind_name(v));
    TS_CHECK(d.type == TS_ACCEL, TS_ERR_VALUE, "exec/C8",
             "%s(): the device is no accelerator", name);
    *out = d.index < 0 ? ts_accel_device() : d.index;
    TS_CHECK(*out < ts_accel_device_count(), TS_ERR_RUNTIME, "tensors/C9",
             "%s(): there is no device accel:%d, there are %d", name, *out,
             ts_accel_device_count());
    return TS_OK;
}

static ts_status stream_of(const char *name, const tsi_value *v, ts_stream **out)
{
    *out = NULL;
    if (v == NULL || v->kind == V_NONE)
        return TS_OK;
    *out = tsi_module_self(v, &stream_class);
    TS_CHECK(*out != NULL, TS_ERR_TYPE, "errors/C2", "%s() takes a Stream", name);
    return TS_OK;
}

static ts_status event_of(const char *name, const tsi_value *v, ts_event **out)
{
    *out = tsi_module_self(v, &event_class);
    TS_CHECK(*out != NULL, TS_ERR_TYPE, "errors/C2", "%s() takes an Event", name);
    return TS_OK;
}

/* --- Stream --- */

static void stream_destroy(void *self)
{
    ts_stream_release(self);
}

static ts_status Stream_wait_stream(tsi_interp *in, void *self, const tsi_value *const *v,
                                    tsi_value *out)
{
    ts_stream *other;

    (void)in;
    (void)out;
    TS_TRY(stream_of("wait_stream", v[0], &other));
    return ts_stream_wait_stream(self, other);
}

static ts_status Stream_wait_event(tsi_interp *in, void *self, const tsi_value *const *v,
                                   tsi_value *out)
{
    ts_event *e;

    (void)in;
    (void)out;
    TS_TRY(event_of("wait_event", v[0], &e));
    return ts_event_wait(e, self);
}

static ts_status Stream_record_event(tsi_interp *in, void *self,
                                     const tsi_value *const *v, tsi_value *out)
{
    ts_event *e;

    if (v[0] != NULL && v[0]->kind != V_NONE) {
        TS_TRY(event_of("record_event", v[0], &e));
        TS_TRY(ts_event_record(e, self));
        *out = tsi_retain(*v[0]);
        return TS_OK;
    }
    TS_TRY(ts_event_new(false, &e));
    TS_TRY(tsi_module_object(in, &event_class, e, out));
    return ts_event_record(e, self);
}

static ts_status Stream_query(tsi_interp *in, void *self, const tsi_value *const *v,
                              tsi_value *out)
{
    bool done;

    (void)v;
    (void)in;
    TS_TRY(ts_stream_query(self, &done));
    *out = tsi_bool(done);
    return TS_OK;
}

static ts_status Stream_synchronize(tsi_interp *in, void *self, const tsi_value *const *v,
                                    tsi_value *out)
{
    (void)v;
    (void)in;
    (void)out;
    return ts_stream_synchronize(self);
}

static ts_status Stream_device(tsi_interp *in, void *self, tsi_value *out)
{
    const ts_device d = {TS_ACCEL, ts_stream_device(self)};

    (void)in;
    *out = (tsi_value){.kind = V_DEVICE, .device = d};
    return TS_OK;
}

static const tsi_module_class stream_class = {.name = "Stream",
                                              .destroy = stream_destroy,
                                              .methods = Stream_methods,
                                              .attributes = Stream_attributes};

/* --- Event --- */

static void event_destroy(void *self)
{
    ts_event_release(self);
}

static ts_status Event_record(tsi_interp *in, void *self, const tsi_value *const *v,
                              tsi_value *out)
{
    ts_stream *s;

    (void)in;
    (void)out;
    TS_TRY(stream_of("record", v[0], &s));
    return ts_event_record(self, s);
}

static ts_status Event_wait(tsi_interp *in, void *self, const tsi_value *const *v,
                            tsi_value *out)
{
    ts_stream *s;

    (void)in;
    (void)out;
    TS_TRY(stream_of("wait", v[0], &s));
    return ts_event_wait(self, s);
}

static ts_status Event_query(tsi_interp *in, void *self, const tsi_value *const *v,
                             tsi_value *out)
{
    bool done;

    (void)v;
    (void)in;
    TS_TRY(ts_event_query(self, &done));
    *out = tsi_bool(done);
    return TS_OK;
}

static ts_status Event_synchronize(tsi_interp *in, void *self, const tsi_value *const *v,
                                   tsi_value *out)
{
    (void)v;
    (void)in;
    (void)out;
    return ts_event_synchronize(self);
}

static ts_status Event_elapsed_time(tsi_interp *in, void *self, const tsi_value *const *v,
                                    tsi_value *out)
{
    ts_event *end;
    double ms;

    (void)in;
    TS_TRY(event_of("elapsed_time", v[0], &end));
    TS_TRY(ts_event_elapsed(self, end, &ms));
    *out = (tsi_value){.kind = V_FLOAT, .f = ms};
    return TS_OK;
}

static const tsi_module_class event_class = {
    .name = "Event", .destroy = event_destroy, .methods = Event_methods};

/* --- `with accel.stream(s):` --- */

typedef struct stream_context {
    ts_stream *stream; /* NULL for None: nothing changes */
    ts_stream *before; /* of the stream's device */
    int device;        /* the current one before */
} stream_context;

static void context_destroy(void *self)
{
    stream_context *c = self;

    ts_stream_release(c->stream);
    ts_stream_release(c->before);
    free(c);
}

static ts_status context_enter(tsi_interp *in, void *self, tsi_value *out)
{
    stream_context *c = self;

    (void)in;
    (void)out;
    if (c->stream == NULL)
        return TS_OK;
    ts_stream_release(c->before);
    c->device = ts_accel_device();
    c->before = ts_stream_retain(ts_stream_current_of(ts_stream_device(c->stream)));
    ts_stream_set_current(c->stream);
    return TS_OK;
}

static ts_status context_leave(tsi_interp *in, void *self, ts_status body)
{
    stream_context *c = self;

    (void)in;
    if (c->stream != NULL) {
        ts_stream_set_current(c->before);
        (void)ts_accel_set_device(c->device);
    }
    return body;
}

static const tsi_module_class context_class = {.name = "StreamContext",
                                               .destroy = context_destroy,
                                               .enter = context_enter,
                                               .leave = context_leave};

static ts_status accel_stream(tsi_interp *in, const tsi_value *self,
                              const tsi_value *const *v, tsi_value *out)
{
    stream_context *c;
    ts_stream *s;

    (void)self;
    TS_TRY(stream_of("stream", v[0], &s));
    c = calloc(1, sizeof *c);
    if (c == NULL)
        return tsi_no_memory();
    c->stream = ts_stream_retain(s);
    return tsi_module_object(in, &context_class, c, out);
}

/* --- `with accel.device_index(1):` --- */

typedef struct device_context {
    int device, before;
} device_context;

static ts_status device_enter(tsi_interp *in, void *self, tsi_value *out)
{
    device_context *c = self;

    (void)in;
    (void)out;
    c->before = ts_accel_device();
    return ts_accel_set_device(c->device);
}

static ts_status device_leave(tsi_interp *in, void *self, ts_status body)
{
    (void)in;
    (void)ts_accel_set_device(((device_context *)self)->before);
    return body;
}

static const tsi_module_class device_class = {.name = "device_index",
                                              .destroy = free,
                                              .enter = device_enter,
                                              .leave = device_leave};

static ts_status accel_device_index(tsi_interp *in, const tsi_value *self,
                                    const tsi_value *const *v, tsi_value *out)
{
    device_context *c;
    int device;

    (void)self;
    TS_TRY(tsi_module_device("device_index", v[0], &device));
    c = calloc(1, sizeof *c);
    if (c == NULL)
        return tsi_no_memory();
    c->device = device;
    return tsi_module_object(in, &device_class, c, out);
}

/* --- `with accel.race_check():` --- */

static ts_status check_enter(tsi_interp *in, void *self, tsi_value *out)
{
    (void)in;
    (void)self;
    (void)out;
    return ts_race_check_begin();
}

static ts_status check_leave(tsi_interp *in, void *self, ts_status body)
{
    ts_status s;

    (void)in;
    (void)self;
    if (body == TS_OK)
        return ts_race_check_end();
    /* The body's own error stands. */
    char label[64], message[512];

    snprintf(label, sizeof label, "%s", ts_error_label());
    snprintf(message, sizeof message, "%s", ts_error_message());
    s = ts_race_check_end();
    if (s == TS_OK)
        return body;
    const char *text = message[0] == '[' ? strstr(message, "] ") : NULL;

    return ts_fail(body, label[0] ? label : NULL, "%s", text ? text + 2 : message);
}

static const tsi_module_class check_class = {
    .name = "RaceCheck", .enter = check_enter, .leave = check_leave};

static ts_status accel_race_check(tsi_interp *in, const tsi_value *self,
                                  const tsi_value *const *v, tsi_value *out)
{
    (void)v;
    (void)self;
    return tsi_module_object(in, &check_class, NULL, out);
}

/* --- functions --- */

static ts_status accel_Stream(tsi_interp *in, const tsi_value *self,
                              const tsi_value *const *v, tsi_value *out)
{
    ts_stream *s;
    int device;

    (void)self;
    TS_TRY(tsi_module_device("Stream", v[0], &device));
    TS_TRY(ts_stream_new_on(device, v[1] != NULL ? (int)v[1]->i : 0, &s));
    return tsi_module_object(in, &stream_class, s, out);
}

static ts_status accel_Event(tsi_interp *in, const tsi_value *self,
                             const tsi_value *const *v, tsi_value *out)
{
    ts_event *e;

    (void)self;
    TS_TRY(ts_event_new(v[0] != NULL && v[0]->b, &e));
    return tsi_module_object(in, &event_class, e, out);
}

static ts_status accel_current_stream(tsi_interp *in, const tsi_value *self,
                                      const tsi_value *const *v, tsi_value *out)
{
    int device;

    (void)self;
    TS_TRY(tsi_module_device("current_stream", v[0], &device));
    return stream_value(in, ts_stream_current_of(device), out);
}

static ts_status accel_default_stream(tsi_interp *in, const tsi_value *self,
                                      const tsi_value *const *v, tsi_value *out)
{
    int device;

    (void)self;
    TS_TRY(tsi_module_device("default_stream", v[0], &device));
    return stream_value(in, ts_stream_default_of(device), out);
}

static ts_status accel_synchronize(tsi_interp *in, const tsi_value *self,
                                   const tsi_value *const *v, tsi_value *out)
{
    int device;

    (void)in;
    (void)self;
    (void)out;
    TS_TRY(tsi_module_device("synchronize", v[0], &device));
    return ts_accel_synchronize_device(device);
}

static ts_status accel_is_available(tsi_interp *in, const tsi_value *self,
                                    const tsi_value *const *v, tsi_value *out)
{
    (void)v;
    (void)in;
    (void)self;
    *out = tsi_bool(ts_accel_device_count() > 0);
    return TS_OK;
}

static ts_status accel_device_count(tsi_interp *in, const tsi_value *self,
                                    const tsi_value *const *v, tsi_value *out)
{
    (void)v;
    (void)in;
    (void)self;
    *out = tsi_int(ts_accel_device_count());
    return TS_OK;
}

static ts_status accel_current_device_index(tsi_interp *in, const tsi_value *self,
                                            const tsi_value *const *v, tsi_value *out)
{
    (void)v;
    (void)in;
    (void)self;
    *out = tsi_int(ts_accel_device());
    return TS_OK;
}

static ts_status accel_set_device_index(tsi_interp *in, const tsi_value *self,
                                        const tsi_value *const *v, tsi_value *out)
{
    int device;

    (void)in;
    (void)self;
    (void)out;
    TS_TRY(tsi_module_device("set_device_index", v[0], &device));
    return ts_accel_set_device(device);
}

static ts_status accel_set_sync_debug_mode(tsi_interp *in, const tsi_value *self,
                                           const tsi_value *const *v, tsi_value *out)
{
    static const char *const names[] = {"default", "warn", "error"};
    int64_t mode = -1;

    (void)in;
    (void)self;
    *out = tsi_none();
    if (v[0]->kind == V_INT)
        mode = v[0]->i;
    for (int i = 0; v[0]->kind == V_STR && i < 3; i++)
        if (strcmp(v[0]->s, names[i]) == 0)
            mode = i;
    TS_CHECK(0 <= mode && mode <= 2, TS_ERR_RUNTIME, "exec/C6",
             "set_sync_debug_mode: the mode is none of default, warn, error or 0, 1, 2");
    ts_set_sync_debug((ts_sync_debug)mode);
    return TS_OK;
}

static ts_status accel_get_sync_debug_mode(tsi_interp *in, const tsi_value *self,
                                           const tsi_value *const *v, tsi_value *out)
{
    (void)v;
    (void)in;
    (void)self;
    *out = tsi_int(ts_sync_debug_now());
    return TS_OK;
}

static ts_status Tensor_record_stream(tsi_interp *in, const tsi_value *self,
                                      const tsi_value *const *v, tsi_value *out)
{
    ts_stream *s;

    (void)in;
    *out = tsi_none();
    TS_TRY(stream_of("record_stream", v[0], &s));
    return ts_tensor_record_stream(self->t, s);
}

static void run_end(tsi_interp *in)
{
    (void)in;
    ts_stream_reset_current();
    ts_set_sync_debug(TS_SYNC_DEFAULT);
    (void)ts_race_check_end();
}

const tsi_module tsi_module_accel = {.words = words, .run_end = run_end};

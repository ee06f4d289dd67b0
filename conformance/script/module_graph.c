/* SPDX-License-Identifier: Apache-2.0 */
/* accel's graphs: torch.cuda.CUDAGraph and torch.cuda.graph (spec/areas/graph.md). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "module.h"
#include "touchstone/graph.h"

#include "words_graph.h"

static const tsi_module_class graph_class;
/* Where accel.graph captures when no stream is given, by device. */
static _Thread_local ts_stream *side[TS_ACCEL_MAX_DEVICES];

static ts_status pool_value(tsi_interp *in, ts_pool_id id, tsi_value *out)
{
    const int64_t v[2] = {(int64_t)id.capture, (int64_t)id.user};

    return tsi_int_tuple(in, 2, v, out);
}

/* pool=: None, or the pair that pool() and graph_pool_handle() give. */
static ts_status read_pool(const char *name, const tsi_value *v, ts_pool_id *out)
{
    *out = (ts_pool_id){0, 0};
    if (v == NULL || v->kind == V_NONE)
        return TS_OK;
    TS_CHECK(tsi_is_sequence(v) && v->o->n == 2 && v->o->v[0].kind == V_INT &&
                 v->o->v[1].kind == V_INT,
             TS_ERR_TYPE, "errors/C2", "%s(): argument 'pool' is no pair of ints", name);
    *out = (ts_pool_id){(uint64_t)v->o->v[0].i, (uint64_t)v->o->v[1].i};
    return TS_OK;
}

static ts_status read_mode(const char *name, const tsi_value *v, ts_capture_mode *out)
{
    static const char *const names[] = {"global", "thread_local", "relaxed"};

    *out = TS_CAPTURE_GLOBAL;
    if (v == NULL)
        return TS_OK;
    for (int i = 0; i < 3; i++)
        if (strcmp(v->s, names[i]) == 0) {
            *out = (ts_capture_mode)i;
            return TS_OK;
        }
    return ts_fail(TS_ERR_RUNTIME, "graph/C11",
                   "%s: the capture error mode '%.40s' is none of global, thread_local, "
                   "relaxed",
                   name, v->s);
}

/* --- Graph --- */

static void graph_destroy(void *self)
{
    ts_graph_release(self);
}

static ts_status Graph_capture_begin(tsi_interp *in, void *self,
                                     const tsi_value *const *v, tsi_value *out)
{
    ts_capture_mode mode;
    ts_pool_id pool;

    (void)in;
    (void)out;
    TS_TRY(read_pool("capture_begin", v[0], &pool));
    TS_TRY(read_mode("capture_begin", v[1], &mode));
    return ts_graph_capture_begin(self, pool, mode);
}

#define METHOD(name, call)                                                       \
    static ts_status name(tsi_interp *in, void *self, const tsi_value *const *v, \
                          tsi_value *out)                                        \
    {                                                                            \
        (void)in;                                                                \
        (void)v;                                                                 \
        (void)out;                                                               \
        return call(self);                                                       \
    }

METHOD(Graph_capture_end, ts_graph_capture_end)
METHOD(Graph_replay, ts_graph_replay)
METHOD(Graph_reset, ts_graph_reset)

static ts_status Graph_pool(tsi_interp *in, void *self, const tsi_value *const *v,
                            tsi_value *out)
{
    ts_pool_id id;

    (void)v;
    TS_TRY(ts_graph_pool(self, &id));
    return pool_value(in, id, out);
}

static const tsi_module_class graph_class = {
    .name = "Graph", .destroy = graph_destroy, .methods = Graph_methods};

static ts_status accel_Graph(tsi_interp *in, const tsi_value *self,
                             const tsi_value *const *v, tsi_value *out)
{
    ts_graph *g;

    (void)v;
    (void)self;
    TS_TRY(ts_graph_new(&g));
    return tsi_module_object(in, &graph_class, g, out);
}

/* --- `with accel.graph(g):` --- */

typedef struct context {
    tsi_value object;           /* the graph's, kept for the length of the statement */
    ts_stream *stream, *before; /* before: of the stream's device */
    int device;                 /* the current one before */
    ts_pool_id pool;
    ts_capture_mode mode;
} context;

static void context_destroy(void *self)
{
    context *c = self;

    tsi_release(c->object);
    ts_stream_release(c->stream);
    ts_stream_release(c->before);
    free(c);
}

static void put_back(context *c)
{
    ts_stream_set_current(c->before);
    (void)ts_accel_set_device(c->device);
}

static ts_status context_enter(tsi_interp *in, void *self, tsi_value *out)
{
    context *c = self;
    ts_status s;

    (void)in;
    (void)out;
    TS_TRY(ts_accel_synchronize());
    if (ts_accel_allocator())
        TS_TRY(ts_alloc_empty_cache(ts_accel_allocator()));
    ts_stream_release(c->before);
    c->device = ts_accel_device();
    c->before = ts_stream_retain(ts_stream_current_of(ts_stream_device(c->stream)));
    ts_stream_set_current(c->stream);
    s = ts_graph_capture_begin(c->object.o->self, c->pool, c->mode);
    if (s != TS_OK)
        put_back(c);
    return s;
}

static ts_status context_leave(tsi_interp *in, void *self, ts_status body)
{
    context *c = self;
    char label[64], message[512];
    const char *text;
    ts_status s;

    (void)in;
    if (body == TS_OK) {
        s = ts_graph_capture_end(c->object.o->self);
        put_back(c);
        return s;
    }
    /* The body's own error is what the statement tells. */
    text = ts_error_message();
    if (text[0] == '[' && strstr(text, "] "))
        text = strstr(text, "] ") + 2;
    snprintf(message, sizeof message, "%s", text);
    snprintf(label, sizeof label, "%s", ts_error_label());
    (void)ts_graph_capture_end(c->object.o->self);
    put_back(c);
    return ts_fail(body, label[0] ? label : NULL, "%s", message);
}

static const tsi_module_class context_class = {.name = "GraphContext",
                                               .destroy = context_destroy,
                                               .enter = context_enter,
                                               .leave = context_leave};

static ts_status accel_graph(tsi_interp *in, const tsi_value *self,
                             const tsi_value *const *v, tsi_value *out)
{
    ts_capture_mode mode;
    ts_pool_id id;
    context *c;
    ts_stream *s = NULL;

    (void)self;
    TS_CHECK(tsi_module_self(v[0], &graph_class), TS_ERR_TYPE, "errors/C2",
             "accel.graph(): argument 'cuda_graph' is no Graph");
    TS_TRY(read_pool("accel.graph", v[1], &id));
    TS_TRY(read_mode("accel.graph", v[3], &mode));
    if (v[2] != NULL && v[2]->kind != V_NONE) {
        s = tsi_module_stream(v[2]);
        TS_CHECK(s, TS_ERR_TYPE, "errors/C2",
                 "accel.graph(): argument 'stream' is no Stream");
    } else {
        const int device = ts_accel_device();

        if (side[device] == NULL)
            TS_TRY(ts_stream_new(0, &side[device]));
        s = side[device];
    }
    c = calloc(1, sizeof *c);
    if (c == NULL)
        return tsi_no_memory();
    *c = (context){.object = tsi_retain(*v[0]),
                   .stream = ts_stream_retain(s),
                   .pool = id,
                   .mode = mode};
    return tsi_module_object(in, &context_class, c, out);
}

/* --- functions --- */

static ts_status accel_graph_pool_handle(tsi_interp *in, const tsi_value *self,
                                         const tsi_value *const *v, tsi_value *out)
{
    (void)v;
    (void)self;
    return pool_value(in, ts_graph_pool_handle(), out);
}

static ts_status accel_is_current_stream_capturing(tsi_interp *in, const tsi_value *self,
                                                   const tsi_value *const *v,
                                                   tsi_value *out)
{
    (void)v;
    (void)in;
    (void)self;
    *out = tsi_bool(ts_stream_is_capturing());
    return TS_OK;
}

static void run_end(tsi_interp *in)
{
    (void)in;
    ts_stream_reset_current();
    for (int i = 0; i < TS_ACCEL_MAX_DEVICES; i++) {
        ts_stream_release(side[i]);
        side[i] = NULL;
    }
}

const tsi_module tsi_module_graph = {.words = words, .run_end = run_end};

/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs over the software accelerator: capture, replay, private pools, refusals. */
#include "device/accel.h"
#include "tests/support.h"

static const ts_device accel = {TS_ACCEL, 0};
static const ts_pool_id own = {0, 0};

static void open_on(const ts_driver *driver)
{
    void *h = dlopen(getenv("TOUCHSTONE_REFERENCE"), RTLD_NOW);
    ts_backend_open_fn open = NULL;
    const ts_host host = {sizeof host, TS_BACKEND_ABI, ts_fail};
    ts_backend b;

    open_reference();
    *(void **)&open = dlsym(h, "ts_backend_open");
    OK(open(&host, &b));
    OK(ts_backend_install(TS_ACCEL, &b, NULL));
    OK(ts_accel_open(driver));
}

static void open_all(void)
{
    open_on(ts_software_driver());
}

static ts_tensor *full_of(int64_t n, double v)
{
    ts_full_opts o = ts_full_defaults();
    ts_tensor *t;

    o.dtype = TS_FLOAT32;
    o.device = accel;
    OK(ts_full((int64_t[]){n}, 1, ts_float(v), &o, &t));
    return t;
}

static ts_tensor *full(double v)
{
    return full_of(4, v);
}

static float first(ts_tensor *t)
{
    ts_tensor *h;
    float v;

    OK(ts_tensor_to_host(t, &h));
    v = *(float *)h->data;
    ts_release(h);
    return v;
}

/* Begin as `with accel.graph(g):` does; the stream to give to `end`. */
static ts_stream *begin(ts_graph *g, ts_pool_id pool)
{
    ts_stream *s;

    OK(ts_accel_synchronize());
    OK(ts_alloc_empty_cache(ts_accel_allocator()));
    OK(ts_stream_new(0, &s));
    ts_stream_set_current(s);
    OK(ts_graph_capture_begin(g, pool, TS_CAPTURE_GLOBAL));
    return s;
}

static void end(ts_graph *g, ts_stream *s)
{
    OK(ts_graph_capture_end(g));
    ts_stream_set_current(NULL);
    ts_stream_release(s);
}

static ts_graph *graph(void)
{
    ts_graph *g;

    OK(ts_graph_new(&g));
    return g;
}

static int64_t reserved(void)
{
    int64_t values[TS_MEMORY_STATS];

    ts_alloc_stats(ts_accel_allocator(), values);
    return values[ts_memory_stat_find("reserved_bytes.all.current")];
}

/* --- three faults that the judge and these tests must find out ------------------------ */

/* One step of a captured accumulation with a temporary: what a healthy graph does to x. */
static bool healthy(void)
{
    ts_tensor *x = full(1), *total = full(0), *t, *later, *y;
    ts_graph *g = graph();
    ts_stream *s = begin(g, own);
    bool ok;

    t = mul(x, x); /* freed below, in the capture */
    y = add(t, x);
    OK(ts_add_(total, y, NULL));
    ts_release(t);
    end(g, s);
    ok = first(total) == 0;  /* recorded, not done */
    later = full_of(4, 100); /* must not lie on the graph's memory */
    OK(ts_graph_replay(g));
    ok = ok && first(total) == 2 && first(later) == 100;
    OK(ts_fill_number_(x, ts_float(3)));
    OK(ts_graph_replay(g));
    ok = ok && first(y) == 12 && first(total) == 14 && first(later) == 100;
    ts_graph_release(g);
    ts_release(x);
    ts_release(y);
    ts_release(total);
    ts_release(later);
    return ok;
}

Test(graph, s2_s4_replays_read_their_inputs_and_overwrite, .init = open_all)
{
    cr_expect(healthy());
    nothing_lives();
}

static ts_driver faulty;
static tsd_graph *launched;

/* The second launch of a graph is taken for done: its outputs are the first one's. */
static ts_status launch_once(int device, tsd_graph *g, tsd_stream *s)
{
    if (launched == g)
        return TS_OK;
    launched = g;
    return ts_software_driver()->graph_launch(device, g, s);
}

Test(graph, s2_a_replay_with_stale_input_is_found)
{
    faulty = *ts_software_driver();
    faulty.graph_launch = launch_once;
    open_on(&faulty);
    cr_expect(!healthy());
}

static ts_status launch_now(int device, ts_kernel kernel, const ts_kernel_call *f,
                            tsd_stream *s)
{
    uint64_t id = 0;

    OK(tsi_accel_capture_id(device, s, &id));
    OK(ts_software_driver()->launch(device, kernel, f, s));
    return id ? ts_software_driver()->launch(device, kernel, f, NULL) : TS_OK;
}

Test(graph, s1_a_capture_that_executes_is_found)
{
    faulty = *ts_software_driver();
    faulty.launch = launch_now;
    open_on(&faulty);
    cr_expect(!healthy());
}

/* The allocator hears of no capture, so the graph's temporaries are anybody's. */
static ts_status no_capture_id(int device, tsd_stream *s, uint64_t *out)
{
    (void)device;
    (void)s;
    *out = 0;
    return TS_OK;
}

Test(graph, s7_a_block_reused_too_early_is_found)
{
    ts_tensor *x, *t, *y, *later;
    ts_stream *s;
    ts_graph *g;

    faulty = *ts_software_driver();
    faulty.capture_id = no_capture_id;
    open_on(&faulty);
    x = full(1);
    g = graph();
    s = begin(g, own);
    t = mul(x, x);
    y = add(t, x);
    ts_release(t);
    OK(ts_graph_capture_end(g));
    later = full(100); /* on the capture's stream: the default pool gives it t's block */
    OK(ts_graph_replay(g));
    cr_expect_neq(first(later), 100, "the pool is what keeps the two apart");
    ts_stream_set_current(NULL);
    ts_graph_release(g);
    ts_stream_release(s);
    ts_release(x);
    ts_release(y);
    ts_release(later);
}

/* --- memory --------------------------------------------------------------------------- */

Test(graph, s7_the_same_on_the_captures_stream, .init = open_all)
{
    ts_tensor *x = full(1), *t, *y, *later;
    ts_graph *g = graph();
    ts_stream *s = begin(g, own);

    t = mul(x, x);
    y = add(t, x);
    ts_release(t);
    OK(ts_graph_capture_end(g));
    later = full(100);
    OK(ts_graph_replay(g));
    cr_expect_eq(first(later), 100);
    ts_stream_set_current(NULL);
    ts_graph_release(g);
    ts_stream_release(s);
    ts_release(x);
    ts_release(y);
    ts_release(later);
    nothing_lives();
}

Test(graph, s8_memory_stays_until_reset, .init = open_all)
{
    ts_alloc *a = ts_accel_allocator();
    ts_tensor *x = full(1), *y;
    ts_graph *g = graph();
    ts_stream *s = begin(g, own);
    const int64_t before = reserved();
    ts_pool_id pool;

    y = add(x, x);
    end(g, s);
    OK(ts_graph_pool(g, &pool));
    cr_expect_eq(ts_alloc_pool_uses(a, pool), 1);
    ts_release(y);
    OK(ts_alloc_empty_cache(a));
    cr_expect_gt(reserved(), before, "the graph writes there still");
    OK(ts_graph_replay(g));
    OK(ts_graph_reset(g));
    cr_expect_eq(ts_alloc_pool_uses(a, pool), 0);
    OK(ts_alloc_empty_cache(a));
    cr_expect_eq(reserved(), before);
    s = begin(g, own); /* as new */
    OK(ts_add_(x, x, NULL));
    end(g, s);
    OK(ts_graph_replay(g));
    cr_expect_eq(first(x), 2);
    ts_graph_release(g);
    ts_release(x);
    nothing_lives();
}

Test(graph, s9_graphs_share_a_pool, .init = open_all)
{
    const ts_pool_id shared = ts_graph_pool_handle();
    ts_tensor *x = full_of(1 << 20, 1), *t, *a, *b;
    ts_graph *g = graph(), *h = graph();
    ts_stream *s = begin(g, shared);
    int64_t after;

    t = add(x, x);
    a = sum(t);
    ts_release(t);
    OK(ts_graph_capture_end(g));
    after = reserved();
    OK(ts_graph_capture_begin(h, shared, TS_CAPTURE_GLOBAL));
    t = mul(x, x);
    b = sum(t);
    ts_release(t);
    end(h, s);
    cr_expect_eq(reserved(), after, "what the first has freed serves the second");
    cr_expect_eq(ts_alloc_pool_uses(ts_accel_allocator(), shared), 2);
    OK(ts_graph_replay(g));
    OK(ts_graph_replay(h));
    cr_expect_eq(first(a), 2 << 20);
    cr_expect_eq(first(b), 1 << 20);
    ts_graph_release(g);
    ts_graph_release(h);
    ts_release(a);
    ts_release(b);
    ts_release(x);
    nothing_lives();
}

/* --- refusals --------------------------------------------------------------------------- */

Test(graph, c1_c2_c5_c6_c7_c8_states, .init = open_all)
{
    ts_tensor *x = full(1);
    ts_graph *g = graph(), *h = graph();
    ts_stream *s;
    ts_pool_id pool;

    FAILS(ts_graph_replay(g), TS_ERR_RUNTIME, "graph/C7");
    FAILS(ts_graph_pool(g, &pool), TS_ERR_RUNTIME, "graph/C8");
    FAILS(ts_graph_capture_end(g), TS_ERR_RUNTIME, "graph/C6");
    FAILS(ts_graph_capture_begin(g, own, TS_CAPTURE_GLOBAL), TS_ERR_RUNTIME, "graph/C2");
    s = begin(g, own);
    FAILS(ts_graph_capture_begin(h, own, TS_CAPTURE_GLOBAL), TS_ERR_RUNTIME, "graph/C5");
    FAILS(ts_graph_capture_begin(g, own, TS_CAPTURE_GLOBAL), TS_ERR_RUNTIME, "graph/C5");
    FAILS(ts_graph_replay(g), TS_ERR_RUNTIME, "graph/C7");
    FAILS(ts_graph_pool(g, &pool), TS_ERR_RUNTIME, "graph/C8");
    ts_stream_set_current(NULL);
    FAILS(ts_graph_capture_end(g), TS_ERR_RUNTIME, "graph/C6");
    ts_stream_set_current(s);
    OK(ts_add_(x, x, NULL));
    OK(ts_graph_capture_end(g));
    FAILS(ts_graph_capture_begin(g, own, TS_CAPTURE_GLOBAL), TS_ERR_RUNTIME, "graph/C1");
    FAILS(ts_graph_capture_begin(h, (ts_pool_id){1, 1}, TS_CAPTURE_GLOBAL),
          TS_ERR_RUNTIME, "graph/C9");
    ts_stream_set_current(NULL);
    ts_stream_release(s);
    ts_graph_release(g);
    ts_graph_release(h);
    ts_release(x);
    nothing_lives();
}

/* Each way to wait, in a capture of its own: refused, and the capture is lost. */
typedef ts_status (*waiting)(ts_tensor *x, ts_stream *other, ts_event *e);

static ts_status wait_nonzero(ts_tensor *x, ts_stream *other, ts_event *e)
{
    ts_tensor *out;

    (void)other;
    (void)e;
    return ts_nonzero(x, &out);
}

static ts_status wait_stream(ts_tensor *x, ts_stream *other, ts_event *e)
{
    (void)x;
    (void)other;
    (void)e;
    return ts_stream_synchronize(ts_stream_current());
}

static ts_status wait_other(ts_tensor *x, ts_stream *other, ts_event *e)
{
    (void)x;
    (void)e;
    return ts_stream_synchronize(other);
}

static ts_status wait_device(ts_tensor *x, ts_stream *other, ts_event *e)
{
    (void)x;
    (void)other;
    (void)e;
    return ts_accel_synchronize();
}

static ts_status query_event(ts_tensor *x, ts_stream *other, ts_event *e)
{
    bool done;

    (void)x;
    (void)other;
    return ts_event_query(e, &done);
}

static ts_status query_captured(ts_tensor *x, ts_stream *other, ts_event *e)
{
    bool done;

    (void)x;
    (void)other;
    OK(ts_event_record(e, NULL));
    return ts_event_query(e, &done);
}

static ts_status wait_event(ts_tensor *x, ts_stream *other, ts_event *e)
{
    (void)x;
    (void)other;
    return ts_event_synchronize(e);
}

Test(graph, c3_waiting_is_refused_and_loses_the_capture, .init = open_all)
{
    static const waiting ways[] = {wait_nonzero, wait_stream,    wait_other, wait_device,
                                   query_event,  query_captured, wait_event};
    ts_tensor *x = full(1);
    ts_stream *other;

    OK(ts_stream_new(0, &other));
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        ts_graph *g = graph();
        ts_event *e;
        ts_stream *s;

        OK(ts_event_new(false, &e));
        OK(ts_event_record(e, other));
        s = begin(g, own);
        OK(ts_add_(x, x, NULL));
        FAILS(ways[i](x, other, e), TS_ERR_RUNTIME, "graph/C3");
        FAILS(ts_graph_capture_end(g), TS_ERR_RUNTIME, "graph/C3");
        FAILS(ts_graph_replay(g), TS_ERR_RUNTIME, "graph/C7");
        cr_expect_eq(first(x), 1, "the device works on as before");
        ts_stream_set_current(NULL);
        ts_graph_release(g);
        ts_event_release(e);
        ts_stream_release(s);
    }
    ts_stream_release(other);
    ts_release(x);
    nothing_lives();
}

Test(graph, c12_a_copy_is_refused_and_the_capture_goes_on, .init = open_all)
{
    ts_tensor *x = full(1), *host;
    ts_graph *g = graph();
    ts_stream *s = begin(g, own);
    float value = 7;

    OK(ts_add_(x, x, NULL));
    FAILS(ts_tensor_to_host(x, &host), TS_ERR_RUNTIME, "graph/C12");
    FAILS(ts_storage_write(ts_tensor_storage(x), 0, sizeof value, &value), TS_ERR_RUNTIME,
          "graph/C12");
    end(g, s);
    cr_expect_eq(ts_graph_node_count(g), 1);
    OK(ts_graph_replay(g));
    cr_expect_eq(first(x), 2);
    ts_graph_release(g);
    ts_release(x);
    nothing_lives();
}

static void *synchronize_elsewhere(void *status)
{
    ts_stream *s;

    OK(ts_stream_new(0, &s));
    *(ts_status *)status = ts_stream_synchronize(s);
    ts_stream_release(s);
    return NULL;
}

Test(graph, s13_modes, .init = open_all)
{
    static const struct {
        ts_capture_mode mode;
        ts_status same, other;
    } rows[] = {{TS_CAPTURE_GLOBAL, TS_ERR_RUNTIME, TS_ERR_RUNTIME},
                {TS_CAPTURE_THREAD_LOCAL, TS_ERR_RUNTIME, TS_OK},
                {TS_CAPTURE_RELAXED, TS_OK, TS_OK}};
    ts_stream *s, *side;

    OK(ts_stream_new(0, &s));
    OK(ts_stream_new(0, &side));
    for (int i = 0; i < 6; i++) {
        const bool elsewhere = i % 2 == 1;
        ts_graph *g = graph();
        ts_status got = TS_OK;
        pthread_t thread;

        ts_stream_set_current(s);
        OK(ts_graph_capture_begin(g, own, rows[i / 2].mode));
        if (elsewhere) {
            pthread_create(&thread, NULL, synchronize_elsewhere, &got);
            pthread_join(thread, NULL);
        } else {
            got = ts_stream_synchronize(side);
        }
        cr_expect_eq(got, elsewhere ? rows[i / 2].other : rows[i / 2].same, "row %d", i);
        cr_expect_eq(ts_graph_capture_end(g), got);
        ts_graph_release(g);
    }
    ts_stream_set_current(NULL);
    ts_stream_release(s);
    ts_stream_release(side);
}

Test(graph, s6_c4_streams_join_and_are_joined_back, .init = open_all)
{
    ts_tensor *x = full(1), *y = full(0);
    ts_graph *g = graph();
    ts_stream *side, *s;

    OK(ts_stream_new(0, &side));
    for (int back = 1; back >= 0; back--) {
        s = begin(g, own);
        OK(ts_stream_wait_stream(side, s));
        ts_stream_set_current(side);
        cr_expect(ts_stream_is_capturing());
        OK(ts_add_(y, x, NULL));
        ts_stream_set_current(s);
        if (back) {
            OK(ts_stream_wait_stream(s, side));
            end(g, s);
            OK(ts_graph_replay(g));
            cr_expect_eq(first(y), 1);
            OK(ts_graph_reset(g));
        } else {
            FAILS(ts_graph_capture_end(g), TS_ERR_RUNTIME, "graph/C4");
            ts_stream_set_current(NULL);
            ts_stream_release(s);
        }
    }
    cr_expect(!ts_stream_is_capturing());
    ts_graph_release(g);
    ts_stream_release(side);
    ts_release(x);
    ts_release(y);
    nothing_lives();
}

Test(graph, c10_events_from_outside, .init = open_all)
{
    ts_graph *g = graph();
    ts_event *e, *inside;
    ts_stream *s;

    OK(ts_event_new(false, &e));
    OK(ts_event_new(false, &inside));
    OK(ts_event_record(e, NULL));
    s = begin(g, own);
    OK(ts_event_record(inside, NULL));
    FAILS(ts_event_wait(e, NULL), TS_ERR_RUNTIME, "graph/C10");
    FAILS(ts_graph_capture_end(g), TS_ERR_RUNTIME, "graph/C3");
    FAILS(ts_event_wait(inside, NULL), TS_ERR_RUNTIME, "graph/C10");
    ts_stream_set_current(NULL);
    ts_stream_release(s);
    ts_event_release(e);
    ts_event_release(inside);
    ts_graph_release(g);
}

Test(graph, s11_a_capture_under_way_is_dropped, .init = open_all)
{
    ts_tensor *x = full(1);
    ts_graph *g = graph();
    ts_stream *s = begin(g, own);

    OK(ts_add_(x, x, NULL));
    ts_graph_release(g);
    cr_expect(!ts_stream_is_capturing());
    ts_stream_set_current(NULL);
    ts_stream_release(s);
    cr_expect_eq(first(x), 1);
    ts_release(x);
    nothing_lives();
}

Test(graph, s12_an_empty_graph_warns, .init = open_all)
{
    ts_graph *g = graph();
    ts_stream *s = begin(g, own);

    end(g, s);
    cr_expect_eq(ts_warning_count(), 1);
    cr_expect_str_eq(ts_warning_label(), "graph/S12");
    OK(ts_graph_replay(g));
    OK(ts_accel_synchronize());
    ts_graph_release(g);
}

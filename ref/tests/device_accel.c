/* SPDX-License-Identifier: Apache-2.0 */
/* The software accelerator: memory the host can't touch,
 * asynchronous streams, events, capture. */
#include <criterion/criterion.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "touchstone/touchstone.h"

static const ts_device accel = {TS_ACCEL, 0}, cpu = {TS_CPU, 0};

static void open_all(void)
{
    void *h = dlopen(getenv("TOUCHSTONE_REFERENCE"), RTLD_NOW);
    ts_backend_open_fn open = NULL;
    const ts_host host = {sizeof host, TS_BACKEND_ABI, ts_fail};
    ts_backend b;

    cr_assert(h, "%s", dlerror());
    *(void **)&open = dlsym(h, "ts_backend_open");
    cr_assert(open, "%s", dlerror());
    cr_assert_eq(open(&host, &b), TS_OK);
    cr_assert_eq(ts_backend_install(TS_CPU, &b, NULL), TS_OK);
    cr_assert_eq(ts_backend_install(TS_ACCEL, &b, NULL), TS_OK);
    cr_assert_eq(ts_accel_open(ts_software_driver()), TS_OK);
}

static void open_two(void)
{
    cr_assert_eq(ts_software_set_device_count(2), TS_OK);
    open_all();
}

static void open_two_lazy(void)
{
    setenv("TOUCHSTONE_ACCEL_STREAMS", "lazy", 1);
    open_two();
}

static void open_lazy(void)
{
    setenv("TOUCHSTONE_ACCEL_STREAMS", "lazy", 1);
    open_all();
}

static ts_tensor *full_on(int device, double v)
{
    ts_full_opts o = ts_full_defaults();
    ts_tensor *t;

    o.dtype = TS_FLOAT32;
    o.device = (ts_device){TS_ACCEL, device};
    cr_assert_eq(ts_full((int64_t[]){4}, 1, ts_float(v), &o, &t), TS_OK, "%s",
                 ts_error_message());
    return t;
}

static ts_tensor *full(double v)
{
    return full_on(0, v);
}

static float first(ts_tensor *t)
{
    ts_tensor *h;
    float v;

    cr_assert_eq(ts_tensor_to_host(t, &h), TS_OK, "%s", ts_error_message());
    v = *(float *)h->data;
    ts_release(h);
    return v;
}

Test(accel, computes_on_its_own_memory, .init = open_all)
{
    ts_tensor *a = full(2), *b = full(3), *c, *d;

    cr_assert_eq(ts_mul(a, b, &c), TS_OK, "%s", ts_error_message());
    cr_assert_eq(ts_add_(c, a, NULL), TS_OK, "%s", ts_error_message());
    cr_assert_eq(first(c), 8);
    cr_assert_eq(ts_tensor_to_host(c, &d), TS_OK);
    cr_assert_eq(d->device.type, TS_CPU);
    ts_release(a);
    ts_release(b);
    ts_release(c);
    ts_release(d);
    cr_assert_eq(ts_accel_open(NULL), TS_OK);
    cr_assert_eq(ts_live_now().bytes, 0);
}

Test(accel, the_host_may_not_follow_a_device_address, .init = open_all)
{
    ts_tensor *a = full(1);
    int ends[2];

    cr_assert_eq(ts_accel_synchronize(), TS_OK);
    cr_assert_eq(pipe(ends), 0);
    cr_assert_eq(write(ends[1], a->data, sizeof(float)), -1,
                 "the kernel can't read there either");
    cr_assert_eq(errno, EFAULT);
    close(ends[0]);
    close(ends[1]);
    ts_release(a);
}

Test(accel, capacity_is_real, .init = open_all)
{
    ts_tensor *t;

    cr_assert_eq(ts_tensor_new(accel, TS_INT8, 1, (int64_t[]){INT64_C(2) << 30}, &t),
                 TS_ERR_OUT_OF_MEMORY);
    t = full(1);
    ts_release(t);
}

/* c = a * b on stream s; the default stream reads c.
 * Lazily run, a missing wait always shows. */
static float across_streams(bool wait)
{
    ts_tensor *a = full(2), *b = full(3), *c = full(0);
    ts_stream *s;
    float v;

    cr_assert_eq(ts_accel_synchronize(), TS_OK);
    cr_assert_eq(ts_stream_new(0, &s), TS_OK);
    ts_stream_set_current(s);
    cr_assert_eq(ts_mul_out(a, b, c), TS_OK);
    ts_stream_set_current(NULL);
    if (wait)
        cr_assert_eq(ts_stream_wait_stream(ts_stream_default(), s), TS_OK);
    v = first(c);
    ts_stream_release(s);
    ts_release(a);
    ts_release(b);
    ts_release(c);
    return v;
}

Test(accel, a_wait_orders_two_streams, .init = open_all)
{
    cr_assert_eq(across_streams(true), 6);
}

Test(accel, lazily_a_missing_wait_shows, .init = open_lazy)
{
    cr_assert_eq(across_streams(true), 6);
    cr_assert_eq(across_streams(false), 0);
}

Test(accel, a_check_that_needs_data_is_told_at_the_next_synchronisation, .init = open_all)
{
    ts_tensor *x = full(1), *host, *index, *y;

    cr_assert_eq(ts_tensor_new(cpu, TS_INT64, 1, (int64_t[]){1}, &host), TS_OK);
    *(int64_t *)host->data = 9;
    ts_to_opts o = ts_to_defaults();
    o.device = accel;
    cr_assert_eq(ts_to(host, &o, &index), TS_OK, "%s", ts_error_message());
    cr_assert_eq(ts_index_select(x, 0, index, &y), TS_OK);
    cr_assert_eq(ts_accel_synchronize(), TS_ERR_INDEX);
    cr_assert_str_eq(ts_error_label(), "index_select/C4", "%s", ts_error_message());
    cr_assert_eq(ts_accel_synchronize(), TS_OK, "the device stays usable");
    ts_release(x);
    ts_release(host);
    ts_release(index);
    ts_release(y);
}

Test(accel, events_measure_and_order, .init = open_all)
{
    ts_event *a, *b;
    ts_tensor *t;
    double ms;
    bool done;

    cr_assert_eq(ts_event_new(true, &a), TS_OK);
    cr_assert_eq(ts_event_new(true, &b), TS_OK);
    cr_assert_eq(ts_event_elapsed(a, b, &ms), TS_ERR_VALUE);
    cr_assert_eq(ts_event_record(a, NULL), TS_OK);
    t = full(1);
    cr_assert_eq(ts_event_record(b, NULL), TS_OK);
    cr_assert_eq(ts_event_synchronize(b), TS_OK);
    cr_assert_eq(ts_event_query(b, &done), TS_OK);
    cr_assert(done);
    cr_assert_eq(ts_event_elapsed(a, b, &ms), TS_OK);
    cr_assert_geq(ms, 0);
    ts_event_release(a);
    ts_event_release(b);
    ts_release(t);
}

Test(accel, a_capture_records_and_a_launch_runs, .init = open_all)
{
    const ts_driver *d = ts_accel_driver();
    ts_tensor *a = full(2), *b = full(3), *c = full(0);
    ts_stream *s, *side;
    tsd_graph *g;

    cr_assert_eq(ts_accel_synchronize(), TS_OK);
    cr_assert_eq(ts_stream_new(0, &s), TS_OK);
    cr_assert_eq(ts_stream_new(0, &side), TS_OK);
    cr_assert_eq(d->capture_begin(0, ts_stream_handle(s), TS_CAPTURE_RELAXED), TS_OK);
    ts_stream_set_current(s);
    cr_assert_eq(ts_mul_out(a, b, c), TS_OK);
    cr_assert_eq(ts_stream_wait_stream(side, s), TS_OK);
    ts_stream_set_current(side);
    cr_assert_eq(ts_add_(c, a, NULL), TS_OK);
    cr_assert_eq(ts_stream_wait_stream(s, side), TS_OK);
    ts_stream_set_current(NULL);
    cr_assert_eq(d->capture_end(0, ts_stream_handle(s), &g), TS_OK, "%s",
                 ts_error_message());
    cr_assert_eq(first(c), 0, "recorded, not done");
    cr_assert_eq(d->graph_launch(0, g, NULL), TS_OK);
    cr_assert_eq(first(c), 8);
    cr_assert_eq(ts_fill_number_(a, ts_float(5)), TS_OK);
    cr_assert_eq(d->graph_launch(0, g, NULL), TS_OK);
    cr_assert_eq(first(c), 20, "a replay reads what its addresses hold now");
    d->graph_destroy(0, g);
    ts_stream_release(s);
    ts_stream_release(side);
    ts_release(a);
    ts_release(b);
    ts_release(c);
}

Test(accel, an_unjoined_stream_spoils_the_capture, .init = open_all)
{
    const ts_driver *d = ts_accel_driver();
    ts_stream *s, *side;
    tsd_graph *g;

    cr_assert_eq(ts_stream_new(0, &s), TS_OK);
    cr_assert_eq(ts_stream_new(0, &side), TS_OK);
    cr_assert_eq(d->capture_begin(0, ts_stream_handle(s), TS_CAPTURE_RELAXED), TS_OK);
    cr_assert_eq(ts_stream_wait_stream(side, s), TS_OK);
    cr_assert_eq(d->capture_end(0, ts_stream_handle(s), &g), TS_ERR_RUNTIME);
    cr_assert_eq(d->capture_begin(0, ts_stream_handle(s), TS_CAPTURE_RELAXED), TS_OK);
    cr_assert_eq(ts_stream_synchronize(s), TS_ERR_RUNTIME, "not while it captures");
    cr_assert_eq(d->capture_end(0, ts_stream_handle(s), &g), TS_ERR_RUNTIME);
    ts_stream_release(s);
    ts_stream_release(side);
}

Test(accel, virtual_memory, .init = open_all)
{
    const ts_driver *d = ts_accel_driver();
    const size_t unit = d->granularity(0);
    ts_devptr at;
    tsd_handle *h;
    unsigned char byte = 0;

    cr_assert_eq(d->address_reserve(0, 4 * unit, &at), TS_OK);
    cr_assert_eq(at % unit, 0);
    cr_assert_eq(d->handle_create(0, unit + 1, &h), TS_ERR_VALUE);
    cr_assert_eq(d->handle_create(0, unit, &h), TS_OK);
    cr_assert_eq(d->mem_map(0, at, unit, h), TS_OK);
    cr_assert_eq(d->mem_map(0, at + 2 * unit, unit, h), TS_OK,
                 "one handle, two addresses");
    cr_assert_eq(d->fill(0, at, 7, 16, NULL), TS_OK);
    cr_assert_eq(d->device_synchronize(0), TS_ERR_RUNTIME, "no access by default");
    cr_assert_eq(d->mem_set_access(0, at, unit), TS_OK);
    cr_assert_eq(d->mem_set_access(0, at + 2 * unit, unit), TS_OK);
    cr_assert_eq(d->fill(0, at, 7, 16, NULL), TS_OK);
    cr_assert_eq(
        d->copy(0, &byte, (void *)(uintptr_t)(at + 2 * unit), 1, TS_DEVICE_TO_HOST, NULL),
        TS_OK);
    cr_assert_eq(d->device_synchronize(0), TS_OK);
    cr_assert_eq(byte, 7);
    cr_assert_eq(d->address_free(0, at, 4 * unit), TS_ERR_VALUE, "still mapped");
    cr_assert_eq(d->mem_unmap(0, at, unit), TS_OK);
    cr_assert_eq(d->mem_unmap(0, at + 2 * unit, unit), TS_OK);
    cr_assert_eq(d->address_free(0, at, 4 * unit), TS_OK);
    cr_assert_eq(d->handle_release(0, h), TS_OK);
}

#define OK(call) cr_assert_eq(call, TS_OK, "%s", ts_error_message())

/* --- records of events --- */

static ts_stream *one, *two, *waiting;

static void open_streams(void)
{
    open_lazy();
    OK(ts_stream_new(0, &one));
    OK(ts_stream_new(0, &two));
    OK(ts_stream_new(0, &waiting));
}

static void fill_on(ts_stream *s, ts_tensor *t, double v)
{
    ts_stream_set_current(s);
    OK(ts_fill_number_(t, ts_float(v)));
    ts_stream_set_current(NULL);
}

/* What `waiting` sees of t after a wait for e. */
static float seen(ts_tensor *t)
{
    float v;

    ts_stream_set_current(waiting);
    v = first(t);
    ts_stream_set_current(NULL);
    return v;
}

Test(events, a_wait_is_for_the_record_of_its_time, .init = open_streams)
{
    ts_tensor *t = full(1);
    ts_event *e;

    OK(ts_accel_synchronize());
    OK(ts_event_new(false, &e));
    fill_on(one, t, 2);
    OK(ts_event_record(e, one));
    OK(ts_event_wait(e, waiting));
    OK(ts_event_record(e, two));
    OK(ts_stream_synchronize(two)); /* the newer record passes */
    cr_expect_eq(seen(t), 2, "and leaves the older one's wait alone");
    ts_event_release(e);
    ts_release(t);
}

Test(events, a_record_after_the_wait_is_not_waited_for, .init = open_streams)
{
    ts_tensor *t = full(1);
    ts_event *e;

    OK(ts_accel_synchronize());
    OK(ts_event_new(false, &e));
    OK(ts_event_record(e, one));
    OK(ts_event_wait(e, waiting));
    fill_on(one, t, 2);
    OK(ts_event_record(e, one));
    cr_expect_eq(seen(t), 1);
    OK(ts_event_wait(e, waiting));
    cr_expect_eq(seen(t), 2);
    ts_event_release(e);
    ts_release(t);
}

Test(events, query_and_synchronize_mean_the_latest_record, .init = open_streams)
{
    ts_tensor *t = full(1);
    ts_event *e;
    bool done;

    OK(ts_accel_synchronize());
    OK(ts_event_new(false, &e));
    OK(ts_event_query(e, &done));
    cr_expect(done, "never recorded");
    OK(ts_event_record(e, one));
    OK(ts_stream_synchronize(one));
    OK(ts_event_query(e, &done));
    cr_expect(done);
    fill_on(two, t, 2);
    OK(ts_event_record(e, two));
    OK(ts_event_query(e, &done));
    cr_expect(!done, "recorded anew");
    OK(ts_event_synchronize(e));
    OK(ts_event_query(e, &done));
    cr_expect(done);
    cr_expect_eq(seen(t), 2);
    ts_event_release(e);
    ts_release(t);
}

Test(events, elapsed_is_between_latest_records, .init = open_streams)
{
    ts_event *a, *b;
    double ms;

    OK(ts_event_new(true, &a));
    OK(ts_event_new(true, &b));
    OK(ts_event_record(b, one));
    OK(ts_event_synchronize(b));
    OK(ts_event_record(a, one));
    OK(ts_event_synchronize(a));
    OK(ts_event_elapsed(a, b, &ms));
    cr_expect(ms <= 0, "b is older: %g", ms);
    OK(ts_event_record(b, two));
    cr_expect_eq(ts_event_elapsed(a, b, &ms), TS_ERR_RUNTIME);
    cr_expect_str_eq(ts_error_label(), "exec/C3");
    OK(ts_event_synchronize(b));
    OK(ts_event_elapsed(a, b, &ms));
    cr_expect(ms >= 0, "%g", ms);
    ts_event_release(a);
    ts_event_release(b);
}

Test(events, a_record_in_a_capture_leaves_older_waits_alone, .init = open_streams)
{
    const ts_driver *d = ts_accel_driver();
    ts_tensor *t = full(1);
    ts_event *e;
    tsd_graph *g;
    bool done;

    OK(ts_accel_synchronize());
    OK(ts_event_new(false, &e));
    fill_on(one, t, 2);
    OK(ts_event_record(e, one));
    OK(ts_event_wait(e, waiting));
    OK(d->capture_begin(0, ts_stream_handle(two), TS_CAPTURE_RELAXED));
    OK(ts_event_record(e, two));
    cr_expect_eq(ts_event_query(e, &done), TS_ERR_RUNTIME, "the latest is the capture's");
    cr_expect_neq(d->capture_end(0, ts_stream_handle(two), &g), TS_OK);
    OK(ts_event_record(e, two));
    OK(ts_event_synchronize(e));
    cr_expect_eq(seen(t), 2);
    ts_event_release(e);
    ts_release(t);
}

Test(events, waits_outlive_event_and_stream, .init = open_streams)
{
    ts_tensor *t = full(1);
    ts_stream *s;
    ts_event *e;

    OK(ts_accel_synchronize());
    OK(ts_stream_new(0, &s));
    OK(ts_event_new(false, &e));
    fill_on(s, t, 2);
    OK(ts_event_record(e, s));
    OK(ts_event_wait(e, waiting));
    ts_event_release(e);
    ts_stream_release(s);
    cr_expect_eq(seen(t), 2);
    ts_release(t);
}

/* --- two devices --- */

Test(devices, each_has_memory_of_its_own, .init = open_two)
{
    int64_t stats[2][TS_MEMORY_STATS];
    size_t left[2][2], total;
    ts_tensor *t;

    cr_assert_eq(ts_accel_device_count(), 2);
    for (int i = 0; i < 2; i++)
        OK(ts_accel_driver()->mem_info(i, &left[i][0], &total));
    t = full_on(1, 3);
    cr_expect_eq(t->device.index, 1);
    cr_expect_eq(first(t), 3);
    for (int i = 0; i < 2; i++)
        OK(ts_accel_driver()->mem_info(i, &left[i][1], &total));
    cr_expect_eq(left[0][0], left[0][1]);
    cr_expect_lt(left[1][1], left[1][0]);
    for (int i = 0; i < 2; i++)
        ts_alloc_stats(ts_accel_allocator_of(i), stats[i]);
    cr_expect_eq(stats[0][ts_memory_stat_find("allocated_bytes.all.current")], 0);
    cr_expect_eq(stats[1][ts_memory_stat_find("allocated_bytes.all.current")], 512);
    ts_release(t);
}

Test(devices, a_kernel_may_not_look_at_the_other_ones_memory, .init = open_two)
{
    const ts_driver *d = ts_accel_driver();
    ts_devptr p, q;

    OK(d->mem_alloc(0, 512, &p));
    OK(d->mem_alloc(1, 512, &q));
    OK(d->fill(1, p, 1, 4, NULL));
    cr_expect_eq(d->device_synchronize(0), TS_OK, "the other one's error word");
    cr_expect_eq(d->device_synchronize(1), TS_ERR_RUNTIME);
    OK(d->peer_enable(1, 0));
    OK(d->peer_enable(1, 0));
    OK(d->fill(1, p, 1, 4, NULL));
    OK(d->device_synchronize(1));
    OK(d->fill(0, q, 1, 4, NULL));
    cr_expect_eq(d->device_synchronize(0), TS_ERR_RUNTIME, "in one direction alone");
    OK(d->mem_free(0, p));
    OK(d->mem_free(1, q));
}

Test(devices, tensors_of_two_do_not_mix, .init = open_two)
{
    ts_tensor *a = full_on(0, 1), *b = full_on(1, 2), *c;

    cr_expect_eq(ts_add(a, b, NULL, &c), TS_ERR_RUNTIME);
    cr_expect_str_eq(ts_error_label(), "errors/C3");
    cr_expect(strstr(ts_error_message(), "accel:0") &&
                  strstr(ts_error_message(), "accel:1"),
              "%s", ts_error_message());
    cr_expect_eq(ts_cat((ts_tensor *[]){a, b}, 2, NULL, &c), TS_ERR_RUNTIME);
    cr_expect(strstr(ts_error_message(), "accel:1"), "%s", ts_error_message());
    ts_release(a);
    ts_release(b);
}

Test(devices, current_ones_are_the_threads, .init = open_two)
{
    ts_tensor *t;
    ts_stream *s;

    cr_expect_eq(ts_accel_device(), 0);
    OK(ts_stream_new_on(1, 0, &s));
    ts_stream_set_current(s);
    cr_expect_eq(ts_accel_device(), 1, "a stream brings its device");
    cr_expect_eq(ts_stream_current(), s);
    cr_expect_eq(ts_stream_current_of(0), ts_stream_default_of(0));
    OK(ts_accel_set_device(0));
    cr_expect_eq(ts_stream_current(), ts_stream_default_of(0));
    cr_expect_eq(ts_stream_current_of(1), s);
    OK(ts_accel_set_device(1));
    t = full_on(-1, 1);
    cr_expect_eq(t->device.index, 1, "accel alone is the current one");
    cr_expect_eq(ts_accel_set_device(2), TS_ERR_RUNTIME);
    cr_expect_str_eq(ts_error_label(), "tensors/C9");
    ts_stream_reset_current();
    cr_expect_eq(ts_accel_device(), 0);
    ts_stream_release(s);
    ts_release(t);
}

static ts_tensor *to_device(ts_tensor *t, int device)
{
    ts_to_opts o = ts_to_defaults();
    ts_tensor *r;

    o.device = (ts_device){TS_ACCEL, device};
    OK(ts_to(t, &o, &r));
    return r;
}

/* The copy comes after what both current streams have, and before what they get. */
static void copy_is_ordered(void)
{
    ts_tensor *a = full_on(0, 1), *b = full_on(1, 0);
    ts_stream *s[2];

    OK(ts_accel_synchronize_all());
    for (int i = 1; i >= 0; i--) {
        OK(ts_stream_new_on(i, 0, &s[i]));
        ts_stream_set_current(s[i]);
    }
    OK(ts_fill_number_(a, ts_float(2)));
    OK(ts_fill_number_(b, ts_float(3)));
    OK(ts_copy_(b, a, NULL));
    OK(ts_fill_number_(a, ts_float(5)));
    OK(ts_add_(b, b, NULL));
    cr_expect_eq(first(b), 4);
    cr_expect_eq(first(a), 5);
    ts_stream_reset_current();
    for (int i = 0; i < 2; i++)
        ts_stream_release(s[i]);
    ts_release(a);
    ts_release(b);
}

Test(devices, a_copy_between_them_is_ordered, .init = open_two_lazy)
{
    copy_is_ordered();
}

Test(devices, without_peer_copies_it_goes_over_the_host, .init = open_two_lazy)
{
    ts_driver d = *ts_software_driver();

    d.size = offsetof(ts_driver, host_alloc); /* older than peers */
    OK(ts_accel_open(&d));
    cr_assert(!ts_accel_driver()->peer_copy);
    copy_is_ordered();
}

Test(devices, copies_convert_and_keep_gaps, .init = open_two)
{
    ts_tensor *a = full_on(0, 2.5), *b, *c, *row, *back;

    b = to_device(a, 1);
    cr_expect_eq(b->device.index, 1);
    cr_expect_eq(first(b), 2.5);
    OK(ts_tensor_new((ts_device){TS_ACCEL, 1}, TS_FLOAT64, 2, (int64_t[]){4, 2}, &c));
    OK(ts_fill_number_(c, ts_float(7)));
    OK(ts_select(c, 1, 1, &row)); /* every other element */
    OK(ts_copy_(row, a, NULL));
    OK(ts_tensor_to_host(c, &back));
    for (int i = 0; i < 8; i++)
        cr_expect_eq(((double *)back->data)[i], i % 2 ? 2.5 : 7);
    ts_release(a);
    ts_release(b);
    ts_release(c);
    ts_release(row);
    ts_release(back);
}

Test(devices, the_race_check_tells_them_apart, .init = open_two_lazy)
{
    ts_tensor *a = full_on(0, 1), *b = full_on(1, 1), *c, *r;

    OK(ts_race_check_begin());
    OK(ts_neg(a, &c)); /* default streams of both: no race, for nothing is shared */
    OK(ts_neg(b, &r));
    ts_release(c);
    ts_release(r);
    c = to_device(a, 1);
    OK(ts_neg(c, &r));
    OK(ts_fill_number_(a, ts_float(2)));
    OK(ts_race_check_end());
    ts_release(a);
    ts_release(b);
    ts_release(c);
    ts_release(r);
}

Test(devices, an_event_is_of_one, .init = open_two_lazy)
{
    ts_tensor *t = full_on(1, 1);
    ts_event *e;

    OK(ts_accel_synchronize_all());
    OK(ts_event_new(false, &e));
    OK(ts_fill_number_(t, ts_float(2)));
    OK(ts_event_record(e, ts_stream_default_of(1)));
    cr_expect_eq(ts_event_record(e, ts_stream_default_of(0)), TS_ERR_RUNTIME);
    cr_expect_str_eq(ts_error_label(), "exec/C7");
    OK(ts_event_wait(e, ts_stream_default_of(0)));
    OK(ts_stream_synchronize(ts_stream_default_of(0)));
    bool done;
    OK(ts_event_query(e, &done));
    cr_expect(done, "another device's stream waited for it");
    ts_event_release(e);
    ts_release(t);
}

Test(devices, a_block_waits_for_a_stream_of_the_other_one, .init = open_two_lazy)
{
    ts_alloc *a = ts_accel_allocator_of(0);
    int64_t stats[TS_MEMORY_STATS];
    const int active = ts_memory_stat_find("active.all.current");
    ts_tensor *t = full_on(0, 1), *u = full_on(1, 1);

    OK(ts_accel_synchronize_all());
    OK(ts_fill_number_(u, ts_float(2))); /* pending on accel:1 */
    OK(ts_tensor_record_stream(t, ts_stream_default_of(1)));
    ts_release(t);
    t = full_on(0, 3); /* processes what has passed: nothing has */
    ts_alloc_stats(a, stats);
    cr_expect_eq(stats[active], 2);
    ts_release(t);
    OK(ts_accel_synchronize_all());
    t = full_on(0, 3);
    ts_alloc_stats(a, stats);
    cr_expect_eq(stats[active], 1);
    ts_release(t);
    ts_release(u);
}

Test(devices, each_captures, .init = open_two)
{
    ts_tensor *t = full_on(1, 1);
    ts_stream *s;
    ts_graph *g;

    OK(ts_accel_synchronize_all());
    OK(ts_stream_new_on(1, 0, &s));
    ts_stream_set_current(s);
    OK(ts_graph_new(&g));
    OK(ts_graph_capture_begin(g, (ts_pool_id){0, 0}, TS_CAPTURE_GLOBAL));
    OK(ts_add_(t, t, NULL));
    OK(ts_graph_capture_end(g));
    ts_stream_reset_current();
    cr_expect_eq(first(t), 1);
    OK(ts_graph_replay(g)); /* on its own device, whatever the current one */
    OK(ts_graph_replay(g));
    cr_expect_eq(first(t), 4);
    ts_graph_release(g);
    ts_stream_release(s);
    ts_release(t);
}

/* --- what a driver may lack --- */

Test(driver, a_smaller_table_is_filled_up, .init = open_all)
{
    ts_driver d = *ts_software_driver();
    struct {
        ts_driver known;
        void (*later)(void);
    } newer = {d, NULL};

    d.size = offsetof(ts_driver, capture_id);
    cr_expect(!TSD_HAS(&d, capture_id));
    cr_expect(TSD_HAS(&d, graph_node_count));
    OK(ts_accel_open(&d));
    cr_expect(!ts_accel_driver()->capture_id && ts_accel_driver()->copy);
    newer.known.size = sizeof newer;
    OK(ts_accel_open(&newer.known));
    cr_expect(ts_accel_driver()->handle_import);
    d.size = sizeof(size_t);
    cr_expect_eq(ts_accel_open(&d), TS_ERR_UNSUPPORTED);
    cr_expect(ts_accel_driver(), "the one before stays");
}

Test(driver, pinned_memory, .init = open_all)
{
    const ts_driver *d = ts_accel_driver();
    char on_stack = 0, *p;

    OK(d->host_alloc(10000, (void **)&p));
    p[9999] = 1;
    cr_expect(d->host_is_pinned(p) && d->host_is_pinned(p + 9999));
    cr_expect(!d->host_is_pinned(&on_stack));
    cr_expect_eq(d->host_free(p + 1), TS_ERR_VALUE);
    OK(d->host_free(p));
    cr_expect(!d->host_is_pinned(p));
}

/* A handle's memory in another process, and under a second handle here. */
Test(driver, handles_go_to_other_processes, .init = open_two)
{
    const ts_driver *d = ts_accel_driver();
    const size_t unit = d->granularity(0);
    ts_devptr here, there;
    tsd_handle *h, *again;
    size_t before, after, total;
    unsigned char byte = 0;
    int fd, status = -1;
    pid_t child;

    OK(d->mem_info(0, &before, &total));
    OK(d->handle_create(0, unit, &h));
    OK(d->handle_export(0, h, &fd));
    child = fork(); /* before this process has threads that the child would miss */
    if (child == 0) {
        tsd_handle *theirs;
        ts_devptr p;
        bool ok = d->handle_import(1, fd, &theirs) == TS_OK &&
                  d->address_reserve(1, unit, &p) == TS_OK &&
                  d->mem_map(1, p, unit, theirs) == TS_OK &&
                  d->mem_set_access(1, p, unit) == TS_OK &&
                  d->fill(1, p, 42, unit, NULL) == TS_OK &&
                  d->device_synchronize(1) == TS_OK;

        _exit(ok ? 0 : 1);
    }
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_expect_eq(status, 0);
    OK(d->handle_import(0, fd, &again));
    close(fd);
    OK(d->address_reserve(0, unit, &here));
    OK(d->mem_map(0, here, unit, again));
    OK(d->handle_release(0, h));
    OK(d->handle_release(0, again));
    OK(d->mem_set_access(0, here, unit));
    OK(d->copy(0, &byte, (void *)(uintptr_t)here, 1, TS_DEVICE_TO_HOST, NULL));
    OK(d->device_synchronize(0));
    cr_expect_eq(byte, 42, "the mapping holds it");
    OK(d->address_reserve(1, unit, &there));
    OK(d->mem_unmap(0, here, unit));
    OK(d->mem_info(0, &after, &total));
    cr_expect_eq(before, after, "and gone with the last one");
    cr_expect_eq(d->handle_import(0, STDIN_FILENO, &again), TS_ERR_VALUE);
    OK(d->address_free(0, here, unit));
    OK(d->address_free(1, there, unit));
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The software accelerator: memory the host can't touch,
 * asynchronous streams, events, capture. */
#include <criterion/criterion.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
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

static void open_lazy(void)
{
    setenv("TOUCHSTONE_ACCEL_STREAMS", "lazy", 1);
    open_all();
}

static ts_tensor *full(double v)
{
    ts_full_opts o = ts_full_defaults();
    ts_tensor *t;

    o.dtype = TS_FLOAT32;
    o.device = accel;
    cr_assert_eq(ts_full((int64_t[]){4}, 1, ts_float(v), &o, &t), TS_OK, "%s",
                 ts_error_message());
    return t;
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

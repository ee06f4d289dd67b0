/* SPDX-License-Identifier: Apache-2.0 */
/* The host code of the CUDA backend, over the stand-ins: memory, copies, streams, events,
 * captures, virtual memory, and what the device has to say. */
#include <criterion/criterion.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "touchstone/touchstone.h"

static const ts_device accel = {TS_ACCEL, 0};
static const ts_driver *d;
static ts_backend backend;

static void open_backend(void)
{
    void *h = dlopen(getenv("TOUCHSTONE_CUDA"), RTLD_NOW);
    const ts_host host = {.size = sizeof host, .abi = TS_BACKEND_ABI, .fail = ts_fail};
    ts_backend_open_fn open = NULL;

    cr_assert(h, "%s", dlerror());
    *(void **)&open = dlsym(h, "ts_backend_open");
    cr_assert(open, "%s", dlerror());
    cr_assert_eq(open(&host, &backend), TS_OK, "%s", ts_error_message());
    d = backend.driver;
    cr_assert(d && backend.simulated && !d->launch);
    cr_assert_eq(ts_accel_open(d), TS_OK);
    cr_assert_eq(ts_backend_install(TS_ACCEL, &backend, NULL), TS_OK);
}

#define OK(call) cr_assert_eq(call, TS_OK, "%s", ts_error_message())

Test(cuda, memory_goes_there_and_back, .init = open_backend)
{
    const int from[4] = {1, 2, 3, 4};
    int to[4] = {0};
    ts_devptr p;
    void *at;

    OK(d->mem_alloc(0, sizeof from, &p));
    at = (void *)(uintptr_t)p;
    OK(d->copy(0, to, at, sizeof to, TS_DEVICE_TO_HOST, NULL));
    OK(d->stream_synchronize(0, NULL));
    cr_expect_eq(to[0], -1, "fresh memory is poisoned: %#x", to[0]);
    OK(d->copy(0, at, from, sizeof from, TS_HOST_TO_DEVICE, NULL));
    OK(d->fill(0, p + 4, 0, 4, NULL));
    OK(d->copy(0, to, at, sizeof to, TS_DEVICE_TO_HOST, NULL));
    OK(d->device_synchronize(0));
    cr_expect(to[0] == 1 && to[1] == 0 && to[2] == 3 && to[3] == 4);
    OK(d->mem_free(0, p));
    cr_expect_eq(d->mem_free(0, p), TS_ERR_RUNTIME);
    cr_expect(strstr(ts_error_message(), "cudaFree"), "%s", ts_error_message());
    cr_expect_eq(d->mem_alloc(0, (size_t)1 << 40, &p), TS_ERR_OUT_OF_MEMORY);
}

static ts_tensor *numbers(ts_dtype dtype, int64_t n, double value)
{
    ts_tensor *t;

    OK(ts_tensor_new(accel, dtype, 1, &n, &t));
    OK(ts_storage_write(ts_tensor_storage(t), 0, 8, &value));
    return t;
}

static double first(ts_tensor *t)
{
    double v;

    OK(ts_storage_read(ts_tensor_storage(t), 0, 8, &v));
    return v;
}

Test(cuda, a_capture_is_replayed_with_what_is_there_then, .init = open_backend)
{
    ts_tensor *x = numbers(TS_FLOAT64, 1, 1), *y = numbers(TS_FLOAT64, 1, 2);
    ts_capture_status status;
    ts_stream *s;
    tsd_graph *g;
    uint64_t id;

    OK(ts_stream_new(0, &s));
    OK(ts_accel_synchronize());
    ts_stream_set_current(s);
    OK(d->capture_begin(0, ts_stream_handle(s), TS_CAPTURE_RELAXED));
    OK(d->capture_status(0, ts_stream_handle(s), &status));
    OK(d->capture_id(0, ts_stream_handle(s), &id));
    cr_expect(status == TS_CAPTURE_ACTIVE && id != 0);
    OK(ts_add_(x, y, NULL));
    OK(d->capture_end(0, ts_stream_handle(s), &g));
    cr_expect_eq(d->graph_node_count(0, g), 1);
    cr_expect_eq(first(x), 1, "a captured launch did run");
    OK(d->graph_launch(0, g, ts_stream_handle(s)));
    OK(d->graph_launch(0, g, ts_stream_handle(s)));
    cr_expect_eq(first(x), 5);
    OK(d->capture_begin(0, ts_stream_handle(s), TS_CAPTURE_GLOBAL));
    cr_expect_eq(d->stream_synchronize(0, ts_stream_handle(s)), TS_ERR_RUNTIME);
    cr_expect_str_eq(ts_error_label(), "graph/C3");
    cr_expect_eq(d->capture_end(0, ts_stream_handle(s), &g), TS_ERR_RUNTIME);
    ts_stream_set_current(NULL);
    ts_stream_release(s);
    ts_release(x);
    ts_release(y);
}

Test(cuda, events_tell_time_and_order, .init = open_backend)
{
    ts_tensor *x = numbers(TS_FLOAT64, 1 << 16, 1);
    ts_event *a, *b;
    bool done;
    double ms;

    OK(ts_event_new(true, &a));
    OK(ts_event_new(true, &b));
    OK(ts_event_record(a, NULL));
    OK(ts_add_(x, x, NULL));
    OK(ts_event_record(b, NULL));
    OK(ts_event_synchronize(b));
    OK(ts_event_query(b, &done));
    OK(ts_event_elapsed(a, b, &ms));
    cr_expect(done && ms > 0);
    ts_event_release(a);
    ts_event_release(b);
    ts_release(x);
}

Test(cuda, addresses_and_memory_apart, .init = open_backend)
{
    const size_t unit = d->granularity(0);
    const int word = 7;
    int back = 0;
    tsd_handle *h;
    ts_devptr p;

    cr_assert_gt(unit, 0);
    OK(d->address_reserve(0, 2 * unit, &p));
    OK(d->handle_create(0, unit, &h));
    OK(d->mem_map(0, p + unit, unit, h));
    OK(d->mem_set_access(0, p + unit, unit));
    OK(d->copy(0, (void *)(uintptr_t)(p + unit), &word, 4, TS_HOST_TO_DEVICE, NULL));
    OK(d->copy(0, &back, (void *)(uintptr_t)(p + unit), 4, TS_DEVICE_TO_HOST, NULL));
    OK(d->device_synchronize(0));
    cr_expect_eq(back, 7);
    cr_expect_eq(d->address_free(0, p, 2 * unit), TS_ERR_VALUE, "part is mapped");
    OK(d->mem_unmap(0, p + unit, unit));
    OK(d->handle_release(0, h));
    OK(d->address_free(0, p, 2 * unit));
    cr_expect_eq(d->handle_create(0, 1, &h), TS_ERR_VALUE, "no multiple of the unit");
}

Test(cuda, an_index_out_of_range_is_told_once_at_the_next_wait, .init = open_backend)
{
    const int64_t indices[] = {0, 9}, rows[] = {3, 2}, two[] = {2};
    ts_tensor *index, *table, *out;

    OK(ts_tensor_new(accel, TS_INT64, 1, two, &index));
    OK(ts_storage_write(ts_tensor_storage(index), 0, sizeof indices, indices));
    OK(ts_tensor_new(accel, TS_FLOAT32, 2, rows, &table));
    OK(ts_embedding(index, table, NULL, &out));
    cr_expect_eq(ts_accel_synchronize(), TS_ERR_INDEX);
    cr_expect_str_eq(ts_error_label(), "embedding/C3");
    cr_expect(strstr(ts_error_message(), "index 9 is out of range for 3 rows"), "%s",
              ts_error_message());
    OK(ts_accel_synchronize());
    OK(ts_add_(table, table, NULL)); /* the device stays usable */
    OK(ts_accel_synchronize());
    ts_release(index);
    ts_release(table);
    ts_release(out);
}

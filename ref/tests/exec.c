/* SPDX-License-Identifier: Apache-2.0 */
/* What only late work shows: streams that run as late as the rules allow; what the race
 * check and autocast say in C. */
#include <criterion/criterion.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "touchstone/alloc.h"
#include "touchstone/amp.h"
#include "touchstone/touchstone.h"

static ts_stream *side;

static void open_lazy(void)
{
    const ts_host host = {sizeof host, TS_BACKEND_ABI, ts_fail};
    void *h = dlopen(getenv("TOUCHSTONE_REFERENCE"), RTLD_NOW);
    ts_backend_open_fn open = NULL;
    ts_backend b;

    setenv("TOUCHSTONE_ACCEL_STREAMS", "lazy", 1);
    cr_assert(h, "%s", dlerror());
    *(void **)&open = dlsym(h, "ts_backend_open");
    cr_assert(open, "%s", dlerror());
    cr_assert_eq(open(&host, &b), TS_OK);
    cr_assert_eq(ts_backend_install(TS_CPU, &b, NULL), TS_OK);
    cr_assert_eq(ts_backend_install(TS_ACCEL, &b, NULL), TS_OK);
    cr_assert_eq(ts_accel_open(ts_software_driver()), TS_OK);
    cr_assert_eq(ts_stream_new(0, &side), TS_OK);
}

static ts_tensor *full(double v)
{
    ts_full_opts o = ts_full_defaults();
    ts_tensor *t;

    o.dtype = TS_FLOAT32;
    o.device = (ts_device){TS_ACCEL, 0};
    cr_assert_eq(ts_full((int64_t[]){4}, 1, ts_float(v), &o, &t), TS_OK);
    return t;
}

static void fill_on(ts_stream *s, ts_tensor *t, double v)
{
    ts_stream *before = ts_stream_retain(ts_stream_current());

    ts_stream_set_current(s);
    cr_assert_eq(ts_fill_number_(t, ts_float(v)), TS_OK, "%s", ts_error_message());
    ts_stream_set_current(before);
    ts_stream_release(before);
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

Test(exec, s2_a_missing_wait_reads_what_was_there_before, .init = open_lazy)
{
    ts_tensor *t = full(1);

    cr_assert_eq(ts_accel_synchronize(), TS_OK);
    fill_on(side, t, 2);
    cr_expect_eq(first(t), 1);
    cr_assert_eq(ts_stream_wait_stream(ts_stream_current(), side), TS_OK);
    cr_expect_eq(first(t), 2);
    ts_release(t);
}

Test(exec, s5_a_wait_covers_only_what_was_submitted_before, .init = open_lazy)
{
    ts_tensor *t = full(1);

    cr_assert_eq(ts_accel_synchronize(), TS_OK);
    fill_on(side, t, 2);
    cr_assert_eq(ts_stream_wait_stream(ts_stream_current(), side), TS_OK);
    fill_on(side, t, 3);
    cr_expect_eq(first(t), 2);
    cr_assert_eq(ts_accel_synchronize(), TS_OK);
    cr_expect_eq(first(t), 3);
    ts_release(t);
}

Test(exec, c3_an_event_that_has_not_passed_has_no_time, .init = open_lazy)
{
    ts_event *a, *b;
    double ms = -1;

    cr_assert_eq(ts_event_new(true, &a), TS_OK);
    cr_assert_eq(ts_event_new(true, &b), TS_OK);
    cr_assert_eq(ts_event_record(a, side), TS_OK);
    cr_assert_eq(ts_event_record(b, side), TS_OK);
    cr_expect_eq(ts_event_elapsed(a, b, &ms), TS_ERR_RUNTIME);
    cr_expect_str_eq(ts_error_label(), "exec/C3");
    cr_assert_eq(ts_event_synchronize(b), TS_OK);
    cr_expect_eq(ts_event_elapsed(a, b, &ms), TS_OK);
    cr_expect(ms >= 0);
    ts_event_release(a);
    ts_event_release(b);
}

Test(exec, c4_a_race_names_ops_and_streams, .init = open_lazy)
{
    ts_tensor *t = full(1), *r;

    cr_assert_eq(ts_race_check_begin(), TS_OK);
    fill_on(side, t, 2);
    cr_expect_eq(ts_neg(t, &r), TS_ERR_RUNTIME);
    cr_expect_str_eq(ts_error_label(), "exec/C4");
    cr_expect(strstr(ts_error_message(), "neg on stream 0 reads"), "%s",
              ts_error_message());
    cr_expect(strstr(ts_error_message(), "fill on stream"), "%s", ts_error_message());
    cr_assert_eq(ts_race_check_end(), TS_OK);
    ts_release(t);
}

Test(exec, s15_a_free_under_pending_work_is_told_at_the_end, .init = open_lazy)
{
    ts_tensor *t = full(1), *u = full(1);

    cr_assert_eq(ts_race_check_begin(), TS_OK);
    fill_on(side, t, 2);
    fill_on(side, u, 2);
    cr_assert_eq(ts_tensor_record_stream(u, side), TS_OK);
    ts_release(u);
    cr_expect_eq(ts_race_check_end(), TS_OK, "%s", ts_error_message());
    cr_assert_eq(ts_race_check_begin(), TS_OK);
    u = full(1);
    cr_assert_eq(ts_stream_wait_stream(side, ts_stream_current()), TS_OK);
    fill_on(side, u, 2);
    ts_release(u);
    cr_expect_eq(ts_race_check_end(), TS_ERR_RUNTIME);
    cr_expect(strstr(ts_error_message(), "record_stream"), "%s", ts_error_message());
    ts_release(t);
}

Test(amp, s9_regions_nest_and_put_back)
{
    ts_autocast outer, inner;

    cr_assert_eq(
        ts_autocast_begin(&(ts_autocast){TS_CPU, TS_FLOAT16, true, true}, &outer), TS_OK);
    cr_assert_eq(
        ts_autocast_begin(&(ts_autocast){TS_CPU, TS_BFLOAT16, false, true}, &inner),
        TS_OK);
    cr_expect(!ts_autocast_now(TS_CPU).enabled);
    ts_autocast_end(&inner);
    cr_expect(ts_autocast_now(TS_CPU).enabled);
    cr_expect_eq(ts_autocast_now(TS_CPU).dtype, TS_FLOAT16);
    ts_autocast_end(&outer);
    cr_expect(!ts_autocast_now(TS_CPU).enabled);
    cr_expect_eq(
        ts_autocast_begin(&(ts_autocast){TS_META, TS_FLOAT16, true, true}, &outer),
        TS_ERR_RUNTIME);
    cr_expect_str_eq(ts_error_label(), "amp/C1");
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The caching allocator over a fake device; its invariants after every step. */
#include <criterion/criterion.h>
#include <pthread.h>

#include "alloc/alloc.h"
#include "tests/fake_device.h"

#define MIB ((size_t)1 << 20)

static ts_alloc *a;
static ts_stream *side;

static void open_fake(void)
{
    cr_assert_eq(ts_accel_open(&fake_driver), TS_OK);
    cr_assert_eq(ts_alloc_new(&fake_driver, 0, &a), TS_OK);
    cr_assert_eq(ts_stream_new(0, &side), TS_OK);
}

static void close_fake(void)
{
    ts_stream_release(side);
    ts_alloc_destroy(a);
    cr_assert_eq(fake.used, 0, "%zu bytes never came back", fake.used);
}

TestSuite(alloc, .init = open_fake, .fini = close_fake);

static void valid(void)
{
    const char *wrong = tsi_alloc_is_valid(a);

    cr_assert(!wrong, "%s", wrong);
}

static ts_devptr get_on(size_t bytes, ts_stream *s)
{
    ts_devptr p;

    cr_assert_eq(ts_alloc_malloc(a, bytes, s, &p), TS_OK, "%s", ts_error_message());
    valid();
    return p;
}

static ts_devptr get(size_t bytes)
{
    return get_on(bytes, ts_stream_default());
}

static void put(ts_devptr p)
{
    cr_assert_eq(ts_alloc_free(a, p), TS_OK, "%s", ts_error_message());
    valid();
}

static int64_t stat(const char *name)
{
    int64_t v[TS_MEMORY_STATS];
    const int i = ts_memory_stat_find(name);

    cr_assert(i >= 0, "no key %s", name);
    ts_alloc_stats(a, v);
    return v[i];
}

Test(alloc, s1_sizes_round_to_512)
{
    get(1);
    cr_expect_eq(stat("allocated_bytes.all.current"), 512);
    cr_expect_eq(stat("requested_bytes.all.current"), 1);
    get(513);
    cr_expect_eq(stat("allocated_bytes.all.current"), 512 + 1024);
    cr_expect_eq(get(0), 0);
    cr_expect_eq(stat("allocation.all.current"), 2);
}

Test(alloc, s4_segment_sizes)
{
    static const struct {
        size_t request, segment;
    } row[] = {{1, 2 * MIB},         {MIB, 2 * MIB},
               {MIB + 1, 20 * MIB},  {10 * MIB - 512, 20 * MIB},
               {10 * MIB, 10 * MIB}, {10 * MIB + 1, 12 * MIB}};

    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        const ts_devptr p = get(row[i].request);

        cr_expect_eq(stat("reserved_bytes.all.current"), (int64_t)row[i].segment,
                     "row %zu", i);
        put(p);
        cr_assert_eq(ts_alloc_empty_cache(a), TS_OK);
        cr_expect_eq(stat("reserved_bytes.all.current"), 0);
    }
}

Test(alloc, s3_best_fit_and_oldest_segment_first)
{
    const ts_devptr p = get(20 * MIB), q = get(16 * MIB), r = get(20 * MIB);

    put(r);
    put(q);
    put(p);
    cr_expect_eq(get(15 * MIB), q);
    cr_expect_eq(get(20 * MIB), p);
    cr_expect_eq(get(20 * MIB), r);
}

Test(alloc, s5_s6_split_and_merge)
{
    const ts_devptr x = get(512), y = get(512), z = get(512);

    cr_expect_eq(y, x + 512);
    cr_expect_eq(z, x + 1024);
    put(y);
    cr_expect_eq(stat("inactive_split.all.current"), 2);
    put(x);
    cr_expect_eq(stat("inactive_split.all.current"), 2);
    put(z);
    cr_expect_eq(stat("inactive_split.all.current"), 0);
    cr_expect_eq(stat("inactive_split_bytes.all.current"), 0);
    /* A large remainder of 1 MiB stays with its block, one more byte does not. */
    const ts_devptr u = get(20 * MIB);

    put(u);
    put(get(19 * MIB));
    cr_expect_eq(stat("inactive_split.all.peak"), 2);
    cr_expect_eq(stat("allocated_bytes.large_pool.peak"), (int64_t)(20 * MIB));
    get(19 * MIB - 512);
    cr_expect_eq(stat("inactive_split.large_pool.current"), 1);
    cr_expect_eq(stat("inactive_split_bytes.large_pool.current"), (int64_t)MIB + 512);
}

/* allocator/S8 */
Test(alloc, s8_a_block_stays_with_its_stream)
{
    const ts_devptr p = get(512);

    put(p);
    cr_expect_neq(get_on(512, side), p);
    cr_expect_eq(get(512), p);
}

/* allocator/S9 allocator/S10 allocator/S11 */
Test(alloc, s9_a_recorded_stream_defers_reuse)
{
    const ts_devptr p = get(12 * MIB);

    fake_hold(0, true);
    cr_assert_eq(ts_alloc_record_stream(a, p, side), TS_OK);
    put(p);
    cr_expect_eq(stat("allocation.all.current"), 0);
    cr_expect_eq(stat("active.all.current"), 1);
    cr_expect_neq(get(12 * MIB), p);
    fake_hold(0, false);
    cr_expect_eq(stat("active.all.current"), 2, "only malloc looks at events");
    cr_expect_eq(get(12 * MIB), p);
}

/* allocator/S12 allocator/S20 */
Test(alloc, s12_gives_the_cache_back_before_it_fails)
{
    ts_devptr p = get(600 * MIB), q;
    ts_memory_event *e;
    size_t n;

    put(p);
    cr_assert_eq(ts_alloc_record_history(a, 100), TS_OK);
    p = get(800 * MIB);
    cr_expect_eq(stat("num_alloc_retries"), 1);
    cr_expect_eq(ts_alloc_malloc(a, 400 * MIB, ts_stream_default(), &q),
                 TS_ERR_OUT_OF_MEMORY);
    cr_expect_eq(q, 0);
    valid();
    cr_expect_eq(stat("num_ooms"), 1);
    cr_expect(strstr(ts_error_message(), "400.00 MiB"), "%s", ts_error_message());
    cr_assert_eq(ts_alloc_take_history(a, &e, &n), TS_OK);
    cr_assert_eq(n, 4);
    cr_expect_eq(e[0].action, TS_MEMORY_SEGMENT_FREE);
    cr_expect_eq(e[1].action, TS_MEMORY_SEGMENT_ALLOC);
    cr_expect_eq(e[2].action, TS_MEMORY_ALLOC);
    cr_expect_eq(e[3].action, TS_MEMORY_OOM);
    cr_expect_eq(e[3].address, 224 * MIB);
    free(e);
    cr_expect_eq(ts_alloc_malloc(a, SIZE_MAX, ts_stream_default(), &q),
                 TS_ERR_OUT_OF_MEMORY);
    put(p);
}

/* allocator/S12 */
Test(alloc, s12_a_block_freed_by_the_wait_is_not_searched_for)
{
    const ts_devptr all = get(1000 * MIB);
    ts_devptr p, q;

    put(all);
    p = get(500 * MIB);
    get(400 * MIB);
    cr_assert_eq(ts_alloc_record_stream(a, p, side), TS_OK);
    fake_hold(0, true);
    put(p);
    cr_expect_eq(ts_alloc_malloc(a, 500 * MIB, ts_stream_default(), &q),
                 TS_ERR_OUT_OF_MEMORY);
    cr_expect_eq(fake.waits, 1);
    cr_expect_eq(get(500 * MIB), p);
    fake_hold(0, false);
}

Test(alloc, s13_a_fraction_limits_what_is_reserved)
{
    ts_devptr p;

    cr_assert_eq(ts_alloc_set_memory_fraction(a, 0.03125), TS_OK); /* 32 MiB */
    get(20 * MIB);
    cr_expect_eq(ts_alloc_malloc(a, 14 * MIB, ts_stream_default(), &p),
                 TS_ERR_OUT_OF_MEMORY);
    get(12 * MIB);
    cr_expect_eq(ts_alloc_memory_fraction(a), 0.03125);
    cr_expect_eq(ts_alloc_set_memory_fraction(a, 1.5), TS_ERR_VALUE);
}

Test(alloc, s14_snapshot)
{
    const ts_devptr p = get(1000), q = get(4 * MIB);
    ts_memory_snapshot *s;

    cr_assert_eq(ts_alloc_record_stream(a, p, side), TS_OK);
    fake_hold(0, true);
    put(p);
    cr_assert_eq(ts_alloc_snapshot(a, &s), TS_OK);
    cr_assert_eq(s->segment_count, 2);
    cr_expect_eq(s->segments[0].total, 2 * MIB);
    cr_expect_eq(s->segments[0].active, 1024);
    cr_expect_eq(s->segments[0].allocated, 0);
    cr_expect_eq(s->segments[0].blocks[0].state, TS_BLOCK_ACTIVE_PENDING_FREE);
    cr_expect_eq(s->segments[0].blocks[0].requested, 1000);
    cr_expect_eq(s->segments[1].address, q);
    cr_expect_eq(s->segments[1].block_count, 2);
    cr_expect_eq(s->segments[1].blocks[1].state, TS_BLOCK_INACTIVE);
    ts_memory_snapshot_free(s);
    fake_hold(0, false);
}

/* allocator/S17 allocator/S18 allocator/C4 allocator/C5 */
Test(alloc, s17_s18_private_pools_keep_to_themselves)
{
    const ts_pool_id id = ts_pool_id_new(true);
    const ts_devptr p = get(512);
    ts_devptr q;

    put(p);
    cr_assert_eq(ts_alloc_begin_pool(a, id, NULL, NULL), TS_OK);
    cr_expect_eq(ts_alloc_begin_pool(a, id, NULL, NULL), TS_ERR_RUNTIME);
    q = get(512);
    cr_expect_neq(q, p);
    cr_assert_eq(ts_alloc_end_pool(a, id), TS_OK);
    cr_expect_eq(ts_alloc_end_pool(a, id), TS_ERR_RUNTIME);
    cr_expect_eq(get(512), p);
    put(q);
    cr_assert_eq(ts_alloc_empty_cache(a), TS_OK);
    cr_expect_eq(stat("segment.all.current"), 2, "the pool is still in use");
    cr_assert_eq(ts_alloc_release_pool(a, id), TS_OK);
    cr_assert_eq(ts_alloc_empty_cache(a), TS_OK);
    cr_expect_eq(stat("segment.all.current"), 1);
    cr_expect_eq(ts_alloc_pool_uses(a, id), 0);
    cr_expect_eq(ts_alloc_release_pool(a, id), TS_ERR_RUNTIME);
}

/* allocator/S19 */
Test(alloc, s19_a_capture_puts_frees_off)
{
    ts_stream *other;
    ts_devptr p, q;

    cr_assert_eq(ts_stream_new(0, &other), TS_OK);
    p = get_on(12 * MIB, side);
    q = get_on(12 * MIB, side);
    cr_assert_eq(ts_alloc_record_stream(a, p, other), TS_OK);
    ts_alloc_mark_capture(a, true);
    fake.capturing = true;
    ts_stream_set_current(side);
    cr_assert_eq(ts_alloc_record_stream(a, q, other), TS_OK);
    put(p);
    put(q);
    cr_expect_neq(get_on(12 * MIB, side), p);
    cr_expect_eq(stat("active.all.current"), 3);
    fake.capturing = false;
    ts_alloc_mark_capture(a, false);
    ts_stream_set_current(NULL);
    fake_hold(1, true); /* p waits for it; q was used in the capture only */
    cr_expect_eq(get_on(12 * MIB, side), q);
    fake_hold(1, false);
    cr_expect_eq(get_on(12 * MIB, side), p);
    ts_stream_release(other);
}

/* allocator/S19: recorded before the capture and in it again */
Test(alloc, s19_a_capture_ends_an_older_use_that_it_repeats)
{
    ts_stream *other;
    ts_devptr p;

    cr_assert_eq(ts_stream_new(0, &other), TS_OK);
    p = get_on(12 * MIB, side);
    cr_assert_eq(ts_alloc_record_stream(a, p, other), TS_OK);
    ts_alloc_mark_capture(a, true);
    fake.capturing = true;
    ts_stream_set_current(side);
    cr_assert_eq(ts_alloc_record_stream(a, p, other), TS_OK);
    put(p);
    fake.capturing = false;
    ts_alloc_mark_capture(a, false);
    ts_stream_set_current(NULL);
    fake_hold(1, true);
    cr_expect_eq(get_on(12 * MIB, side), p);
    fake_hold(1, false);
    ts_stream_release(other);
}

Test(alloc, c3_an_unknown_address)
{
    const ts_devptr p = get(512);

    put(p);
    cr_expect_eq(ts_alloc_free(a, p), TS_ERR_RUNTIME);
    cr_expect_str_eq(ts_error_label(), "allocator/C3");
    cr_expect_eq(ts_alloc_free(a, 0), TS_OK);
}

/* allocator/C7 */
Test(alloc, c7_a_tensor_elsewhere)
{
    ts_tensor *t;

    cr_assert_eq(ts_tensor_new((ts_device){TS_CPU, 0}, TS_FLOAT32, 1, (int64_t[]){2}, &t),
                 TS_OK);
    cr_expect_eq(ts_tensor_record_stream(t, side), TS_ERR_NOT_IMPLEMENTED);
    ts_release(t);
}

static uint64_t next(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

static void *hammer(void *arg)
{
    uint64_t r = (uint64_t)(uintptr_t)arg;
    ts_devptr held[16] = {0};

    for (int i = 0; i < 2000; i++) {
        ts_devptr *h = &held[next(&r) % 16];

        if (*h && next(&r) % 8 == 0)
            ts_alloc_record_stream(a, *h, side);
        if (ts_alloc_free(a, *h) != TS_OK)
            return "free";
        *h = 0;
        if (next(&r) % 64 == 0 && ts_alloc_empty_cache(a) != TS_OK)
            return "empty_cache";
        if (ts_alloc_malloc(a, 1 + next(&r) % (2 * MIB), ts_stream_default(), h) != TS_OK)
            return "malloc";
        if (tsi_alloc_is_valid(a))
            return "invariant";
    }
    for (int i = 0; i < 16; i++)
        ts_alloc_free(a, held[i]);
    return NULL;
}

/* allocator/S21 */
Test(alloc, threads_share_it)
{
    pthread_t t[4];

    for (int i = 0; i < 4; i++)
        pthread_create(&t[i], NULL, hammer, (void *)(uintptr_t)(i + 1));
    for (int i = 0; i < 4; i++) {
        void *wrong;

        pthread_join(t[i], &wrong);
        cr_expect(!wrong, "%s", (const char *)wrong);
    }
    valid();
    cr_assert_eq(ts_alloc_empty_cache(a), TS_OK);
    cr_expect_eq(stat("allocation.all.current"), 0);
    cr_expect_eq(stat("segment.all.current"), 0);
}

/* Settings that have no effect are not passed over in silence. */
Test(alloc, settings_in_the_environment)
{
    static const char *const names[] = {"PYTORCH_ALLOC_CONF", "PYTORCH_CUDA_ALLOC_CONF"};
    const int before = ts_warning_count();
    ts_alloc *other;

    unsetenv(names[0]);
    unsetenv(names[1]);
    cr_assert_eq(ts_alloc_new(&fake_driver, 0, &other), TS_OK);
    ts_alloc_destroy(other);
    cr_assert_eq(ts_warning_count(), before);
    for (int i = 0; i < 2; i++) {
        cr_assert_eq(setenv(names[i], "max_split_size_mb:64", 1), 0);
        cr_assert_eq(ts_alloc_new(&fake_driver, 0, &other), TS_OK);
        ts_alloc_destroy(other);
        cr_expect_eq(ts_warning_count(), before + i + 1);
        cr_expect(strstr(ts_warning_message(), names[i]), "%s", ts_warning_message());
        unsetenv(names[i]);
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The table of communicators: what each call does, on host memory and as work of streams;
 * abort, split, messages in any order. */
#include <pthread.h>
#include <time.h>

#include "tests/support.h"
#include "touchstone/dist.h"

TestSuite(communicator, .timeout = 60);

enum { RANKS = 3, MOST = 16 };

static const ts_communicator *table(void)
{
    return ts_reference_communicator();
}

static tsd_comm *comm_of(const ts_unique_id *id, int ranks, int rank, ts_device_type type)
{
    const ts_comm_config config = {sizeof config, *id, ranks, rank, {type, 0}};
    tsd_comm *c = NULL;

    OK(table()->init(&config, &c));
    return c;
}

static ts_collective what(ts_dtype dtype, int64_t n)
{
    return (ts_collective){.size = sizeof(ts_collective), .dtype = dtype, .n = n};
}

/* --- every call, each rank on a thread --- */

typedef struct player {
    ts_unique_id id;
    int rank;
    const char *wrong;
} player;

#define WANT(ok)                \
    do {                        \
        if (!(ok) && !p->wrong) \
            p->wrong = #ok;     \
    } while (0)

static void reductions(player *p, tsd_comm *c)
{
    const int r = p->rank;
    const double in[MOST] = {r + 1, 10, r, 5, -r, 1};
    double out[MOST] = {0};
    ts_collective w = what(TS_FLOAT64, 2);

    WANT(table()->all_reduce(c, &w, in, out) == TS_OK);
    WANT(out[0] == 6 && out[1] == 30 && out[2] == 0);
    w.op = TS_REDUCE_AVG;
    WANT(table()->all_reduce(c, &w, in, out) == TS_OK);
    WANT(out[0] == 2 && out[1] == 10);
    w.op = TS_REDUCE_PREMUL_SUM;
    w.factor = r;
    WANT(table()->all_reduce(c, &w, in, out) == TS_OK);
    WANT(out[0] == 2 + 2 * 3 && out[1] == 30);
    w.op = TS_REDUCE_MAX;
    w.root = 1;
    out[0] = -1;
    WANT(table()->reduce(c, &w, in, out) == TS_OK);
    WANT(out[0] == (r == 1 ? 3 : -1));
    w.op = TS_REDUCE_SUM;
    WANT(table()->reduce_scatter(c, &w, in, out) == TS_OK);
    WANT(r != 0 || (out[0] == 6 && out[1] == 30));
    WANT(r != 1 || (out[0] == 3 && out[1] == 15));
    WANT(r != 2 || (out[0] == -3 && out[1] == 3));
    w.op = TS_REDUCE_BAND;
    WANT(table()->all_reduce(c, &w, in, out) == TS_ERR_UNSUPPORTED);
}

static void moves(player *p, tsd_comm *c)
{
    const int r = p->rank;
    const int32_t in[MOST] = {10 * r, 10 * r + 1, 10 * r + 2};
    const int64_t sent[RANKS] = {r == 0, 1, r == 2};
    /* 0 sends to 0 and 1, 1 to 1, 2 to 1 and 2 */
    const int64_t wanted[RANKS][RANKS] = {{1, 0, 0}, {1, 1, 1}, {0, 0, 1}};
    int32_t out[MOST] = {-1, -1, -1, -1, -1, -1};
    ts_collective w = what(TS_INT32, 1);

    w.root = 2;
    WANT(table()->broadcast(c, &w, in, out) == TS_OK);
    WANT(out[0] == 20 && out[1] == -1);
    WANT(table()->scatter(c, &w, in, out) == TS_OK);
    WANT(out[0] == 20 + r && out[1] == -1);
    out[0] = -1;
    WANT(table()->gather(c, &w, in, out) == TS_OK);
    WANT(r == 2 ? out[0] == 0 && out[1] == 10 && out[2] == 20 : out[0] == -1);
    WANT(table()->all_gather(c, &w, in, out) == TS_OK);
    WANT(out[0] == 0 && out[1] == 10 && out[2] == 20);
    WANT(table()->all_to_all(c, &w, in, out) == TS_OK);
    WANT(out[0] == r && out[1] == 10 + r && out[2] == 20 + r);
    WANT(table()->all_to_all_v(c, &w, in, sent, out, wanted[r]) == TS_OK);
    WANT(r != 0 || out[0] == 0);
    WANT(r != 1 || (out[0] == 1 && out[1] == 10 && out[2] == 20));
    WANT(r != 2 || out[0] == 21);
    WANT(table()->barrier(c, &w) == TS_OK);
}

/* A ring, where each both sends and receives: in a group no order is wrong. */
static void messages(player *p, tsd_comm *c)
{
    const int r = p->rank;
    int64_t mine = r, theirs = -1;
    ts_collective to = what(TS_INT64, 1), from = to;

    to.root = (r + 1) % RANKS;
    from.root = (r + 2) % RANKS;
    for (int round = 0; round < 3; round++) {
        WANT(table()->group_start() == TS_OK);
        WANT(table()->send(c, &to, &mine, NULL) == TS_OK);
        WANT(table()->recv(c, &from, NULL, &theirs) == TS_OK);
        WANT(table()->group_end() == TS_OK);
        mine = theirs;
    }
    WANT(mine == r);
}

static void *play(void *self)
{
    player *p = self;
    const ts_comm_config config = {sizeof config, p->id, RANKS, p->rank, {TS_CPU, 0}};
    tsd_comm *c = NULL;
    int ranks, rank;

    WANT(table()->init(&config, &c) == TS_OK);
    WANT(table()->query(c, &ranks, &rank) == TS_OK && ranks == RANKS && rank == p->rank);
    reductions(p, c);
    moves(p, c);
    messages(p, c);
    table()->destroy(c);
    return NULL;
}

Test(communicator, every_call_of_threads)
{
    player players[RANKS];
    pthread_t threads[RANKS];
    ts_unique_id id;

    OK(table()->unique_id(&id));
    for (int r = 0; r < RANKS; r++) {
        players[r] = (player){id, r, NULL};
        cr_assert_eq(pthread_create(&threads[r], NULL, play, &players[r]), 0);
    }
    for (int r = 0; r < RANKS; r++)
        pthread_join(threads[r], NULL);
    for (int r = 0; r < RANKS; r++)
        cr_expect(!players[r].wrong, "rank %d: %s", r, players[r].wrong);
}

Test(communicator, an_id_has_one_communicator_a_rank)
{
    ts_comm_config config = {.size = sizeof config, .ranks = 2};
    tsd_comm *c, *other;

    OK(table()->unique_id(&config.id));
    OK(table()->init(&config, &c));
    cr_expect_eq(table()->init(&config, &other), TS_ERR_VALUE);
    config.ranks = 3;
    config.rank = 1;
    cr_expect_eq(table()->init(&config, &other), TS_ERR_VALUE);
    config.rank = 3;
    cr_expect_eq(table()->init(&config, &other), TS_ERR_VALUE);
    table()->destroy(c);
}

Test(communicator, ranks_that_do_not_agree_are_told)
{
    ts_unique_id id;
    tsd_comm *c[2];
    ts_collective w = what(TS_FLOAT32, 1);
    float x[2] = {1, 2};

    OK(table()->unique_id(&id));
    for (int r = 0; r < 2; r++)
        c[r] = comm_of(&id, 2, r, TS_CPU);
    OK(table()->group_start());
    OK(table()->all_reduce(c[0], &w, &x[0], &x[0]));
    w.n = 2;
    OK(table()->all_reduce(c[1], &w, &x[0], &x[0]));
    cr_expect_eq(table()->group_end(), TS_ERR_DIST);
    cr_expect_eq(table()->async_error(c[0]), TS_ERR_DIST);
    cr_expect_eq(table()->async_error(c[0]), TS_OK);
    for (int r = 0; r < 2; r++)
        table()->destroy(c[r]);
}

/* --- abort --- */

typedef struct waiter {
    tsd_comm *comm;
    ts_status status;
    _Atomic bool entered;
} waiter;

static void *wait_there(void *self)
{
    waiter *w = self;
    const ts_collective call = what(TS_FLOAT32, 1);
    float x = 1;

    w->entered = true;
    w->status = table()->all_reduce(w->comm, &call, &x, &x);
    return NULL;
}

Test(communicator, abort_wakes_who_waits)
{
    const struct timespec nap = {0, 50000000};
    const ts_collective call = what(TS_FLOAT32, 1);
    ts_unique_id id;
    tsd_comm *other;
    pthread_t thread;
    waiter w = {0};
    float x = 1;

    OK(table()->unique_id(&id));
    w.comm = comm_of(&id, 2, 0, TS_CPU);
    other = comm_of(&id, 2, 1, TS_CPU);
    cr_assert_eq(pthread_create(&thread, NULL, wait_there, &w), 0);
    while (!w.entered)
        ;
    nanosleep(&nap, NULL);
    OK(table()->abort(other));
    pthread_join(thread, NULL);
    cr_expect_eq(w.status, TS_ERR_DIST);
    cr_expect_eq(table()->all_reduce(other, &call, &x, &x), TS_ERR_DIST);
    cr_expect_eq(table()->all_reduce(w.comm, &call, &x, &x), TS_ERR_DIST);
    cr_expect_eq(table()->async_error(w.comm), TS_ERR_DIST);
    table()->destroy(w.comm);
    table()->destroy(other);
}

/* --- split --- */

Test(communicator, split_by_colour_and_key)
{
    ts_unique_id id;
    tsd_comm *all[4], *part[4];
    const int color[4] = {7, 0, 7, -1};

    OK(table()->unique_id(&id));
    for (int r = 0; r < 4; r++)
        all[r] = comm_of(&id, 4, r, TS_CPU);
    OK(table()->group_start());
    for (int r = 0; r < 4; r++)
        OK(table()->split(all[r], color[r], -r, &part[r]));
    OK(table()->group_end());
    for (int r = 0; r < 3; r++) {
        int ranks, rank;

        OK(table()->query(part[r], &ranks, &rank));
        cr_expect_eq(ranks, r == 1 ? 1 : 2);
        cr_expect_eq(rank, r == 0 ? 1 : 0); /* the larger number has the smaller key */
        table()->destroy(part[r]);
    }
    cr_expect_null(part[3]);
    for (int r = 0; r < 4; r++)
        table()->destroy(all[r]);
}

/* --- streams --- */

typedef struct device_world {
    const ts_driver *driver;
    tsd_comm *comm[2];
    tsd_stream *stream[2];
    ts_devptr memory[2];
    float host[2][4];
} device_world;

static void device_open(device_world *w)
{
    ts_unique_id id;

    *w = (device_world){.driver = ts_software_driver()};
    OK(table()->unique_id(&id));
    for (int r = 0; r < 2; r++) {
        w->comm[r] = comm_of(&id, 2, r, TS_ACCEL);
        OK(w->driver->stream_create(0, 0, &w->stream[r]));
        OK(w->driver->mem_alloc(0, sizeof w->host[r], &w->memory[r]));
        for (int i = 0; i < 4; i++)
            w->host[r][i] = (float)(10 * r + i);
        OK(w->driver->copy(0, (void *)(uintptr_t)w->memory[r], w->host[r],
                           sizeof w->host[r], TS_HOST_TO_DEVICE, w->stream[r]));
    }
}

static void device_close(device_world *w)
{
    for (int r = 0; r < 2; r++) {
        table()->destroy(w->comm[r]);
        w->driver->stream_destroy(0, w->stream[r]);
        OK(w->driver->mem_free(0, w->memory[r]));
    }
}

static ts_status reduce_on(device_world *w, int r)
{
    ts_collective call = what(TS_FLOAT32, 4);
    void *p = (void *)(uintptr_t)w->memory[r];

    call.stream = w->stream[r];
    return table()->all_reduce(w->comm[r], &call, p, p);
}

static void between_kernels(void)
{
    device_world w;
    float got[2][4] = {{0}};
    bool done = true;

    device_open(&w);
    OK(table()->group_start());
    OK(reduce_on(&w, 0));
    OK(reduce_on(&w, 1));
    OK(table()->group_end());
    OK(w.driver->stream_query(0, w.stream[1], &done));
    cr_expect(!done || !getenv("TOUCHSTONE_ACCEL_STREAMS"), "it ran when it was called");
    for (int r = 0; r < 2; r++)
        OK(w.driver->copy(0, got[r], (void *)(uintptr_t)w.memory[r], sizeof got[r],
                          TS_DEVICE_TO_HOST, w.stream[r]));
    OK(w.driver->stream_synchronize(0,
                                    w.stream[1])); /* who never waits is no hindrance */
    for (int i = 0; i < 4; i++)
        cr_expect_eq(got[1][i], (float)(10 + 2 * i));
    OK(w.driver->stream_synchronize(0, w.stream[0]));
    for (int i = 0; i < 4; i++)
        cr_expect_eq(got[0][i], (float)(10 + 2 * i));
    device_close(&w);
}

Test(communicator, a_call_is_work_of_its_stream)
{
    between_kernels();
}

Test(communicator, a_call_runs_as_late_as_its_stream)
{
    setenv("TOUCHSTONE_ACCEL_STREAMS", "lazy", 1);
    between_kernels();
}

Test(communicator, abort_ends_what_a_stream_waits_for)
{
    device_world w;

    device_open(&w);
    OK(reduce_on(&w, 0)); /* the other never comes */
    OK(table()->abort(w.comm[1]));
    cr_expect_eq(w.driver->stream_synchronize(0, w.stream[0]), TS_ERR_DIST);
    cr_expect_eq(table()->async_error(w.comm[0]), TS_ERR_DIST);
    OK(w.driver->stream_synchronize(0, w.stream[1]));
    device_close(&w);
}

static void crossed_on_streams(void)
{
    device_world w;
    ts_devptr inbox[2];
    float got[2][4];

    device_open(&w);
    OK(table()->group_start());
    for (int r = 0; r < 2; r++) {
        ts_collective call = what(TS_FLOAT32, 4);

        call.stream = w.stream[r];
        call.root = 1 - r;
        OK(w.driver->mem_alloc(0, sizeof got[r], &inbox[r]));
        OK(table()->send(w.comm[r], &call, (void *)(uintptr_t)w.memory[r], NULL));
        OK(table()->recv(w.comm[r], &call, NULL, (void *)(uintptr_t)inbox[r]));
    }
    OK(table()->group_end());
    for (int r = 0; r < 2; r++) {
        OK(w.driver->copy(0, got[r], (void *)(uintptr_t)inbox[r], sizeof got[r],
                          TS_DEVICE_TO_HOST, w.stream[r]));
        OK(w.driver->stream_synchronize(0, w.stream[r]));
        for (int i = 0; i < 4; i++)
            cr_expect_eq(got[r][i], (float)(10 * (1 - r) + i));
        OK(w.driver->mem_free(0, inbox[r]));
    }
    device_close(&w);
}

Test(communicator, messages_cross_on_streams)
{
    crossed_on_streams();
}

Test(communicator, messages_cross_on_lazy_streams)
{
    setenv("TOUCHSTONE_ACCEL_STREAMS", "lazy", 1);
    crossed_on_streams();
}

/* --- versions --- */

Test(communicator, an_older_table_ends_early)
{
    ts_communicator given = *table();
    const ts_communicator *old = &given;

    given.size = offsetof(ts_communicator, split);
    cr_expect(TS_COMM_HAS(old, init));
    cr_expect_not(TS_COMM_HAS(old, split));
    cr_expect_not(TS_COMM_HAS(old, barrier));
    given.size = sizeof given;
    cr_expect(TS_COMM_HAS(old, barrier));
    given.barrier = NULL;
    cr_expect_not(TS_COMM_HAS(old, barrier));
}

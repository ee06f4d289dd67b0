/* SPDX-License-Identifier: Apache-2.0 */
/* Ranks as threads: results, refusals that reach every rank, nothing left behind. */
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <time.h>

#include "tests/support.h"

TestSuite(dist, .init = open_reference, .timeout = 60);

enum { MOST = 4 };

typedef struct player player;
struct player {
    int rank, size;
    void (*play)(player *p);
    ts_world *world;
    char wrong[600]; /* the first thing that was; asserted on the main thread */
};

static void wrong(player *p, const char *format, ...)
{
    va_list args;

    if (p->wrong[0])
        return;
    va_start(args, format);
    vsnprintf(p->wrong, sizeof p->wrong, format, args);
    va_end(args);
}

#define WANT(ok)                                                            \
    do {                                                                    \
        if (!(ok))                                                          \
            wrong(p, "line %d: %s: %s", __LINE__, #ok, ts_error_message()); \
    } while (0)
#define DO(call) WANT((call) == TS_OK)
#define REFUSED(call, status, rule) \
    WANT((call) == (status) && strcmp(ts_error_label(), rule) == 0)

static void *thread(void *self)
{
    player *p = self;

    DO(ts_world_join(p->world, p->rank));
    p->play(p);
    ts_world_leave();
    return NULL;
}

static void world_of(int size, double timeout, void (*play)(player *p))
{
    player players[MOST];
    pthread_t threads[MOST];
    ts_world *w;

    OK(ts_world_new(size, timeout, &w));
    for (int r = 0; r < size; r++) {
        players[r] = (player){.rank = r, .size = size, .play = play, .world = w};
        cr_assert_eq(pthread_create(&threads[r], NULL, thread, &players[r]), 0);
    }
    for (int r = 0; r < size; r++)
        pthread_join(threads[r], NULL);
    ts_world_free(w);
    for (int r = 0; r < size; r++)
        cr_expect(!players[r].wrong[0], "rank %d: %s", r, players[r].wrong);
    nothing_lives();
}

static ts_tensor *made(player *p, ts_dtype dtype, int rows, int columns, double first)
{
    ts_tensor *t = NULL;

    DO(ts_tensor_new((ts_device){TS_CPU, 0}, dtype, 2, (int64_t[]){rows, columns}, &t));
    for (int64_t i = 0; t && i < t->numel; i++)
        ts_store_f64(dtype, (char *)t->data + i * ts_dtype_size(dtype),
                     first + (double)i / 3);
    return t;
}

static double at(const ts_tensor *t, int64_t i)
{
    return ts_load_f64(t->dtype, (char *)t->data + i * ts_dtype_size(t->dtype));
}

static void sums(player *p)
{
    for (int round = 0; round < 50; round++) {
        ts_tensor *t = made(p, TS_FLOAT64, 2, 3, p->rank + round);

        DO(ts_all_reduce(t, TS_REDUCE_SUM, NULL, NULL));
        for (int i = 0; i < 6; i++) {
            double want = 0;

            for (int r = 0; r < p->size; r++)
                want += r + round + (double)i / 3;
            WANT(at(t, i) == want);
        }
        ts_release(t);
    }
}

Test(dist, s4_every_rank_gets_the_sum)
{
    world_of(2, 20, sums);
    world_of(4, 20, sums);
}

/* all_reduce = reduce_scatter, then all_gather, bit for bit. */
static void identity(player *p)
{
    for (int k = 0; k < 3; k++) {
        const ts_dtype dtype = (ts_dtype[]){TS_FLOAT32, TS_BFLOAT16, TS_FLOAT64}[k];
        ts_tensor *t = made(p, dtype, 4, 5, 0.1 * p->rank);
        ts_tensor *part = made(p, dtype, 4 / p->size, 5, 0);
        ts_tensor *whole = made(p, dtype, 4, 5, 0);

        DO(ts_reduce_scatter_tensor(part, t, TS_REDUCE_SUM, NULL, NULL));
        DO(ts_all_gather_into_tensor(whole, part, NULL, NULL));
        DO(ts_all_reduce(t, TS_REDUCE_SUM, NULL, NULL));
        WANT(memcmp(t->data, whole->data, (size_t)(20 * ts_dtype_size(dtype))) == 0);
        ts_release(t);
        ts_release(part);
        ts_release(whole);
    }
}

Test(dist, s10_all_reduce_is_its_two_halves)
{
    world_of(4, 20, identity);
}

static void through_strides(player *p)
{
    ts_tensor *base = made(p, TS_FLOAT32, 4, 4, 10 * p->rank), *column = NULL;

    DO(ts_select(base, 1, 1, &column));
    DO(ts_all_reduce(column, TS_REDUCE_SUM, NULL, NULL));
    for (int i = 0; i < 16; i++) {
        const float own = (float)(10 * p->rank + (double)i / 3);
        const float other = (float)(10 * (1 - p->rank) + (double)i / 3);

        WANT(at(base, i) == (i % 4 == 1 ? own + other : own));
    }
    ts_release(column);
    ts_release(base);
}

Test(dist, s12_strides_are_followed)
{
    world_of(2, 20, through_strides);
}

static void mismatched(player *p)
{
    char first[300];
    ts_tensor *t = made(p, TS_FLOAT32, 2, 3, 0), *part = made(p, TS_FLOAT32, 1, 3, 0);
    ts_tensor *longer = made(p, TS_FLOAT32, 2, 4, 0);

    if (p->rank == 0)
        REFUSED(ts_all_reduce(t, TS_REDUCE_SUM, NULL, NULL), TS_ERR_DIST, "dist/C6");
    else
        REFUSED(ts_reduce_scatter_tensor(part, t, TS_REDUCE_SUM, NULL, NULL), TS_ERR_DIST,
                "dist/C6");
    snprintf(first, sizeof first, "%s", ts_error_message());
    WANT(strstr(first, "number 0 of group 0") && strstr(first, "rank 0 ") &&
         strstr(first, "rank 1 "));
    REFUSED(ts_all_reduce(p->rank ? t : longer, TS_REDUCE_SUM, NULL, NULL), TS_ERR_DIST,
            "dist/C6");
    REFUSED(ts_all_reduce(t, p->rank ? TS_REDUCE_SUM : TS_REDUCE_MAX, NULL, NULL),
            TS_ERR_DIST, "dist/C6");
    WANT(at(t, 5) == (double)(float)(5.0 / 3)); /* nothing was written */
    DO(ts_barrier(NULL, NULL));                 /* and the group goes on */
    ts_release(t);
    ts_release(part);
    ts_release(longer);
}

Test(dist, c6_a_mismatch_reaches_both)
{
    world_of(2, 20, mismatched);
}

static void absent(player *p)
{
    ts_tensor *t = made(p, TS_FLOAT32, 1, 1, 0);

    if (p->rank != 1)
        REFUSED(ts_all_reduce(t, TS_REDUCE_SUM, NULL, NULL), TS_ERR_DIST, "dist/C7");
    WANT(p->rank == 1 || strstr(ts_error_message(), "rank 1 ended") != NULL);
    ts_release(t);
}

Test(dist, c7_a_rank_that_ended)
{
    world_of(3, 20, absent);
}

static void late(player *p)
{
    const struct timespec nap = {0, 400000000};
    ts_tensor *t = made(p, TS_FLOAT32, 1, 1, 0);

    if (p->rank == 1)
        nanosleep(&nap, NULL);
    REFUSED(ts_all_reduce(t, TS_REDUCE_SUM, NULL, NULL), TS_ERR_DIST, "dist/C7");
    WANT(strstr(ts_error_message(), "rank 1 did not come") != NULL);
    ts_release(t);
}

Test(dist, c7_a_rank_that_is_late_hears_of_it)
{
    world_of(3, 0.1, late);
}

static void asynchronous(player *p)
{
    ts_tensor *t = made(p, TS_FLOAT32, 2, 2, p->rank);
    ts_work *w = NULL, *second = NULL;

    DO(ts_all_reduce(t, TS_REDUCE_SUM, NULL, &w));
    DO(ts_barrier(NULL, &second));
    WANT(at(t, 0) == p->rank); /* not before the wait */
    DO(ts_work_wait(second));
    WANT(ts_work_is_completed(w));
    DO(ts_work_wait(w));
    DO(ts_work_wait(w));
    WANT(at(t, 0) == 1);
    ts_work_release(w);
    ts_work_release(second);
    DO(ts_all_reduce(t, TS_REDUCE_SUM, NULL, &w));
    ((float *)t->data)[1] = 9;
    REFUSED(ts_work_wait(w), TS_ERR_RUNTIME, "dist/C13");
    ts_work_release(w);
    DO(ts_all_reduce(t, TS_REDUCE_SUM, NULL, &w)); /* nobody waits for this one */
    ts_work_release(w);
    ts_release(t);
}

Test(dist, s13_async_results_come_with_the_wait)
{
    world_of(2, 20, asynchronous);
}

static void groups(player *p)
{
    ts_tensor *t = made(p, TS_INT64, 1, 1, 1 << p->rank);
    ts_group *low = NULL, *odd = NULL, *any = NULL;
    int64_t global = -1;
    int rank, size;

    DO(ts_group_new(2, (int64_t[]){1, 0}, &low));
    DO(ts_group_new(2, (int64_t[]){1, 3}, &odd));
    DO(ts_group_new(0, NULL, &any));
    DO(ts_group_rank(low, &rank));
    DO(ts_group_size(low, &size));
    WANT(rank == (p->rank < 2 ? p->rank : -1) && size == (p->rank < 2 ? 2 : -1));
    DO(ts_all_reduce(t, TS_REDUCE_SUM, low, NULL));
    WANT(at(t, 0) == (p->rank < 2 ? 3 : 1 << p->rank));
    WANT(ts_warning_count() == (p->rank < 2 ? 0 : 1));
    DO(ts_all_reduce(t, TS_REDUCE_SUM, odd, NULL));
    WANT(at(t, 0) == (p->rank % 2 ? 11 : p->rank ? 4 : 3));
    if (p->rank % 2) {
        DO(ts_group_global_rank(odd, 1, &global));
        WANT(global == 3);
    }
    DO(ts_broadcast(t, 2, any, NULL));
    WANT(at(t, 0) == 4);
    REFUSED(ts_broadcast(t, 4, NULL, NULL), TS_ERR_RUNTIME, "dist/C14");
    REFUSED(ts_broadcast(t, 4, any, NULL), TS_ERR_VALUE, "dist/C17");
    REFUSED(ts_broadcast(t, 2, low, NULL), TS_ERR_VALUE, "dist/C17");
    REFUSED(ts_group_new(2, (int64_t[]){1, 1}, &low), TS_ERR_VALUE, "dist/C8");
    REFUSED(ts_group_new(1, (int64_t[]){4}, &low), TS_ERR_VALUE, "dist/C8");
    ts_release(t);
}

Test(dist, s2_groups_and_their_markers)
{
    world_of(4, 20, groups);
}

/* rank r wants w_r * y with y = all_gather(x): dx is the r-th slice of the sum of w. */
static void dual(player *p)
{
    ts_tensor *x = made(p, TS_FLOAT64, 1, 2, p->rank), *y = NULL;
    ts_tensor *w = made(p, TS_FLOAT64, 2, 2, 100 * p->rank);

    DO(ts_set_requires_grad(x, true));
    DO(ts_fc_all_gather(x, 0, NULL, &y));
    DO(ts_backward(1, &y, &w, false, false));
    for (int i = 0; i < 2; i++) {
        const double third = (p->rank * 2 + i) / 3.0;

        WANT(ts_grad_get(x) && at(ts_grad_get(x), i) == third + (100 + third));
    }
    ts_release(x);
    ts_release(y);
    ts_release(w);
}

Test(dist, g3_all_gather_back_is_reduce_scatter)
{
    world_of(2, 20, dual);
}

/* A communicator that fails is given up; the next collective has a new one. */
static _Atomic int failures;

static ts_status fails_once(tsd_comm *c, const ts_collective *w, const void *in,
                            void *out)
{
    if (failures-- > 0)
        return ts_fail(TS_ERR_RUNTIME, NULL, "the line is dead");
    return ts_reference_communicator()->all_reduce(c, w, in, out);
}

static void after_a_failure(player *p)
{
    ts_tensor *t = made(p, TS_FLOAT32, 1, 1, p->rank + 1);
    ts_group *g = NULL;

    DO(ts_group_new(2, (int64_t[]){0, 2}, &g));
    WANT(ts_all_reduce(t, TS_REDUCE_SUM, NULL, NULL) == TS_ERR_RUNTIME);
    WANT(strstr(ts_error_message(), "the line is dead") != NULL);
    WANT(at(t, 0) == p->rank + 1);
    DO(ts_all_reduce(t, TS_REDUCE_SUM, NULL, NULL));
    WANT(at(t, 0) == 6);
    if (p->rank != 1) {
        DO(ts_all_reduce(t, TS_REDUCE_SUM, g, NULL));
        WANT(at(t, 0) == 12);
    }
    ts_release(t);
}

Test(dist, s18_a_failed_communicator_is_replaced)
{
    ts_communicator spoilt = *ts_reference_communicator();
    ts_backend b = {.size = sizeof b,
                    .abi = TS_BACKEND_ABI,
                    .name = "spoilt",
                    .communicator = &spoilt};

    spoilt.all_reduce = fails_once;
    failures = 1;
    OK(ts_backend_install(TS_CPU, &b, NULL));
    world_of(3, 20, after_a_failure);
    spoilt.split = NULL; /* groups by id */
    failures = 1;
    world_of(3, 20, after_a_failure);
}

Test(dist, c1_no_world)
{
    ts_tensor *t = VECTOR(1.0);
    int rank;

    FAILS(ts_all_reduce(t, TS_REDUCE_SUM, NULL, NULL), TS_ERR_VALUE, "dist/C1");
    FAILS(ts_group_rank(NULL, &rank), TS_ERR_VALUE, "dist/C1");
    ts_release(t);
    nothing_lives();
}

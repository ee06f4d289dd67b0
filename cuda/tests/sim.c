/* SPDX-License-Identifier: Apache-2.0 */
/* The host simulator: what it runs right, and the faults it shows. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/kernel.h"
#include "sim/sim.h"

extern const tsc_kernel k_reverse, k_reverse_unsynchronised, k_neighbours_unsynchronised,
    k_shared_unwritten, k_warp_sum, k_warp_kinds, k_divergent_barrier, k_two_barriers,
    k_divergent_shuffle, k_shuffle_from_outside, k_add_up, k_ids, k_narrow;

static const char *const orders[] = {"forward", "reversed", "shuffled", "shuffled:99"};

static int x[256], y[256];
static char error[400];

static bool run_in(const tsc_kernel *k, const char *order, tsc_sim_dim grid,
                   tsc_sim_dim block, void *const *args)
{
    setenv("TOUCHSTONE_SIM_ORDER", order, 1);
    error[0] = '\0';
    return tsc_sim_run(k->entry, grid, block, 0, args, error, sizeof error);
}

static bool run(const tsc_kernel *k, const char *order, unsigned threads,
                void *const *args)
{
    return run_in(k, order, (tsc_sim_dim){1, 1, 1}, (tsc_sim_dim){threads, 1, 1}, args);
}

static void number_them(void)
{
    for (int i = 0; i < 256; i++) {
        x[i] = 3 * i + 1;
        y[i] = -1;
    }
}

#define XY                          \
    (void *[])                      \
    {                               \
        &(const int *){x}, &(int *) \
        {                           \
            y                       \
        }                           \
    }
#define Y        \
    (void *[])   \
    {            \
        &(int *) \
        {        \
            y    \
        }        \
    }
#define EACH_ORDER(o) for (size_t o = 0; o < sizeof orders / sizeof *orders; o++)

Test(sim, a_barrier_orders_shared_memory, .init = number_them)
{
    EACH_ORDER(o)
    {
        cr_assert(run(&k_reverse, orders[o], 256, XY), "%s", error);
        for (int i = 0; i < 256; i++)
            cr_assert_eq(y[i], x[255 - i], "%s: %d", orders[o], i);
    }
}

static int wrong_of_neighbours(const char *order)
{
    int wrong = 0;

    cr_assert(run(&k_neighbours_unsynchronised, order, 256, XY), "%s", error);
    for (int i = 0; i < 256; i++)
        wrong += y[i] != x[i] + (i > 0 ? x[i - 1] : 0);
    return wrong;
}

Test(sim, a_missing_barrier_shows_in_some_order, .init = number_them)
{
    cr_expect_eq(wrong_of_neighbours("forward"), 0);
    cr_expect_gt(wrong_of_neighbours("reversed"), 200);
    cr_expect_gt(wrong_of_neighbours("shuffled"), 50);
}

Test(sim, a_missing_barrier_reads_poison, .init = number_them)
{
    int poison = 0;

    cr_assert(run(&k_reverse_unsynchronised, "forward", 256, XY), "%s", error);
    for (int i = 0; i < 256; i++)
        poison += y[i] == -1; /* all bits set */
    cr_expect_eq(poison, 128);
}

Test(sim, shared_memory_is_poisoned_for_each_block)
{
    float out[32];

    for (int again = 0; again < 2; again++) {
        cr_assert(run_in(&k_shared_unwritten, "forward", (tsc_sim_dim){3, 1, 1},
                         (tsc_sim_dim){32, 1, 1}, (void *[]){&(float *){out}}),
                  "%s", error);
        cr_expect_eq(out[0], 1);
        for (int i = 1; i < 32; i++)
            cr_expect(isnan(out[i]), "%d: %g", i, (double)out[i]);
    }
}

Test(sim, warps_exchange_values, .init = number_them)
{
    EACH_ORDER(o)
    {
        int sum = 0;

        cr_assert(run(&k_warp_sum, orders[o], 128, XY), "%s", error);
        for (int i = 0; i < 128; i++) {
            sum = i % 32 ? sum : 0;
            for (int k = 0; k < 32 && i % 32 == 0; k++)
                sum += x[i + k];
            cr_expect_eq(y[i], sum, "%s: %d", orders[o], i);
        }
        cr_assert(run(&k_warp_kinds, orders[o], 32, XY), "%s", error);
        for (int i = 0; i < 32; i++) {
            cr_expect_eq(y[i], x[3]);
            cr_expect_eq(y[32 + i], x[i > 0 ? i - 1 : 0]);
            cr_expect_eq(y[64 + i], x[i < 30 ? i + 2 : i]);
            cr_expect_eq(y[96 + i], 0x55555555);
            if (i < 16)
                cr_expect_eq(y[128 + i], x[i ^ 8]);
        }
    }
}

/* After a failed launch the next one works. */
static void fails_with(const tsc_kernel *k, unsigned threads, void *const *args,
                       const char *part, const char *second)
{
    EACH_ORDER(o)
    {
        cr_expect_not(run(k, orders[o], threads, args), "%s", orders[o]);
        cr_expect(strstr(error, k->name) && strstr(error, "block (0, 0, 0), thread ("),
                  "%s", error);
        cr_expect(strstr(error, part) && strstr(error, second), "%s", error);
        cr_assert(run(&k_reverse, orders[o], 256, XY), "%s", error);
        cr_expect_eq(y[0], x[255]);
    }
}

Test(sim, a_divergent_barrier_is_a_launch_failure, .init = number_them)
{
    fails_with(&k_divergent_barrier, 64, Y, "deadlock",
               "__syncthreads at sim_kernels.cu");
    fails_with(&k_two_barriers, 64, Y, "__syncthreads at", "others are at");
}

Test(sim, a_divergent_shuffle_is_a_launch_failure, .init = number_them)
{
    fails_with(&k_divergent_shuffle, 32, XY, "deadlock", "a warp operation");
    fails_with(&k_shuffle_from_outside, 32, XY, "a shuffle reads lane 20", "no part");
}

Test(sim, atomics_and_many_blocks)
{
    int total = 0;

    EACH_ORDER(o)
    {
        total = 0;
        cr_assert(run_in(&k_add_up, orders[o], (tsc_sim_dim){100, 3, 2},
                         (tsc_sim_dim){33, 1, 1}, (void *[]){&(int *){&total}}),
                  "%s", error);
        cr_expect_eq(total, 100 * 3 * 2 * 33);
    }
}

Test(sim, every_thread_of_every_block_runs_once)
{
    static int out[12 * 24];

    EACH_ORDER(o)
    {
        memset(out, 0xFF, sizeof out);
        cr_assert(run_in(&k_ids, orders[o], (tsc_sim_dim){3, 2, 2},
                         (tsc_sim_dim){4, 3, 2}, (void *[]){&(int *){out}}),
                  "%s", error);
        for (int i = 0; i < 12 * 24; i++)
            cr_expect_eq(out[i], i / 24 * 1000 + i % 24);
    }
}

Test(sim, a_block_too_large_is_refused)
{
    cr_expect_not(run(&k_ids, "forward", 1025, Y));
    cr_expect(strstr(error, "k_ids") && strstr(error, "1025"), "%s", error);
}

/* The kernels' conversions are the runtime's own, code by code and float by float. */
Test(sim, narrow_formats_round_as_the_runtime)
{
    static const ts_dtype dtypes[] = {TS_BFLOAT16, TS_FLOAT16, TS_FLOAT8_E4M3FN,
                                      TS_FLOAT8_E5M2};
    static float in[1024], back[1024];
    static uint16_t codes[1024];
    uint32_t bits = 12345;

    for (size_t d = 0; d < 4; d++)
        for (int round = 0; round < 40; round++) {
            int dtype = (int)dtypes[d], n = 1024;

            for (int i = 0; i < n; i++) {
                bits = bits * 1664525u + 1013904223u;
                /* exponents near the format's own: anything, then 2^-30 to 2^17 */
                const uint32_t u =
                    round % 2 ? bits
                              : (bits & 0x807FFFFFu) | (97 + (bits >> 9) % 48) << 23;
                memcpy(&in[i], &u, sizeof u);
            }
            cr_assert(run(&k_narrow, "forward", 1024,
                          (void *[]){&(const float *){in}, &(uint16_t *){codes},
                                     &(float *){back}, &dtype, &n}),
                      "%s", error);
            for (int i = 0; i < n; i++) {
                uint16_t code = 0;

                ts_store_f64(dtypes[d], &code, in[i]);
                if (isnan(in[i])) {
                    cr_expect(isnan(back[i]));
                    continue;
                }
                cr_assert_eq(codes[i], code, "%s of %a: %#x, not %#x",
                             ts_dtype_name(dtypes[d]), (double)in[i], codes[i], code);
                cr_assert_eq((double)back[i], ts_load_f64(dtypes[d], &code));
            }
        }
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The host simulator: runs a kernel's grid in this thread, block after block, each thread
 * of a block on a stack of its own as soon as it has to wait for another. See
 * cuda/README.md for what it shows and what it can't.
 */
#ifndef TSC_SIM_H
#define TSC_SIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TSC_SIM_WARP 32
#define TSC_SIM_MAX_THREADS 1024
#define TSC_SIM_SHARED_BYTES (228 * 1024)
#define TSC_SIM_POISON 0xFF /* a NaN in every floating dtype */

typedef struct tsc_sim_dim {
    unsigned x, y, z;
} tsc_sim_dim;

/* A kernel as the simulator sees it; made by TSC_ENTRY (core/kernel.cuh). */
typedef struct tsc_sim_kernel {
    const char *name;
    void (*call)(void *const *args);
    int nargs;
    const size_t *sizes; /* of the arguments */
    /* Put host addresses in place of device addresses in a copy of the arguments. */
    void (*resolve)(void *const *args);
} tsc_sim_kernel;

/*
 * Run the grid. False: the launch failed, and `error` says where and why; the next one
 * works. TOUCHSTONE_SIM_ORDER=forward|reversed|shuffled[:SEED] is the order of threads
 * and blocks.
 */
bool tsc_sim_run(const tsc_sim_kernel *k, tsc_sim_dim grid, tsc_sim_dim block,
                 size_t dynamic, void *const *args, char *error, size_t size);

/* --- what device code calls --- */

typedef struct tsc_sim_thread {
    tsc_sim_dim thread, block, block_dim, grid_dim;
} tsc_sim_thread;

/* The simulated thread that runs now. */
extern __thread tsc_sim_thread *tsc_sim_self __attribute__((tls_model("initial-exec")));

typedef enum tsc_sim_warp_op {
    TSC_SIM_SYNC,
    TSC_SIM_BALLOT,
    TSC_SIM_SHUFFLE_FROM,
    TSC_SIM_SHUFFLE_UP,
    TSC_SIM_SHUFFLE_DOWN,
    TSC_SIM_SHUFFLE_XOR
} tsc_sim_warp_op;

void tsc_sim_barrier(const char *file, int line);
uint64_t tsc_sim_warp(tsc_sim_warp_op op, unsigned mask, uint64_t value, int arg,
                      const char *file, int line);
/* The block's memory of one declaration, poisoned when the block first meets it. */
void *tsc_sim_shared(const void *key, size_t bytes);
void *tsc_sim_dynamic_shared(void);

#ifdef __cplusplus
}
#endif
#endif

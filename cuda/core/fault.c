/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The devices' error words: host memory that kernels see. The first fault stays until the
 * next synchronisation of its device tells it, with its rule's label; until then results
 * are undefined.
 */
#include <pthread.h>

#include "core/cuda.h"

static tsc_fault *words; /* one a device */
static cudaError_t made;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void make(void)
{
    void *p;

    made = cudaHostAlloc(&p, TS_ACCEL_MAX_DEVICES * sizeof *words,
                         cudaHostAllocMapped | cudaHostAllocPortable);
    if (made == cudaSuccess) {
        words = p;
        memset(words, 0, TS_ACCEL_MAX_DEVICES * sizeof *words);
    }
}

ts_status tsc_fault_word(tsc_fault **out)
{
    pthread_once(&once, make);
    if (made != cudaSuccess)
        return tsc_cuda_status(made, "cudaHostAlloc");
    *out = &words[ts_accel_device()];
    return TS_OK;
}

ts_status tsc_fault_take(int device)
{
    tsc_fault *word = words ? &words[device] : NULL;
    tsc_fault told;

    if (!word || word->kind == TSC_NO_FAULT)
        return TS_OK;
    told = *word;
    word->kind = TSC_NO_FAULT;
    switch (told.kind) {
    case TSC_EMBEDDING_INDEX:
        return ts_fail(TS_ERR_INDEX, "embedding/C3",
                       "embedding: index %" PRId64 " is out of range for %" PRId64
                       " rows",
                       told.a, told.b);
    default:
        return ts_fail(TS_ERR_RUNTIME, NULL, "the device reported the fault %d",
                       (int)told.kind);
    }
}

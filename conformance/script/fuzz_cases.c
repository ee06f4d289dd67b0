/* SPDX-License-Identifier: Apache-2.0 */
/* libFuzzer target: any bytes as a file of cases; what parses is run, on meta, for a few
 * steps. */
#include <stdint.h>
#include <stdlib.h>

#include "script.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
const char *__asan_default_options(void);

#define MAX_STORAGE ((size_t)16 << 20)

static ts_status accept(void *self, const tsi_expectation *e)
{
    (void)self;
    (void)e;
    return TS_OK;
}

static void *allocate(void *self, size_t bytes)
{
    (void)self;
    return bytes <= MAX_STORAGE ? aligned_alloc(64, (bytes + 64) / 64 * 64) : NULL;
}

static void release(void *self, void *p, size_t bytes)
{
    (void)self;
    (void)bytes;
    free(p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const ts_allocator allocator = {allocate, release, NULL};
    static const tsi_judge judge = {.expectation = accept};
    static tsi_interp *in;
    tsi_cases *cases;

    if (in == NULL) {
        ts_set_allocator(&allocator);
        if (tsi_interp_new(&in) != TS_OK)
            abort();
    }
    if (tsi_cases_parse("input", (const char *)data, size, &cases) != TS_OK)
        return 0;
    for (int i = 0; i < cases->count && i < 4; i++) {
        const tsi_run_options options = {.variant =
                                             (tsi_variant)(size % TSI_VARIANT_COUNT),
                                         .device = {TS_META, 0},
                                         .watch_inputs = true,
                                         .steps = 2000};
        tsi_run_result result;

        (void)tsi_case_run(in, &cases->cases[i], &options, &judge, &result);

        const ts_live live = ts_live_now();

        if (live.tensors != 0 || live.storages != 0 || live.nodes != 0)
            abort(); /* every run gives back what it took */
    }
    tsi_cases_free(cases);
    return 0;
}

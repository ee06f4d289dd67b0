/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether what a kernel did decided a case (results, RUNTIME): every case runs once on the
 * reference with whatever its kernels give turned into something else. A case that holds
 * all the same has told nothing of a kernel.
 */
#include <stdlib.h>
#include <string.h>

#include "runner/sensitivity.h"

static bool on_measured(void *self, int index, tsi_item *item, tsi_result *r)
{
    bool *decided = self;

    (void)item;
    decided[index] = r->verdict != TSI_PASS;
    return true;
}

bool tsi_measure_sensitivity(const tsi_options *o, const tsi_corpus *corpus,
                             const int *selected, int count, bool *decided)
{
    tsi_options measuring = *o;
    char *reference = tsi_backend_path(o, "reference");
    tsi_pool_run pool = {.options = &measuring,
                         .corpus = corpus,
                         .selected = selected,
                         .count = count,
                         .backend = reference,
                         .reference = reference,
                         .result = on_measured,
                         .self = decided};
    bool ok;

    measuring.corrupt = true;
    measuring.paranoid = 0;
    measuring.backend = measuring.only = NULL;
    measuring.assist = measuring.graph = measuring.details = false;
    measuring.device = TS_CPU;
    measuring.variant = TSI_VARIANT_COUNT;
    for (int i = 0; i < count; i++)
        decided[i] = true;
    ok = reference && tsi_pool_work(&pool);
    if (ok && pool.ended && strcmp(pool.ended, "interrupted") == 0)
        ok = tsi_complain("interrupted");
    free(reference);
    return ok;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a case can fail at all (results/S5). */
#include <stdio.h>
#include <string.h>

#include "runner/execute.h"

/* Which trivial answers would have passed this expectation too (results/S5). */
void tsi_weigh(tsi_executor *x, const tsi_expected *e)
{
    for (int k = 0; k < TSI_TRIVIAL_COUNT; k++) {
        tsi_fit fit;

        if (x->misfits[k] || (k == TSI_POISON && x->repeats))
            continue; /* a second run has other bytes there */
        fit = tsi_trivial_fits((tsi_trivial)k, e, x->has_input ? &x->input : NULL);
        x->fits[k] |= fit == TSI_FIT_YES;
        x->misfits[k] |=
            fit == TSI_FIT_NO || (fit == TSI_FIT_NONE && k == TSI_INPUT && e->numel > 0);
    }
}

/* What every rank's expectations say of the trivial answers. */
static void gather_fits(tsi_executor *x)
{
    for (int i = 0; i < x->npeers; i++)
        for (int k = 0; k < TSI_TRIVIAL_COUNT; k++) {
            x->fits[k] |= x->peers[i]->fits[k];
            x->misfits[k] |= x->peers[i]->misfits[k];
        }
}

bool tsi_cannot_fail(tsi_executor *x)
{
    int able = x->able, count = x->base.count;

    for (int i = 0; i < x->npeers; i++) {
        able += x->peers[i]->able;
        count += x->peers[i]->base.count;
    }
    /* What PyTorch answered was written down by who looked at it; only a user's own claims
     * may be empty ones. */
    if (able > 0 || x->item->c->trivial ||
        (count > 0 && strcmp(x->item->c->provenance, "user") != 0))
        return false;
    if (count == 0)
        snprintf(x->reason, sizeof(x->reason), "it expects nothing, so nothing can fail");
    else
        snprintf(x->reason, sizeof(x->reason),
                 "none of its %d expectations can fail; of the first, %s", count,
                 x->hollow);
    return true;
}

/* results/S5. True: `x->reason` says why this case cannot be trusted. */
bool tsi_mistrusted(tsi_executor *x)
{
    static const char *const what[] = {
        [TSI_ZEROS] = "zeros",
        [TSI_INPUT] = "the first input unchanged",
        [TSI_SHIFT] = "the answer shifted by one element",
        [TSI_POISON] = "memory left as it was",
    };
    /* An answer of one value all over is its own shift: nothing to find fault with, but
     * what a header may well call trivial. */
    bool any, judged = false;

    gather_fits(x);
    any = !x->misfits[TSI_SHIFT];
    for (int k = 0; k < TSI_TRIVIAL_COUNT; k++) {
        const bool passes = x->fits[k] && !x->misfits[k];

        any |= passes;
        judged |= x->fits[k] || x->misfits[k];
        if (!passes || x->item->c->trivial)
            continue;
        snprintf(x->reason, sizeof(x->reason),
                 "%s would meet every expectation too; change the inputs, or say why in "
                 "'# trivial: …' where that is the point",
                 what[k]);
        return true;
    }
    if (!x->item->c->trivial || any || !judged)
        return false;
    if (x->options->device == TS_ACCEL && !x->has_input)
        return false; /* a refusal that came late has counted as a write to it */
    snprintf(x->reason, sizeof(x->reason),
             "the header says that a trivial answer passes, but none of them would pass");
    return true;
}

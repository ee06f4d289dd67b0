/* SPDX-License-Identifier: Apache-2.0 */
/* A case with several ranks: each on a thread of its own. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "runner/execute.h"

enum { RANK_TIMEOUT = 5 /* seconds that a collective waits for the other ranks */ };

/* What the device has still to tell is the run's too. */
ts_status tsi_settle(ts_status status, tsi_run_result *r)
{
    const ts_status late = ts_accel_synchronize_all();

    if (status != TS_OK || late == TS_OK)
        return status;
    r->status = late;
    snprintf(r->message, sizeof(r->message), "%s", ts_error_message());
    snprintf(r->label, sizeof(r->label), "%s", ts_error_label());
    return late;
}

/* One rank of a run, on a thread of its own. */
typedef struct rank_run {
    tsi_executor *x;
    tsi_run_options options;
    ts_world *world;
    tsi_run_result *result;
    pthread_t thread;
    bool started;
} rank_run;

static void *run_rank(void *self)
{
    rank_run *k = self;
    const tsi_judge judge = {
        .self = k->x, .expectation = tsi_observe, .data = tsi_observe_data};
    tsi_run_result *r = k->result;

    r->status = ts_world_join(k->world, k->options.rank);
    if (r->status == TS_OK) {
        r->status = tsi_case_run(k->x->interp, k->x->item->c, &k->options, &judge, r);
        if (k->options.device.type == TS_ACCEL)
            r->status = tsi_settle(r->status, r);
        ts_world_leave();
    }
    if (k->started) { /* not rank 0, which runs where the judge does */
        const ts_backend_counts c = ts_backend_counted();

        k->x->counts.ran += c.ran;
        k->x->counts.assisted += c.assisted;
    }
    return NULL;
}

/* Of several ranks' ends the one that explains the others: what a rank met by itself
 * comes before what it heard of another, and a missing kernel before all. */
static int rank_to_tell(int n, const tsi_run_result *r)
{
    int best = 0, weight = -1;

    for (int i = 0; i < n; i++) {
        const int w = r[i].status == TS_OK                ? 0
                      : r[i].status == TS_ERR_DIST        ? 1
                      : r[i].status == TS_ERR_UNSUPPORTED ? 3
                                                          : 2;

        if (w > weight) {
            best = i;
            weight = w;
        }
    }
    return best;
}

ts_status tsi_run_ranks(tsi_executor *x, const tsi_run_options *options,
                        tsi_run_result *result)
{
    const int n = x->npeers + 1;
    rank_run *runs = calloc((size_t)n, sizeof(*runs));
    tsi_run_result *results = calloc((size_t)n, sizeof(*results));
    ts_world *world;
    int told;

    if (!runs || !results || ts_world_new(n, RANK_TIMEOUT, &world) != TS_OK)
        abort();
    for (int i = 0; i < n; i++) {
        tsi_executor *p = i ? x->peers[i - 1] : x;

        p->mode = x->mode;
        p->at = 0;
        runs[i] = (rank_run){
            .x = p, .options = *options, .world = world, .result = &results[i]};
        runs[i].options.rank = i;
        runs[i].options.ranks = n;
        runs[i].started = i > 0;
        if (i > 0 && pthread_create(&runs[i].thread, NULL, run_rank, &runs[i]) != 0)
            abort();
    }
    run_rank(&runs[0]);
    for (int i = 1; i < n; i++)
        pthread_join(runs[i].thread, NULL);
    ts_world_free(world);
    for (int i = 1; i < n; i++)
        if (x->peers[i - 1]->failed)
            tsi_fault(x, x->peers[i - 1]->line, "rank %d: %s", i,
                      x->peers[i - 1]->reason);
    told = rank_to_tell(n, results);
    *result = results[told];
    if (told > 0)
        snprintf(result->message, sizeof(result->message), "%.490s (rank %d)",
                 results[told].message, told);
    free(runs);
    free(results);
    return result->status;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "runner/leaks.h"

#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "runner/shield.h"

/*
 * So many runs in a row must leave more. The allocator's own caches count as in use, and
 * fill up for a while (WARM) by this and that; what is kept of every call is as much every
 * time. What is counted by the piece has no such caches: FEW will do.
 */
enum { AGAIN = 24, WARM = 10, FEW = 8, MOST_PROCESSES = 256, SETTLE_MS = 50 };

/* What a backend may have of its own at the end: files, and pools of threads. */
enum { MOST_OPEN = 64, POOLS = 16 };

/* How much a resource grew in each run: the least and the most, once warm. */
typedef struct growth {
    int64_t least[TSI_RESOURCE_COUNT], most[TSI_RESOURCE_COUNT];
} growth;

/* Of those resources that grew in every run so far, the ones that grew now too. */
static unsigned grew(unsigned so_far, const tsi_resources *before,
                     const tsi_resources *now)
{
    unsigned out = 0;

    for (int r = 0; r < TSI_RESOURCE_COUNT; r++)
        if ((so_far >> r & 1) && now->of[r] > before->of[r])
            out |= 1u << r;
    return out;
}

static void add(growth *g, bool first, const tsi_resources *before,
                const tsi_resources *now)
{
    for (int r = 0; r < TSI_RESOURCE_COUNT; r++) {
        const int64_t by = now->of[r] - before->of[r];

        g->least[r] = first || by < g->least[r] ? by : g->least[r];
        g->most[r] = first || by > g->most[r] ? by : g->most[r];
    }
}

/* Those that grew by about the same every time. */
static unsigned steady(unsigned which, const growth *g)
{
    for (int r = 0; r < TSI_RESOURCE_COUNT; r++)
        if (g->most[r] > g->least[r] + g->least[r] / 2)
            which &= ~(1u << r);
    return which;
}

static void tell(tsi_executor *x, unsigned which, int runs, const tsi_resources *before,
                 const tsi_resources *now)
{
    const char *op = tsi_shield_keeper();
    int r = TSI_RESOURCE_COUNT - 1;

    while (!(which >> r & 1))
        r--;
    tsi_fault(x, 0, "LEAK: every run of it leaves more %s: %" PRId64 " after %d runs%s%s",
              tsi_resource_name((tsi_resource)r), now->of[r] - before->of[r], runs,
              r == TSI_HEAP && op ? ", the most of it by the kernel of " : "",
              r == TSI_HEAP && op ? op : "");
}

static double seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

bool tsi_leaks_none(tsi_executor *x, const tsi_resources *before)
{
    const tsi_variant only = x->options->variant;
    const tsi_variant variant = only == TSI_VARIANT_COUNT ? TSI_BASE : only;
    const tsi_case *c = x->item->c;
    const double end =
        seconds() + (c->timeout > 0 ? c->timeout : x->options->timeout) / 4;
    const tsi_resources first = tsi_resources_now();
    tsi_resources last = first, now;
    growth g;
    int runs = 0;
    unsigned which = grew((1u << TSI_RESOURCE_COUNT) - 1, before, &first);

    if (!which)
        return true;
    tsi_shield_measure(true);
    for (int i = 0; i < AGAIN && which && !x->failed; i++) {
        tsi_run_result r;

        (void)tsi_run_once(x, variant, TSI_UNJUDGED, &r);
        if (seconds() > end)
            which = 0; /* a long program: its time is for judging it */
        now = tsi_resources_now();
        which = grew(which, &last, &now);
        if (i >= WARM)
            add(&g, i == WARM, &last, &now);
        last = now;
        runs++;
        if (runs == FEW && which >> TSI_DESCRIPTORS)
            break;
    }
    if (runs == AGAIN && which)
        which = steady(which, &g);
    tsi_shield_measure(false);
    if (which >> TSI_THREADS == 1) {
        poll(NULL, 0, SETTLE_MS); /* threads that were about to end have ended */
        now = tsi_resources_now();
        which = now.of[TSI_THREADS] - first.of[TSI_THREADS] >= runs ? which : 0;
    }
    if (which)
        tell(x, which, runs, &first, &last);
    return !x->failed;
}

tsi_held tsi_held_now(void)
{
    return (tsi_held){.threads = tsi_resources_now().of[TSI_THREADS],
                      .descriptors = tsi_descriptors()};
}

void tsi_leaks_at_close(const tsi_held *before, char *out, size_t size)
{
    const tsi_held now = tsi_held_now();
    const int64_t processors = sysconf(_SC_NPROCESSORS_ONLN);
    pid_t left[MOST_PROCESSES];
    const int n = tsi_children(left, MOST_PROCESSES);

    out[0] = '\0';
    for (int i = 0; i < n; i++)
        kill(left[i], SIGKILL);
    if (n > 0)
        snprintf(out, size, "the backend left processes behind: %d", n);
    else if (now.descriptors - before->descriptors > MOST_OPEN)
        snprintf(out, size, "the backend left %" PRId64 " descriptors open",
                 now.descriptors - before->descriptors);
    else if (now.threads - before->threads > POOLS * processors)
        snprintf(out, size, "the backend left %" PRId64 " threads running",
                 now.threads - before->threads);
}

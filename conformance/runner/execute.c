/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The executions of one case: each layout twice and compared bit by bit, then once on
 * meta; after every run nothing may be alive and every guard zone must stand.
 */
#include "runner/execute.h"
#include "runner/judge.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "runner/guard.h"
#include "runner/leaks.h"
#include "runner/pipe.h"
#include "runner/shield.h"

enum { MEMORY = 1 << 30 /* bytes of storages in a case whose header says nothing */ };

/* Whether every op of the case promises the same bits again (results/S6). */
static bool repeats(const tsi_case *c)
{
    const ts_op *op;

    for (int i = 0; i < c->nops + c->nneeds; i++) {
        op = ts_op_find(i < c->nops ? c->ops[i] : c->needs[i - c->nops]);
        if (op && !op->deterministic)
            return false;
    }
    return true;
}

/* What was done to the process comes before what came of it. */
static void blame(tsi_executor *x, const char *finding)
{
    char before[sizeof(x->reason)];

    snprintf(before, sizeof(before), "%s", x->failed ? x->reason : "");
    x->failed = false;
    tsi_fault(x, x->line, "%s%s%.600s", finding, before[0] ? "; and " : "", before);
}

ts_status tsi_run_once(tsi_executor *x, tsi_variant variant, tsi_mode m,
                       tsi_run_result *r)
{
    const tsi_run_options options = {
        .variant = variant,
        .device = {m == TSI_ON_META ? TS_META : x->options->device,
                   m != TSI_ON_META && x->options->device == TS_ACCEL ? -1 : 0},
        /* Looking waits for the device, which is what such a case is about. */
        .watch_inputs = m == TSI_FIRST && !x->options->corrupt &&
                        !tsi_case_needs(x->item->c, "accel"),
        .labels = tsi_backend_is_reference(),
    };
    const tsi_judge judge = {
        .self = x, .expectation = tsi_observe, .data = tsi_observe_data};
    const ts_live before = ts_live_now();
    ts_status status;
    ts_live after;
    const char *finding;

    x->mode = m;
    x->at = 0;
    if (options.device.type == TS_ACCEL)
        ts_accel_fill_fresh(tsi_case_needs(x->item->c, "accel") ? -1 : tsi_guard_byte());
    tsi_shield_look(options.watch_inputs && options.device.type == TS_CPU);
    if (x->pipe) {
        status = tsi_pipe_run(x->pipe, x->interp, x->item->c, &options,
                              x->options->timeout, &judge, r);
    } else if (x->npeers > 0) {
        status = tsi_run_ranks(x, &options, r);
    } else {
        status = tsi_case_run(x->interp, x->item->c, &options, &judge, r);
        if (options.device.type == TS_ACCEL)
            status = tsi_settle(status, r);
    }
    after = ts_live_now();
    finding = tsi_guard_finding();
    if (finding)
        tsi_fault(x, 0, "%s", finding);
    tsi_shield_settle_all();
    finding = tsi_shield_finding();
    if (finding)
        blame(x, finding);
    if (after.tensors != before.tensors || after.storages != before.storages ||
        after.bytes != before.bytes || after.nodes != before.nodes)
        tsi_fault(x, 0,
                  "LEAK: %" PRId64 " tensors, %" PRId64 " storages, %" PRId64
                  " bytes, %" PRId64 " nodes are alive after the run",
                  after.tensors - before.tensors, after.storages - before.storages,
                  after.bytes - before.bytes, after.nodes - before.nodes);
    return status;
}

/* Take down what comes of this layout from here on. */
static void begin(tsi_executor *x, tsi_variant variant)
{
    x->now = variant == TSI_BASE ? &x->base : &x->other;
    x->now->count = 0;
    tsi_arena_reset(&x->now->memory);
    x->now->met = tsi_arena_take(&x->now->memory, (size_t)x->item->c->nrecords);
    memset(x->now->met, 0, (size_t)x->item->c->nrecords);
    x->counts = (ts_backend_counts){0};
    for (int i = 0; i < x->npeers; i++)
        begin(x->peers[i], variant);
}

static void check_count(tsi_executor *x, const tsi_executor *rank)
{
    if (!x->failed && rank->at != rank->now->count)
        tsi_fault(x, 0, "the second run met %d expectations, the first %d", rank->at,
                  rank->now->count);
}

static bool met(const tsi_executor *x, int record)
{
    bool any = x->now->met[record];

    for (int i = 0; i < x->npeers; i++)
        any |= x->peers[i]->now->met[record];
    return any;
}

/* What PyTorch's run reached this one must reach, too (results/S11). */
static void check_met(tsi_executor *x, tsi_variant variant)
{
    const tsi_case *c = x->item->c;
    char names[400] = "";
    size_t n = 0;

    for (int i = 0; i < c->nrecords && !x->failed; i++) {
        const tsi_record *r = &c->records[i];

        if (met(x, i) || (r->variant != TSI_BASE && r->variant != variant) ||
            tsi_record_find(c, r->name, variant) != r)
            continue;
        if (n < sizeof(names))
            n += (size_t)snprintf(names + n, sizeof(names) - n, "%s%s", n ? ", " : "",
                                  r->name);
    }
    if (n > 0)
        tsi_fault(x, 0, "recorded, but never reached: %s", names);
}

/* Another run of the layout, its fresh memory full of `byte`: whether it gives other bits
 * than the first. */
static bool differs(tsi_executor *x, tsi_variant variant, unsigned char byte)
{
    tsi_run_result r;

    x->failed = false;
    tsi_guard_poison(byte);
    const ts_status status = tsi_run_once(x, variant, TSI_AGAIN, &r);

    tsi_guard_poison(TSI_POISON_FIRST);
    return x->failed || status != TS_OK;
}

/* The case has failed at one of its expectations, in the first run of the layout or the
 * second. Where the bits are those of the first run for as long as fresh memory holds the
 * same, what it held is what was read. */
static void look_for_stale(tsi_executor *x, tsi_variant variant, bool first)
{
    const int line = x->line;
    char was[sizeof(x->reason)], told[sizeof(x->reason)];

    if (x->pipe || !x->repeats || line == 0 || tsi_case_needs(x->item->c, "accel"))
        return; /* such a case counts what the device does, and its memory comes as it is */
    snprintf(was, sizeof(was), "%s", x->reason);
    snprintf(told, sizeof(told), "%s", was);
    if (first && differs(x, variant, TSI_POISON_AGAIN))
        snprintf(told, sizeof(told), "%s", x->reason);
    if ((!first || x->failed) && !differs(x, variant, TSI_POISON_FIRST))
        snprintf(x->reason, sizeof(x->reason),
                 "stale memory is read (fresh memory held 0x%02X, then 0x%02X in every "
                 "byte): %.500s%s%.500s",
                 TSI_POISON_FIRST, TSI_POISON_AGAIN, told, first ? "; " : "",
                 first ? was : "");
    else
        snprintf(x->reason, sizeof(x->reason), "%s", was);
    x->failed = true;
    x->line = line;
}

/* Which element of an answer is wrong whose digest differs. */
static void solve(tsi_executor *x, tsi_variant variant)
{
    tsi_taken *t = &x->now->taken[x->puzzle - x->now->taken];
    const size_t bytes = (size_t)(t->answer.numel * ts_dtype_size(t->answer.dtype));
    unsigned char *elements =
        x->npeers > 0 || tsi_case_needs(x->item->c, "accel")
            ? NULL
            : tsi_reference_elements(x->interp, x->options, x->item->c, variant, t->name,
                                     &t->answer);

    tsi_explain_digest(t->name, t->expected, &t->answer, elements, x->reason,
                       sizeof(x->reason));
    if (elements)
        t->expected = tsi_known(
            x, t, memcpy(tsi_arena_take(&x->now->memory, bytes + 1), elements, bytes));
    free(elements);
    x->puzzle = NULL;
}

/* Both runs of one layout. False: the case has its verdict. */
static bool run_layout(tsi_executor *x, tsi_variant variant, tsi_run_result *r)
{
    tsi_run_result again;
    ts_status first;

    begin(x, variant);
    first = tsi_run_once(x, variant, TSI_FIRST, r);
    if (x->puzzle)
        solve(x, variant);
    if (first != TS_OK)
        return false;
    if (x->failed)
        look_for_stale(x, variant, true);
    check_met(x, variant);
    if (x->failed || !x->repeats)
        return !x->failed;
    x->compared = true;
    tsi_guard_poison(TSI_POISON_AGAIN);
    tsi_graph_capture(x->options->graph && !tsi_case_needs(x->item->c, "accel"));
    const ts_status status = tsi_run_once(x, variant, TSI_AGAIN, &again);

    tsi_graph_capture(false);
    tsi_guard_poison(TSI_POISON_FIRST);
    if (status != TS_OK)
        tsi_fault(x, again.line, "the second run ended in %s: %s",
                  ts_status_name(again.status), again.message);
    check_count(x, x);
    for (int i = 0; i < x->npeers; i++)
        check_count(x, x->peers[i]);
    if (x->failed)
        look_for_stale(x, variant, false);
    return !x->failed;
}

/* Whether a run on corrupted kernels comes out otherwise. */
static bool notices(tsi_executor *x)
{
    tsi_run_result r;

    begin(x, TSI_BASE);
    return tsi_run_once(x, TSI_BASE, TSI_FIRST, &r) != TS_OK || x->failed;
}

/* An op that reads what a meta tensor has not, and says so. */
static bool needs_data(const tsi_run_result *r)
{
    static const char *const labels[] = {"errors/C4", "item/C2", "to/C1"};

    for (size_t i = 0; i < sizeof(labels) / sizeof(*labels); i++)
        if (strcmp(r->label, labels[i]) == 0)
            return true;
    return false;
}

static tsi_verdict judge_meta(tsi_executor *x, tsi_result *out)
{
    tsi_run_result r;

    x->line = 0;
    if (tsi_run_once(x, TSI_BASE, TSI_ON_META, &r) != TS_OK) {
        out->meta_ended = true; /* results/S9: an op that needs data ends it quietly */
        if (!x->failed && !needs_data(&r))
            tsi_fault(x, r.line, "on meta: %s: %s", ts_status_name(r.status), r.message);
    }
    return x->failed ? TSI_FAIL : TSI_PASS;
}

/* Whether the case calls an op that takes random numbers. */
static bool draws(const tsi_case *c)
{
    for (int i = 0; i < c->nneeds; i++) {
        const ts_op *op = ts_op_find(c->needs[i]);

        if (op && op->generator > 0)
            return true;
    }
    return false;
}

static tsi_verdict judge(tsi_executor *x, tsi_result *out)
{
    const tsi_case *c = x->item->c;
    const tsi_variant only = x->options->variant;
    ts_backend_counts counts = {0};
    bool ran = false;

    if (x->pipe && c->ranks > 1) {
        snprintf(x->reason, sizeof(x->reason), "needs %d ranks, a peer has 1", c->ranks);
        return TSI_SKIP;
    }
    if (tsi_case_needs(c, "accel") && x->options->device != TS_ACCEL) {
        snprintf(x->reason, sizeof(x->reason), "needs an accelerator (--device accel)");
        return TSI_SKIP;
    }
    if (tsi_case_needs(c, "two_devices") && ts_accel_device_count() < 2) {
        snprintf(x->reason, sizeof(x->reason), "needs two accelerators, there is one");
        return TSI_SKIP;
    }
    if (x->options->device == TS_ACCEL && draws(c)) {
        snprintf(x->reason, sizeof(x->reason),
                 "draws from the cpu's generator, the accelerator has none yet");
        return TSI_SKIP;
    }
    if (only != TSI_VARIANT_COUNT && !(c->variants >> only & 1)) {
        snprintf(x->reason, sizeof(x->reason), "has no variant %s",
                 tsi_variant_name(only));
        return TSI_SKIP;
    }
    if (!x->pipe && !tsi_backend_stands_for(x->item->level)) {
        snprintf(x->reason, sizeof(x->reason), "it does not stand for level %s",
                 x->item->level);
        return TSI_NOT_CLAIMED;
    }
    if (x->options->corrupt)
        return notices(x) ? TSI_FAIL : TSI_PASS;
    for (int v = 0; v < TSI_VARIANT_COUNT; v++) {
        tsi_run_result r;

        if (!(c->variants >> v & 1) || (only != TSI_VARIANT_COUNT && (int)only != v))
            continue;
        out->variant = (tsi_variant)v;
        out->executions++;
        ts_backend_count_reset();
        if (!run_layout(x, (tsi_variant)v, &r)) {
            if (x->pipe && tsi_pipe_broken(x->pipe)) {
                snprintf(x->reason, sizeof(x->reason), "%s", tsi_pipe_broken(x->pipe));
                return TSI_ERROR;
            }
            if (r.status == TS_ERR_UNSUPPORTED) {
                x->line = r.line;
                return tsi_declined(x, &r);
            }
            if (r.status != TS_OK && !x->failed)
                tsi_fault(x, r.line, "%s: %s", ts_status_name(r.status), r.message);
            return TSI_FAIL;
        }
        if (!ran)
            counts = tsi_counted(x);
        ran = true;
    }
    out->variant = TSI_BASE;
    if (only == TSI_VARIANT_COUNT || only == TSI_BASE) {
        if (tsi_cannot_fail(x))
            return TSI_MISTRUSTED;
        if (counts.ran > 0 && tsi_mistrusted(x)) /* through a pipe: the reference's */
            return TSI_MISTRUSTED;
        if (!x->pipe && !tsi_case_needs(c, "accel") && judge_meta(x, out) != TSI_PASS)
            return TSI_FAIL;
    }
    if (x->pipe)
        return TSI_PASS;
    if (counts.ran == 0 && !tsi_case_needs(c, "accel")) { /* there the driver took part */
        snprintf(x->reason, sizeof(x->reason), "no kernel of the backend took part");
        return TSI_RUNTIME;
    }
    if (counts.assisted > 0) {
        snprintf(x->reason, sizeof(x->reason), "%" PRIu64 " calls went to the reference",
                 counts.assisted);
        return TSI_ASSISTED;
    }
    return TSI_PASS;
}

static double now_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* Ready for `item`, nothing known of it yet. */
static void take_up(tsi_executor *x, const tsi_item *item)
{
    x->item = item;
    x->failed = x->compared = false;
    x->puzzle = NULL;
    x->repeats = repeats(item->c);
    x->line = 0;
    x->reason[0] = '\0';
    x->has_input = false;
    x->able = 0;
    x->hollow[0] = '\0';
    x->base.count = x->other.count = 0;
    memset(x->fits, 0, sizeof(x->fits));
    memset(x->misfits, 0, sizeof(x->misfits));
    x->now = &x->base;
    x->npeers = 0;
}

/* An executor for each rank of the case but the first; they stay for later cases. */
static void take_up_ranks(tsi_executor *x, const tsi_item *item)
{
    const int more = item->c->ranks - 1;

    if (more > x->room) {
        x->peers = realloc(x->peers, (size_t)more * sizeof(*x->peers));
        if (!x->peers)
            abort();
        for (; x->room < more; x->room++) {
            x->peers[x->room] = tsi_executor_new(x->options, NULL);
            if (!x->peers[x->room])
                abort();
        }
    }
    for (int i = 0; i < more; i++)
        take_up(x->peers[i], item);
    x->npeers = more;
}

/* One case in so many, the same ones always. */
static bool chosen(const tsi_case *c, int one_in)
{
    uint32_t hash = UINT32_C(2166136261); /* FNV-1a */

    for (const char *p = c->id; *p; p++)
        hash = (hash ^ (unsigned char)*p) * UINT32_C(16777619);
    return one_in > 0 && hash % (uint32_t)one_in == 0;
}

void tsi_execute(tsi_executor *x, const tsi_item *item, tsi_result *out)
{
    const double start = now_ms();
    const bool closely = !x->pipe && chosen(item->c, x->options->paranoid);
    tsi_resources held;

    *out = (tsi_result){.variant = TSI_BASE};
    take_up(x, item);
    if (item->c->ranks > 1 && !x->pipe)
        take_up_ranks(x, item);
    tsi_guard_limit(item->c->memory > 0 ? item->c->memory : MEMORY);
    tsi_guard_pages(closely);
    if (closely)
        held = tsi_resources_now();
    out->verdict = judge(x, out);
    if (closely && out->executions > 0 && !tsi_is_failure(out->verdict) &&
        !tsi_leaks_none(x, &held))
        out->verdict = TSI_FAIL;
    out->line = x->line;
    out->compared = x->compared;
    if (x->options->graph) {
        const tsi_graph_counts counts = tsi_graph_take_counts();

        out->graphs = counts.graphs;
        out->works = (int)counts.nodes;
    }
    if (x->options->details)
        tsi_describe_all(x, !tsi_is_failure(out->verdict), out);
    if (out->verdict != TSI_PASS)
        out->reason = strdup(x->reason);
    out->ms = now_ms() - start;
}

tsi_executor *tsi_executor_new(const tsi_options *o, struct tsi_pipe *pipe)
{
    tsi_executor *x = calloc(1, sizeof(*x));

    if (!x)
        return NULL;
    x->options = o;
    x->pipe = pipe;
    x->base.taken = calloc(TSI_MOST_TAKEN, sizeof(*x->base.taken));
    x->other.taken = calloc(TSI_MOST_TAKEN, sizeof(*x->other.taken));
    if (!x->base.taken || !x->other.taken || tsi_interp_new(&x->interp) != TS_OK) {
        free(x->base.taken);
        free(x->other.taken);
        free(x);
        return NULL;
    }
    return x;
}

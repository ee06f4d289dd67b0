/* SPDX-License-Identifier: Apache-2.0 */
/* touchstone run. */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "runner/html.h"
#include "runner/interrupt.h"
#include "runner/output.h"
#include "runner/quality.h"
#include "runner/sensitivity.h"
#include "runner/slowest.h"

typedef struct run {
    const tsi_options *options;
    tsi_place json, junit, tap, html;
    FILE *lines; /* where JSON lines go: json.f, or a file of our own for the page */
    FILE *console;
    tsi_summary summary;
    tsi_list list;
    tsi_text text;
    tsi_slowest slowest;
    int count;
    bool *decided; /* by place in the selection: a kernel's doing decides the case */
    bool progress, shown;
    double start;
} run;

static double now_s(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void wipe(run *r)
{
    if (r->shown)
        fputs("\r\033[K", stderr);
    r->shown = false;
}

static void on_tick(void *self, int done)
{
    run *r = self;
    const double spent = now_s() - r->start;
    const double rate = spent > 0 ? done / spent : 0;

    if (!r->progress)
        return;
    fprintf(stderr, "\r\033[K%d of %d cases, %.0f a second, %.0f s left, %d failed", done,
            r->count, rate, rate > 0 ? (r->count - done) / rate : 0.0, r->summary.failed);
    fflush(stderr);
    r->shown = true;
}

/* A pass that no kernel decided tells of the runtime only. (Cases that need an accelerator
 * are not measured: there the driver takes part.) */
static void tell_runtime(const run *r, int index, tsi_result *result)
{
    if ((result->verdict != TSI_PASS && result->verdict != TSI_ASSISTED) ||
        r->decided[index])
        return;
    free(result->reason);
    result->reason =
        strdup("it holds too when every result of every kernel is another: none decided");
    result->verdict = TSI_RUNTIME;
}

static bool on_result(void *self, int index, tsi_item *item, tsi_result *result)
{
    run *r = self;
    const tsi_options *o = r->options;
    tsi_why why;

    if (r->lines || o->graph) /* they tell of the program; the workers read their own */
        (void)tsi_item_ready(item, &why);

    tell_runtime(r, index, result);
    tsi_list_apply(&r->list, item->c->id, result);
    tsi_summary_add(&r->summary, item, result);
    if (o->slowest > 0)
        tsi_slowest_add(&r->slowest, item->c->id, result->ms);
    if (r->lines)
        tsi_json_case(r->lines, &r->text, o, item, result);
    if (r->junit.f)
        tsi_junit_case(r->junit.f, &r->text, o, item, result);
    if (r->tap.f)
        tsi_tap_case(r->tap.f, &r->text, index + 1, o, item, result);
    if (tsi_is_failure(result->verdict) ||
        (result->verdict == TSI_XPASS && tsi_options_whole(o))) {
        wipe(r);
        tsi_print_failure(r->console, o, item, result);
    }
    return true;
}

static bool open_files(run *r)
{
    const tsi_options *o = r->options;

    /* The page is made from the lines. */
    if (!tsi_file_open(&r->json, o->json, o->html != NULL) ||
        !tsi_file_open(&r->junit, o->junit, true) ||
        !tsi_file_open(&r->tap, o->tap, false) || !tsi_file_open(&r->html, o->html, true))
        return false;
    r->lines = r->json.f;
    if (r->html.f && !r->json.f) {
        r->lines = tmpfile();
        if (!r->lines)
            return tsi_complain("no temporary file for the report");
    }
    return true;
}

/* Complete every file and move it to its place. */
static bool finish_files(run *r)
{
    bool ok = true;

    if (r->lines)
        ok = tsi_json_summary(r->lines, r->options, &r->summary);
    if (r->junit.f)
        tsi_junit_end(r->junit.f, &r->summary);
    if (r->html.f) {
        const html_run page = {.name = r->summary.info->name, .file = r->lines};

        rewind(r->lines);
        if (html_write(&page, 1, NULL, r->html.f) != TS_OK)
            ok = tsi_complain("%s: %s", r->options->html, ts_error_message());
    }
    if (r->lines && r->lines != r->json.f)
        fclose(r->lines);
    ok = tsi_file_close(&r->json, true) && ok;
    ok = tsi_file_close(&r->junit, true) && ok;
    ok = tsi_file_close(&r->tap, true) && ok;
    return tsi_file_close(&r->html, ok) && ok;
}

/* False. */
static bool drop_files(run *r)
{
    if (r->lines && r->lines != r->json.f)
        fclose(r->lines);
    tsi_file_close(&r->json, false);
    tsi_file_close(&r->junit, false);
    tsi_file_close(&r->tap, false);
    tsi_file_close(&r->html, false);
    return false;
}

/* What only a whole run can tell (spec/areas/results.md). How many complaints. */
static int whole_run(run *r, const tsi_corpus *corpus)
{
    const tsi_options *o = r->options;
    int bad = 0;

    if (r->summary.verdicts[TSI_XPASS]) {
        fprintf(r->console,
                "%d cases pass that are listed as failures: take them off %s\n",
                r->summary.verdicts[TSI_XPASS], o->expected_failures);
        bad++;
    }
    bad += tsi_corpus_complaints(corpus, r->console);
    if (r->summary.passed + r->summary.verdicts[TSI_XFAIL] == 0) {
        fprintf(r->console, "no case passed\n");
        bad++;
    }
    return bad + tsi_list_complaints(&r->list, r->console);
}

static int verdict_of_run(run *r, const tsi_corpus *corpus)
{
    const tsi_options *o = r->options;
    int bad = r->summary.failed + r->summary.verdicts[TSI_NOT_RUN] + !!r->summary.ended;

    if (tsi_options_whole(o))
        bad += whole_run(r, corpus);
    if (o->min_cases >= 0 && r->count < o->min_cases) {
        fprintf(r->console, "at least %d cases were asked for, %d are there\n",
                (int)o->min_cases, r->count);
        bad++;
    }
    return bad > 0 ? 1 : 0;
}

static int told_quality(run *r, const tsi_corpus *corpus)
{
    r->summary.quality =
        tsi_quality_rows(corpus->nfiles > 0 ? corpus->files[0].path : "");
    return tsi_quality_print(r->console, r->summary.quality);
}

static int judge(run *r, tsi_options *o, tsi_corpus *corpus)
{
    tsi_pool_run pool = {
        .options = o, .corpus = corpus, .result = on_result, .tick = on_tick, .self = r};
    int *selected = tsi_select(corpus, o, &r->count), status = 2;
    char *backend = NULL, *reference = NULL;

    if (selected && r->count == 0)
        tsi_complain("no case is selected, of %d", corpus->count);
    if (selected && r->count > 0 && tsi_corpus_open(corpus, selected, r->count))
        backend = tsi_backend_path(o, o->backend ? o->backend : "reference");
    if (backend)
        reference = tsi_needs_reference(o) || tsi_pipe_command(backend)
                        ? tsi_backend_path(o, "reference")
                        : strdup("");
    r->decided = calloc((size_t)r->count + 1, sizeof(*r->decided));
    if (reference && r->decided && (!o->quality || tsi_quality_start(o)) &&
        tsi_find_sensitivity(o, corpus, selected, r->count, r->decided) &&
        (open_files(r) || drop_files(r))) {
        pool.selected = selected;
        pool.count = r->count;
        pool.backend = backend;
        pool.reference = reference;
        r->summary.info = &pool.info;
        r->summary.torch = corpus->torch;
        if (r->tap.f)
            tsi_tap_start(r->tap.f, r->count);
        if (r->junit.f)
            tsi_junit_start(r->junit.f);
        r->start = now_s();
        if (tsi_pool_work(&pool)) {
            r->summary.seconds = now_s() - r->start;
            r->summary.ended = pool.ended;
            wipe(r);
            status = verdict_of_run(r, corpus);
            tsi_slowest_print(&r->slowest, r->console);
            tsi_print_summary(r->console, &r->summary);
            if (o->quality && told_quality(r, corpus) > 0 && o->strict && status == 0)
                status = 1;
            if (!finish_files(r))
                status = 2;
        } else {
            drop_files(r);
        }
    }
    free(backend);
    free(reference);
    free(selected);
    free(r->decided);
    return status;
}

/* Allocator settings that PyTorch would read: the cases are of its defaults (allocator). */
static void put_settings_aside(void)
{
    static const char *const names[] = {"PYTORCH_ALLOC_CONF", "PYTORCH_CUDA_ALLOC_CONF"};

    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        if (getenv(names[i])) {
            fprintf(stderr,
                    "touchstone: %s is put aside: the cases ask for the allocator's "
                    "default settings\n",
                    names[i]);
            unsetenv(names[i]);
        }
}

int tsi_verb_run(tsi_options *o)
{
    /* Never freed: the process ends with it, and that is quicker. */
    static tsi_corpus corpus;
    run r = {.options = o, .console = stdout, .slowest.most = o->slowest};
    int status = 2;

    if ((o->tap && strcmp(o->tap, "-") == 0) || (o->json && strcmp(o->json, "-") == 0) ||
        (o->junit && strcmp(o->junit, "-") == 0))
        r.console = stderr;
    r.progress = isatty(STDERR_FILENO) != 0;
    tsi_interrupt_watch();
    put_settings_aside();
    o->details = o->json || o->html;
    if (o->expected_failures && !tsi_list_read(&r.list, o->expected_failures))
        return 2;
    if (tsi_slowest_start(&r.slowest) &&
        tsi_corpus_load(&corpus, o->golden, o->nfiles, o->files))
        status = judge(&r, o, &corpus);
    json_decref(r.summary.levels);
    json_decref(r.summary.quality);
    json_decref(r.summary.provenance);
    tsi_list_free(&r.list);
    tsi_text_free(&r.text);
    tsi_slowest_free(&r.slowest);
    return status;
}

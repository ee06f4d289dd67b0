/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The executions of one case: each layout twice and compared bit by bit, then once on
 * meta; after every run nothing may be alive and every guard zone must stand.
 */
#include "runner/judge.h"

#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "runner/guard.h"
#include "runner/pipe.h"
#include "runner/text.h"

enum {
    MOST_TAKEN = 4096, /* expectations in one run */
    CHUNK = 1 << 20,
    MEMORY = 1 << 30, /* bytes of storages in a case whose header says nothing */
    SHOWN_ON_PASS = 64,
    SHOWN_ON_FAIL = 4096,
    RANK_TIMEOUT = 5 /* seconds that a collective waits for the other ranks */
};

/* Memory of one run, given back all at once. */
typedef struct chunk {
    struct chunk *next;
    size_t used, room;
    _Alignas(16) unsigned char bytes[];
} chunk;

typedef struct arena {
    chunk *first;
} arena;

/* What an expectation saw. */
typedef struct taken {
    const char *name;
    tsi_expect_kind kind;
    bool decided, passed;
    const tsi_expected *expected; /* NULL: decided by the interpreter */
    bool is_tensor;
    tsi_answer answer;
    double worst;
    int64_t worst_at;
} taken;

typedef struct run_record {
    arena memory;
    taken *taken;
    int count;
} run_record;

typedef enum mode { FIRST, AGAIN, META } mode;

struct tsi_executor {
    tsi_interp *interp;
    tsi_pipe *pipe; /* NULL: a library is judged */
    const tsi_options *options;
    const tsi_item *item;
    run_record base, other, *now;
    mode mode;
    int at; /* next expectation, in AGAIN and META */
    bool failed, repeats, compared;
    int line;
    char reason[1280];
    const taken *puzzle; /* its digest differs, and that made the case fail */
    tsi_answer input;    /* the first generated tensor, as it was when first seen */
    bool has_input;
    bool numeric, fits[TSI_TRIVIAL_COUNT], misfits[TSI_TRIVIAL_COUNT];
    unsigned char *scratch;
    size_t scratch_size;
    tsi_text text;
    /* Of a case with several ranks this one is rank 0, and these are the others. */
    tsi_executor **peers;
    int npeers, room;
    ts_backend_counts counts; /* of a peer's thread, since the layout began */
};

/* --- memory --- */

static void *take(arena *a, size_t size)
{
    chunk *c = a->first;

    size = (size + 15) & ~(size_t)15;
    if (!c || c->room - c->used < size) {
        const size_t room = size > CHUNK ? size : CHUNK;

        c = malloc(sizeof(*c) + room);
        if (!c)
            abort(); /* the worker dies, the case is an ERROR */
        *c = (chunk){.next = a->first, .room = room};
        a->first = c;
    }
    c->used += size;
    return c->bytes + c->used - size;
}

static void reset(arena *a)
{
    while (a->first && a->first->next) {
        chunk *next = a->first->next;

        free(a->first);
        a->first = next;
    }
    if (a->first)
        a->first->used = 0;
}

static void *scratch(tsi_executor *x, size_t size)
{
    if (size > x->scratch_size) {
        free(x->scratch);
        x->scratch = malloc(size);
        x->scratch_size = x->scratch ? size : 0;
        if (!x->scratch)
            abort();
    }
    return x->scratch;
}

/* --- expectations --- */

TS_PRINTF(3, 4) static void fail(tsi_executor *x, int line, const char *format, ...)
{
    va_list args;

    if (x->failed)
        return;
    x->failed = true;
    x->line = line;
    va_start(args, format);
    vsnprintf(x->reason, sizeof(x->reason), format, args);
    va_end(args);
}

/* t's elements in row-major order, wherever it lives. */
static ts_status gather(ts_tensor *t, unsigned char *bytes)
{
    ts_tensor *host;

    TS_TRY(ts_tensor_to_host(t, &host));
    tsi_gather(host, bytes);
    ts_release(host);
    return TS_OK;
}

static ts_status keep_tensor(arena *a, ts_tensor *t, bool elements, tsi_answer *out)
{
    const size_t dims = sizeof(int64_t) * (size_t)t->ndim;
    int64_t *sizes = take(a, 2 * dims);

    if (t->ndim > 0) {
        memcpy(sizes, t->sizes, dims);
        memcpy(sizes + t->ndim, t->strides, dims);
    }
    *out = (tsi_answer){.dtype = t->dtype,
                        .ndim = t->ndim,
                        .numel = t->numel,
                        .sizes = sizes,
                        .strides = sizes + t->ndim};
    if (elements && t->data) {
        unsigned char *bytes = take(a, (size_t)(t->numel * ts_dtype_size(t->dtype)));

        TS_TRY(gather(t, bytes));
        out->elements = bytes;
    }
    return TS_OK;
}

/* What a peer told, in the same form. */
static void keep_told(arena *a, const tsi_told *t, tsi_answer *out)
{
    const size_t dims = sizeof(int64_t) * (size_t)t->ndim;
    const size_t bytes = (size_t)(t->numel * ts_dtype_size(t->dtype));
    int64_t *sizes = take(a, 2 * dims);
    unsigned char *elements = t->elements ? take(a, bytes) : NULL;

    if (dims) {
        memcpy(sizes, t->sizes, dims);
        memcpy(sizes + t->ndim, t->strides, dims);
    }
    if (elements && bytes)
        memcpy(elements, t->elements, bytes);
    *out = (tsi_answer){.dtype = t->dtype,
                        .ndim = t->ndim,
                        .numel = t->numel,
                        .sizes = sizes,
                        .strides = sizes + t->ndim,
                        .elements = elements};
}

/* Which trivial answers would have passed this expectation too (results/S5). */
static void weigh(tsi_executor *x, const tsi_expected *e)
{
    for (int k = 0; k < TSI_TRIVIAL_COUNT; k++) {
        tsi_fit fit;

        if (x->misfits[k])
            continue;
        fit = tsi_trivial_fits((tsi_trivial)k, e, x->has_input ? &x->input : NULL);
        x->fits[k] |= fit == TSI_FIT_YES;
        x->misfits[k] |=
            fit == TSI_FIT_NO || (fit == TSI_FIT_NONE && k == TSI_INPUT && e->numel > 0);
    }
}

static const tsi_expected *expected_of(const tsi_executor *x, const tsi_expectation *e)
{
    const tsi_expected *out;

    if (!e->record)
        return NULL;
    out = &x->item->expected[e->record - x->item->c->records];
    return out->sizes ? out : NULL;
}

/* A digest's elements once they are known: the answer's own where it has that digest. */
static const tsi_expected *known(tsi_executor *x, const taken *t,
                                 const unsigned char *elements)
{
    tsi_expected *e = take(&x->now->memory, sizeof(*e));

    *e = *t->expected;
    e->class_ = TSI_CLASS_EXACT;
    e->bits = elements;
    return e;
}

static ts_status on_first(tsi_executor *x, const tsi_expectation *e)
{
    run_record *now = x->now;
    taken *t = &now->taken[now->count];
    const size_t length = strlen(e->name);
    tsi_comparison c;

    if (now == &x->base && !x->has_input && e->first_input &&
        ts_version(e->first_input) == 0) {
        TS_TRY(keep_tensor(&now->memory, e->first_input, true, &x->input));
        x->has_input = x->input.elements != NULL;
    }
    if (now->count == MOST_TAKEN)
        return ts_fail(TS_ERR_RUNTIME, NULL, "more than %d expectations in one run",
                       MOST_TAKEN);
    now->count++;
    *t = (taken){
        .kind = e->kind, .decided = e->decided, .passed = e->passed, .worst_at = -1};
    t->name = memcpy(take(&now->memory, length + 1), e->name, length + 1);
    t->is_tensor = e->tensor || e->told;
    if (e->tensor)
        TS_TRY(keep_tensor(&now->memory, e->tensor, true, &t->answer));
    else if (e->told)
        keep_told(&now->memory, e->told, &t->answer);
    if (e->decided) {
        if (!e->passed)
            fail(x, e->line, "%s: %s", e->name,
                 e->reason ? e->reason : "not as expected");
        if (e->passed && now == &x->base && e->tensor && t->answer.elements &&
            (e->kind == TSI_EXPECT_EQUAL || e->kind == TSI_EXPECT_CLOSE)) {
            /* A literal that was met: what came is what was asked for. */
            const tsi_expected met = {.class_ = TSI_CLASS_EXACT,
                                      .dtype = t->answer.dtype,
                                      .ndim = t->answer.ndim,
                                      .numel = t->answer.numel,
                                      .sizes = t->answer.sizes,
                                      .strides = t->answer.strides,
                                      .bits = t->answer.elements};
            weigh(x, &met);
        }
        return TS_OK;
    }
    t->expected = expected_of(x, e);
    if (!t->is_tensor || (e->told && !t->answer.elements)) {
        t->passed = false;
        fail(x, e->line, "%s: expected a tensor%s", e->name,
             t->is_tensor ? "'s elements" : "");
        return TS_OK;
    }
    if (!t->expected) {
        t->passed = false;
        fail(x, e->line, "%s: the golden file holds no answer of that name", e->name);
        return TS_OK;
    }
    tsi_compare_answer(e->name, t->expected, &t->answer, &c);
    t->passed = c.equal;
    t->worst = c.worst;
    t->worst_at = c.worst_at;
    if (t->expected->class_ == TSI_CLASS_DIGEST && c.equal)
        t->expected = known(x, t, t->answer.elements);
    else if (t->expected->class_ == TSI_CLASS_DIGEST && !x->failed)
        x->puzzle = t;
    if (!c.equal)
        fail(x, e->line, "%s", c.reason);
    else if (now == &x->base)
        weigh(x, t->expected);
    return TS_OK;
}

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

/* The second run of a layout must give the very bits of the first (results/S6). */
static ts_status on_again(tsi_executor *x, const tsi_expectation *e)
{
    const taken *t = x->at < x->now->count ? &x->now->taken[x->at] : NULL;
    const tsi_answer *a = t ? &t->answer : NULL;

    x->at++;
    if (!t || strcmp(t->name, e->name) != 0 || t->is_tensor != (e->tensor || e->told)) {
        fail(x, e->line, "%s: the second run took another path than the first", e->name);
    } else if (e->decided && e->passed != t->passed) {
        fail(x, e->line, "%s: held in the first run, not in the second: %s", e->name,
             e->reason ? e->reason : "");
    } else if (t->is_tensor && a->elements && (e->tensor || e->told->elements)) {
        const size_t size = (size_t)ts_dtype_size(a->dtype);
        unsigned char *bytes;

        if ((e->tensor ? e->tensor->dtype : e->told->dtype) != a->dtype ||
            (e->tensor ? e->tensor->numel : e->told->numel) != a->numel) {
            fail(x, e->line, "%s: the second run gave another dtype or shape", e->name);
            return TS_OK;
        }
        bytes = scratch(x, (size_t)a->numel * size + 1);
        if (e->tensor)
            TS_TRY(gather(e->tensor, bytes));
        else
            memcpy(bytes, e->told->elements, (size_t)a->numel * size);
        for (int64_t i = 0;
             memcmp(bytes, a->elements, (size_t)a->numel * size) != 0 && i < a->numel;
             i++)
            if (memcmp(bytes + i * (int64_t)size, a->elements + i * (int64_t)size,
                       size) != 0) {
                char first[40], second[40];

                fail(x, e->line,
                     "%s: two runs differ: element %" PRId64 " was %s, then %s", e->name,
                     i,
                     tsi_element_text(first, sizeof(first), a->dtype,
                                      a->elements + i * (int64_t)size),
                     tsi_element_text(second, sizeof(second), a->dtype,
                                      bytes + i * (int64_t)size));
                break;
            }
    }
    return TS_OK;
}

/* meta agrees in dtype, shape and strides (results/S9). */
static ts_status on_meta(tsi_executor *x, const tsi_expectation *e)
{
    const run_record *base = &x->base;
    const ts_tensor *m = e->tensor;

    while (x->at < base->count && strcmp(base->taken[x->at].name, e->name) != 0)
        x->at++;
    if (x->at < base->count && m && base->taken[x->at].is_tensor) {
        const tsi_answer *a = &base->taken[x->at].answer;
        const size_t dims = sizeof(int64_t) * (size_t)a->ndim;

        if (m->dtype != a->dtype)
            fail(x, e->line, "%s: on meta its dtype is %s, with data %s", e->name,
                 ts_dtype_name(m->dtype), ts_dtype_name(a->dtype));
        else if (m->ndim != a->ndim || (dims && memcmp(m->sizes, a->sizes, dims) != 0))
            fail(x, e->line, "%s: on meta its shape is another than with data", e->name);
        else if (!tsi_same_strides(a->ndim, a->sizes, m->strides, a->strides))
            fail(x, e->line, "%s: on meta its strides are others than with data",
                 e->name);
    }
    return TS_OK;
}

static ts_status on_expectation(void *self, const tsi_expectation *e)
{
    tsi_executor *x = self;

    if (x->mode == FIRST)
        return on_first(x, e);
    return x->mode == AGAIN ? on_again(x, e) : on_meta(x, e);
}

static ts_status on_data(void *self, const tsi_case *c, const char *key, ts_device device,
                         ts_tensor **out)
{
    const tsi_executor *x = self;
    const tsi_stored *s = tsi_safetensors_find(&x->item->golden->data, key);

    TS_CHECK(s, TS_ERR_VALUE, NULL, "%s: no stored tensor '%s'", c->id, key);
    TS_TRY(ts_tensor_new(device, s->dtype, s->ndim, s->sizes, out));
    return ts_storage_write(ts_tensor_storage(*out), 0,
                            s->numel * ts_dtype_size(s->dtype), s->data);
}

/* --- one run --- */

/* What the device has still to tell is the run's too. */
static ts_status settle(ts_status status, tsi_run_result *r)
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
        .self = k->x, .expectation = on_expectation, .data = on_data};
    tsi_run_result *r = k->result;

    r->status = ts_world_join(k->world, k->options.rank);
    if (r->status == TS_OK) {
        r->status = tsi_case_run(k->x->interp, k->x->item->c, &k->options, &judge, r);
        if (k->options.device.type == TS_ACCEL)
            r->status = settle(r->status, r);
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

static ts_status run_ranks(tsi_executor *x, const tsi_run_options *options,
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
            fail(x, x->peers[i - 1]->line, "rank %d: %s", i, x->peers[i - 1]->reason);
    told = rank_to_tell(n, results);
    *result = results[told];
    if (told > 0)
        snprintf(result->message, sizeof(result->message), "%.490s (rank %d)",
                 results[told].message, told);
    free(runs);
    free(results);
    return result->status;
}

static bool needs(const tsi_case *c, const char *what)
{
    for (int i = 0; i < c->nneeds; i++)
        if (strcmp(c->needs[i], what) == 0)
            return true;
    return false;
}

static ts_status run_once(tsi_executor *x, tsi_variant variant, mode m, tsi_run_result *r)
{
    const tsi_run_options options = {
        .variant = variant,
        .device = {m == META ? TS_META : x->options->device,
                   m != META && x->options->device == TS_ACCEL ? -1 : 0},
        /* Looking waits for the device, which is what such a case is about. */
        .watch_inputs = m == FIRST && !needs(x->item->c, "accel"),
    };
    const tsi_judge judge = {.self = x, .expectation = on_expectation, .data = on_data};
    const ts_live before = ts_live_now();
    ts_status status;
    ts_live after;
    const char *finding;

    x->mode = m;
    x->at = 0;
    if (x->pipe) {
        status = tsi_pipe_run(x->pipe, x->interp, x->item->c, &options,
                              x->options->timeout, &judge, r);
    } else if (x->npeers > 0) {
        status = run_ranks(x, &options, r);
    } else {
        status = tsi_case_run(x->interp, x->item->c, &options, &judge, r);
        if (options.device.type == TS_ACCEL)
            status = settle(status, r);
    }
    after = ts_live_now();
    finding = tsi_guard_finding();
    if (finding)
        fail(x, 0, "memory: %s", finding);
    if (after.tensors != before.tensors || after.storages != before.storages ||
        after.bytes != before.bytes || after.nodes != before.nodes)
        fail(x, 0,
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
    reset(&x->now->memory);
    x->counts = (ts_backend_counts){0};
    for (int i = 0; i < x->npeers; i++)
        begin(x->peers[i], variant);
}

static void check_count(tsi_executor *x, const tsi_executor *rank)
{
    if (!x->failed && rank->at != rank->now->count)
        fail(x, 0, "the second run met %d expectations, the first %d", rank->at,
             rank->now->count);
}

/* Which element of an answer is wrong whose digest differs. */
static void solve(tsi_executor *x, tsi_variant variant)
{
    taken *t = &x->now->taken[x->puzzle - x->now->taken];
    const size_t bytes = (size_t)(t->answer.numel * ts_dtype_size(t->answer.dtype));
    unsigned char *elements =
        x->npeers > 0 || needs(x->item->c, "accel")
            ? NULL
            : tsi_reference_elements(x->interp, x->options, x->item->c, variant, t->name,
                                     &t->answer);

    tsi_explain_digest(t->name, t->expected, &t->answer, elements, x->reason,
                       sizeof(x->reason));
    if (elements)
        t->expected =
            known(x, t, memcpy(take(&x->now->memory, bytes + 1), elements, bytes));
    free(elements);
    x->puzzle = NULL;
}

/* Both runs of one layout. False: the case has its verdict. */
static bool run_layout(tsi_executor *x, tsi_variant variant, tsi_run_result *r)
{
    tsi_run_result again;
    ts_status first;

    begin(x, variant);
    first = run_once(x, variant, FIRST, r);
    if (x->puzzle)
        solve(x, variant);
    if (first != TS_OK)
        return false;
    if (x->failed || !x->repeats)
        return !x->failed;
    x->compared = true;
    tsi_graph_capture(x->options->graph && !needs(x->item->c, "accel"));
    const ts_status status = run_once(x, variant, AGAIN, &again);

    tsi_graph_capture(false);
    if (status != TS_OK)
        fail(x, again.line, "the second run ended in %s: %s",
             ts_status_name(again.status), again.message);
    check_count(x, x);
    for (int i = 0; i < x->npeers; i++)
        check_count(x, x->peers[i]);
    return !x->failed;
}

/* --- details --- */

static void numbers(tsi_text *t, const char *key, int64_t n, int digits, const taken *k,
                    double (*value)(const taken *k, int64_t i))
{
    tsi_text_format(t, ",\"%s\":[", key);
    for (int64_t i = 0; i < n; i++) {
        if (i)
            tsi_text_add(t, ",", 1);
        tsi_text_number(t, value(k, i), digits);
    }
    tsi_text_add(t, "]", 1);
}

/* Digits that tell any two numbers of a dtype apart. */
static int digits_of(ts_dtype dtype)
{
    switch (ts_dtype_size(dtype)) {
    case 8:
        return 17;
    case 4:
        return ts_dtype_is_floating(dtype) ? 9 : 17;
    default:
        return 5;
    }
}

static double got_value(const taken *k, int64_t i)
{
    uint64_t aligned;
    const int64_t size = ts_dtype_size(k->answer.dtype);

    memcpy(&aligned, k->answer.elements + i * size, (size_t)size);
    return ts_load_f64(k->answer.dtype, &aligned);
}

static double expected_value(const taken *k, int64_t i)
{
    return tsi_expected_value(k->expected, i);
}

static double bound_value(const taken *k, int64_t i)
{
    return tsi_expected_bound(k->expected, i);
}

static double error_value(const taken *k, int64_t i)
{
    return tsi_expected_error(k->expected, &k->answer, i);
}

static void int_list(tsi_text *t, const char *key, int n, const int64_t *v)
{
    tsi_text_format(t, ",\"%s\":[", key);
    for (int i = 0; i < n; i++)
        tsi_text_format(t, i ? ",%" PRId64 : "%" PRId64, v[i]);
    tsi_text_add(t, "]", 1);
}

static void describe(tsi_text *t, const taken *k, int64_t most)
{
    const tsi_answer *a = &k->answer;
    const tsi_expected *e = k->expected;

    tsi_text_format(t, "{\"name\":");
    tsi_text_json(t, k->name);
    tsi_text_format(t, ",\"class\":\"%s\",\"passed\":%s",
                    e ? e->digest                      ? "digest"
                        : e->class_ == TSI_CLASS_BOUND ? "bound"
                                                       : "exact"
                      : tsi_expect_kind_name(k->kind),
                    k->passed ? "true" : "false");
    if (k->is_tensor) {
        tsi_text_format(t, ",\"dtype\":\"%s\"", ts_dtype_name(a->dtype));
        int_list(t, "shape", a->ndim, a->sizes);
        int_list(t, "strides", a->ndim, a->strides);
        if (a->elements)
            numbers(t, "got", a->numel < most ? a->numel : most, digits_of(a->dtype), k,
                    got_value);
    }
    if (e && e->class_ != TSI_CLASS_DIGEST) {
        const int64_t n = e->numel < most ? e->numel : most;
        const bool comparable =
            k->is_tensor && a->dtype == e->dtype && a->numel == e->numel;

        /* A truth has more digits than its dtype; where it was met, three more will do. */
        int digits = most > SHOWN_ON_PASS ? 17 : digits_of(e->dtype) + 3;

        digits = digits > 17 ? 17 : digits;
        numbers(t, "expected", n, digits, k, expected_value);
        if (e->class_ == TSI_CLASS_BOUND) {
            numbers(t, "bound", n, 4, k, bound_value);
            tsi_text_format(t, ",\"used\":");
            tsi_text_number(t, e->used, 4);
        }
        if (comparable) {
            numbers(t, "error", n, 4, k, error_value);
            tsi_text_format(t, ",\"worst\":");
            tsi_text_number(t, k->worst, 4);
            tsi_text_format(t, ",\"worst_at\":%" PRId64, k->worst_at);
        }
    }
    tsi_text_add(t, "}", 1);
}

static void describe_all(tsi_executor *x, bool passed, tsi_result *out)
{
    bool any = false;

    tsi_text_reset(&x->text);
    tsi_text_add(&x->text, "[", 1);
    for (int r = 0; r <= x->npeers; r++) {
        const tsi_executor *p = r ? x->peers[r - 1] : x;
        const run_record *run = out->variant == TSI_BASE ? &p->base : &p->other;

        for (int i = 0; i < run->count; i++, any = true) {
            if (any)
                tsi_text_add(&x->text, ",", 1);
            describe(&x->text, &run->taken[i], passed ? SHOWN_ON_PASS : SHOWN_ON_FAIL);
        }
    }
    tsi_text_add(&x->text, "]", 1);
    out->expect = tsi_text_take(&x->text);
}

/* --- verdicts --- */

static ts_backend_counts counted(const tsi_executor *x)
{
    ts_backend_counts c = ts_backend_counted();

    for (int i = 0; i < x->npeers; i++) {
        c.ran += x->peers[i]->counts.ran;
        c.assisted += x->peers[i]->counts.assisted;
        c.declined += x->peers[i]->counts.declined;
    }
    return c;
}

/* The dtype that a message ends in, "… in float64", or the case's. */
static ts_dtype dtype_of(const char *message, ts_dtype otherwise)
{
    const char *word = strrchr(message, ' ');
    const ts_dtype d = word ? ts_dtype_from_name(word + 1) : TS_DTYPE_NONE;

    return d != TS_DTYPE_NONE ? d : otherwise;
}

/* A run that ended in TS_ERR_UNSUPPORTED: the first word of the message is the op. */
static tsi_verdict unsupported(tsi_executor *x, const tsi_run_result *r)
{
    const char *message = r->message;
    const tsi_case *c = x->item->c;
    char op[64];
    bool claims;
    int n = 0;

    if (x->pipe && tsi_pipe_unsupported(x->pipe, &message)) {
        const char *what = tsi_pipe_unsupported(x->pipe, &message);

        snprintf(x->reason, sizeof(x->reason), "%s", message);
        if (!tsi_pipe_claims(x->pipe, what, c->dtype, &claims))
            return claims ? TSI_NOT_CLAIMED : TSI_UNSUPPORTED;
        snprintf(x->reason, sizeof(x->reason), "%s is claimed, but not supported: %s",
                 what, message);
        return TSI_FAIL;
    }

    if (message[0] == '[' && strstr(message, "] "))
        message = strstr(message, "] ") + 2;
    while (message[n] && message[n] != ' ' && message[n] != ':' &&
           n < (int)sizeof(op) - 1)
        n++;
    snprintf(op, sizeof(op), "%.*s", n, message);
    if (!ts_op_find(op)) {
        /* No kernel was asked: the case uses more of PyTorch than this build has. */
        snprintf(x->reason, sizeof(x->reason), "not in this build: %s", message);
        return TSI_FAIL;
    }
    if (counted(x).declined > 0) {
        snprintf(x->reason, sizeof(x->reason), "its supports() declines: %s", message);
        return TSI_NOT_CLAIMED;
    }
    if (tsi_backend_claimed(op, dtype_of(message, c->dtype), &claims)) {
        snprintf(x->reason, sizeof(x->reason), "%s is claimed, but not supported: %s", op,
                 message);
        return TSI_FAIL;
    }
    snprintf(x->reason, sizeof(x->reason), "%s", message);
    return claims ? TSI_NOT_CLAIMED : TSI_UNSUPPORTED;
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

/* results/S5. True: `x->reason` says why this case cannot be trusted. */
static bool mistrusted(tsi_executor *x)
{
    static const char *const what[] = {
        [TSI_ZEROS] = "zeros",
        [TSI_INPUT] = "the first input unchanged",
        [TSI_SHIFT] = "the answer shifted by one element",
        [TSI_POISON] = "memory left as it was",
    };
    /* An answer of one value all over is its own shift: nothing to find fault with, but
     * what a header may well call trivial. */
    bool any = !x->misfits[TSI_SHIFT], judged = false;

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
    if (run_once(x, TSI_BASE, META, &r) != TS_OK) {
        out->meta_ended = true; /* results/S9: an op that needs data ends it quietly */
        if (!x->failed && !needs_data(&r))
            fail(x, r.line, "on meta: %s: %s", ts_status_name(r.status), r.message);
    }
    return x->failed ? TSI_FAIL : TSI_PASS;
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
    if (needs(c, "accel") && x->options->device != TS_ACCEL) {
        snprintf(x->reason, sizeof(x->reason), "needs an accelerator (--device accel)");
        return TSI_SKIP;
    }
    if (needs(c, "two_devices") && ts_accel_device_count() < 2) {
        snprintf(x->reason, sizeof(x->reason), "needs two accelerators, there is one");
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
                return unsupported(x, &r);
            }
            if (r.status != TS_OK && !x->failed)
                fail(x, r.line, "%s: %s", ts_status_name(r.status), r.message);
            return TSI_FAIL;
        }
        if (!ran)
            counts = counted(x);
        ran = true;
    }
    out->variant = TSI_BASE;
    if (only == TSI_VARIANT_COUNT || only == TSI_BASE) {
        gather_fits(x);
        if (counts.ran > 0 && mistrusted(x)) /* through a pipe: the reference's */
            return TSI_MISTRUSTED;
        if (!x->pipe && !needs(c, "accel") && judge_meta(x, out) != TSI_PASS)
            return TSI_FAIL;
    }
    if (x->pipe)
        return TSI_PASS;
    if (counts.ran == 0 && !needs(c, "accel")) { /* there the driver took part */
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

void tsi_execute(tsi_executor *x, const tsi_item *item, tsi_result *out)
{
    const double start = now_ms();

    *out = (tsi_result){.variant = TSI_BASE};
    take_up(x, item);
    if (item->c->ranks > 1 && !x->pipe)
        take_up_ranks(x, item);
    tsi_guard_limit(item->c->memory > 0 ? item->c->memory : MEMORY);
    out->verdict = judge(x, out);
    out->line = x->line;
    out->compared = x->compared;
    if (x->options->graph) {
        const tsi_graph_counts counts = tsi_graph_take_counts();

        out->graphs = counts.graphs;
        out->works = (int)counts.nodes;
    }
    if (x->options->details)
        describe_all(x, !tsi_is_failure(out->verdict), out);
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
    x->base.taken = calloc(MOST_TAKEN, sizeof(*x->base.taken));
    x->other.taken = calloc(MOST_TAKEN, sizeof(*x->other.taken));
    if (!x->base.taken || !x->other.taken || tsi_interp_new(&x->interp) != TS_OK) {
        free(x->base.taken);
        free(x->other.taken);
        free(x);
        return NULL;
    }
    return x;
}

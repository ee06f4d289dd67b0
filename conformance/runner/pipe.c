/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A case by a peer. The reference runs the program first, for the inputs; the peer runs
 * it from them; the reference runs it again, and at every expectation the peer's answer
 * is judged in place of its own, by the code that judges a library.
 */
#include "runner/pipe.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "runner/text.h"

/* What a generator made. */
typedef struct input {
    ts_tensor *t;      /* while the first run lasts */
    ts_status refused; /* TS_OK, or the error that came in its place */
    ts_dtype dtype;
    int ndim;
    int64_t dims[2 * TS_MAX_DIMS]; /* sizes, then strides */
    int64_t offset, elements;
    unsigned char *bytes; /* of its storage, as made */
    unsigned char *fixed; /* by element: nothing in the program writes to it */
} input;

struct tsi_pipe {
    tsi_peer *peer;
    tsi_hello hello;
    char error[512]; /* what broke the last exchange, or "" */
    char unsupported[64], reason[400];

    /* of one case and layout */
    const tsi_case *c;
    tsi_variant variant;
    input *inputs;
    int ninputs, room;
    tsi_text payload;
    json_t *tree;

    /* the run under way */
    const tsi_judge *judge;
    tsi_answers answers;
    int at;
};

/* --- opening --- */

tsi_pipe *tsi_pipe_open(const char *command, _Atomic int *group, tsi_backend_info *info)
{
    tsi_pipe *p = calloc(1, sizeof(*p));

    info->ok = false;
    if (p)
        p->peer = tsi_peer_new(command, group);
    if (!p || !p->peer) {
        snprintf(info->message, sizeof(info->message), "out of memory");
        free(p);
        return NULL;
    }
    info->ok = tsi_peer_ready(p->peer, &p->hello, p->error, sizeof(p->error));
    if (!info->ok)
        snprintf(info->message, sizeof(info->message), "backend pipe:%.200s: %.250s",
                 command, p->error);
    tsi_text_plain_line(info->name, sizeof(info->name), p->hello.name);
    tsi_text_plain_line(info->version, sizeof(info->version), p->hello.version);
    return p;
}

void tsi_pipe_ready(tsi_pipe *p)
{
    tsi_hello again;
    char error[512];

    /* where this fails, so will the case, and say so */
    if (!tsi_peer_alive(p->peer) && tsi_peer_ready(p->peer, &again, error, sizeof(error)))
        tsi_hello_free(&again);
}

void tsi_pipe_close(tsi_pipe *p)
{
    tsi_peer_stop(p->peer);
}

bool tsi_pipe_claims(const tsi_pipe *p, const char *op, ts_dtype dtype, bool *claims)
{
    *claims = p->hello.nclaims > 0;
    for (size_t i = 0; i < p->hello.nclaims; i++) {
        const ts_claim *c = &p->hello.claims[i];

        if ((strcmp(c->op, "*") == 0 || strcmp(c->op, op) == 0) &&
            (c->dtypes == 0 || dtype == TS_DTYPE_NONE ||
             (c->dtypes & TS_DTYPE_BIT(dtype)) != 0))
            return true;
    }
    return false;
}

const char *tsi_pipe_unsupported(const tsi_pipe *p, const char **reason)
{
    *reason = p->reason;
    return p->unsupported[0] ? p->unsupported : NULL;
}

const char *tsi_pipe_broken(const tsi_pipe *p)
{
    return p->error[0] ? p->error : NULL;
}

/* --- the inputs --- */

static ts_status none(void)
{
    return ts_fail(TS_ERR_OUT_OF_MEMORY, NULL, "out of memory for a case's inputs");
}

static void forget(tsi_pipe *p)
{
    for (int i = 0; i < p->ninputs; i++) {
        free(p->inputs[i].bytes);
        free(p->inputs[i].fixed);
    }
    json_decref(p->tree);
    p->tree = NULL;
    p->ninputs = 0;
    p->c = NULL;
}

static ts_status on_input(void *self, ts_status status, ts_tensor *t)
{
    tsi_pipe *p = self;
    const int64_t size = t ? ts_storage_bytes(ts_tensor_storage(t)) : 0;
    input *i;

    if (p->ninputs == p->room) {
        input *grown = realloc(p->inputs, (size_t)(2 * p->room + 16) * sizeof(*grown));

        if (!grown)
            return none();
        p->inputs = grown;
        p->room = 2 * p->room + 16;
    }
    i = &p->inputs[p->ninputs];
    *i = (input){.refused = status};
    if (!t) {
        p->ninputs++;
        return TS_OK;
    }
    *i = (input){.dtype = t->dtype,
                 .ndim = t->ndim,
                 .offset = t->offset,
                 .elements = size / ts_dtype_size(t->dtype)};
    for (int d = 0; d < t->ndim; d++) {
        i->dims[d] = t->sizes[d];
        i->dims[t->ndim + d] = t->strides[d];
    }
    i->bytes = malloc((size_t)size + 1);
    i->fixed = calloc((size_t)i->elements + 1, 1);
    if (!i->bytes || !i->fixed) {
        free(i->bytes);
        free(i->fixed);
        return none();
    }
    if (size > 0)
        memcpy(i->bytes, ts_storage_data(ts_tensor_storage(t)), (size_t)size);
    i->t = ts_retain(t);
    p->ninputs++;
    return TS_OK;
}

/* What the program itself left alone: an input it never wrote to, gaps it never filled.
 * PyTorch adds to gradients where they lie, one given to backward() among them. */
static void fix(input *i, bool gaps_only)
{
    const size_t size = (size_t)ts_dtype_size(i->dtype);
    const unsigned char *now = ts_storage_data(ts_tensor_storage(i->t));
    bool written = gaps_only;

    if (ts_storage_bytes(ts_tensor_storage(i->t)) != i->elements * (int64_t)size)
        return;
    tsi_mark_reached(i->t, i->fixed);
    for (int64_t e = 0; e < i->elements; e++)
        written |= i->fixed[e] &&
                   memcmp(now + (size_t)e * size, i->bytes + (size_t)e * size, size) != 0;
    for (int64_t e = 0; e < i->elements; e++)
        i->fixed[e] =
            (!i->fixed[e] || !written) &&
            memcmp(now + (size_t)e * size, i->bytes + (size_t)e * size, size) == 0;
}

static ts_status ignore(void *self, const tsi_expectation *e)
{
    (void)self;
    (void)e;
    return TS_OK;
}

static ts_status on_data(void *self, const tsi_case *c, const char *key, ts_device device,
                         ts_tensor **out)
{
    tsi_pipe *p = self;

    return p->judge->data(p->judge->self, c, key, device, out);
}

/* All inputs as one safetensors file. */
static ts_status pack(tsi_pipe *p)
{
    json_t *header = json_object();
    int64_t at = 0;
    unsigned char length[8];
    char name[16], *text;
    size_t n;

    for (int i = 0; i < p->ninputs; i++) {
        const input *x = &p->inputs[i];
        const int64_t size = x->elements * ts_dtype_size(x->dtype);

        snprintf(name, sizeof(name), "i%d", i);
        json_object_set_new(header, name,
                            json_pack("{s:s,s:[I],s:[I,I]}", "dtype",
                                      ts_dtype_get(x->dtype)->safetensors, "shape",
                                      (json_int_t)x->elements, "data_offsets",
                                      (json_int_t)at, (json_int_t)(at + size)));
        at += size;
    }
    text = json_dumps(header, JSON_COMPACT | JSON_PRESERVE_ORDER);
    json_decref(header);
    TS_CHECK(text, TS_ERR_OUT_OF_MEMORY, NULL, "no memory for the inputs' header");
    n = (strlen(text) + 7) / 8 * 8;
    for (int b = 0; b < 8; b++)
        length[b] = (unsigned char)(n >> 8 * b);
    tsi_text_reset(&p->payload);
    tsi_text_add(&p->payload, (const char *)length, 8);
    tsi_text_format(&p->payload, "%-*s", (int)n, text);
    for (int i = 0; i < p->ninputs; i++)
        tsi_text_add(&p->payload, (const char *)p->inputs[i].bytes,
                     (size_t)(p->inputs[i].elements * ts_dtype_size(p->inputs[i].dtype)));
    free(text);
    return TS_OK;
}

static ts_status prepare(tsi_pipe *p, tsi_interp *in, const tsi_case *c,
                         const tsi_run_options *options, tsi_run_result *result)
{
    const tsi_judge judge = {
        .self = p, .expectation = ignore, .data = on_data, .input = on_input};
    ts_status s;

    forget(p);
    s = tsi_case_run(in, c, options, &judge, result);
    for (int i = 0; i < p->ninputs; i++)
        if (p->inputs[i].t) {
            fix(&p->inputs[i], strstr(c->program, "backward(") != NULL);
            ts_release(p->inputs[i].t);
        }
    if (s != TS_OK) {
        char why[400];

        snprintf(why, sizeof(why), "%.399s", result->message);
        snprintf(result->message, sizeof(result->message), "in the judge's own run: %s",
                 why);
        return s;
    }
    s = pack(p);
    if (s != TS_OK) {
        snprintf(result->message, sizeof(result->message), "%s", ts_error_message());
        result->status = s;
        return s;
    }
    p->tree = tsi_case_tree(c);
    p->c = c;
    p->variant = options->variant;
    return TS_OK;
}

/* --- the exchange --- */

static json_t *ints(int n, const int64_t *v)
{
    json_t *out = json_array();

    for (int i = 0; i < n; i++)
        json_array_append_new(out, json_integer(v[i]));
    return out;
}

static json_t *message(const tsi_pipe *p, double seconds)
{
    json_t *inputs = json_array();
    char name[16];

    for (int i = 0; i < p->ninputs; i++) {
        const input *x = &p->inputs[i];

        snprintf(name, sizeof(name), "i%d", i);
        if (x->refused != TS_OK) {
            json_array_append_new(
                inputs, json_pack("{s:s}", "error", ts_status_name(x->refused)));
            continue;
        }
        json_array_append_new(inputs, json_pack("{s:s,s:s,s:o,s:o,s:I}", "storage", name,
                                                "dtype", ts_dtype_name(x->dtype), "sizes",
                                                ints(x->ndim, x->dims), "strides",
                                                ints(x->ndim, x->dims + x->ndim),
                                                "offset", (json_int_t)x->offset));
    }
    return json_pack("{s:s,s:s,s:s,s:s,s:i,s:O,s:o,s:f}", "message", "run", "case",
                     p->c->id, "variant", tsi_variant_name(p->variant), "text",
                     p->c->program, "line", p->c->program_line, "tree", p->tree, "inputs",
                     inputs, "seconds", seconds);
}

/* False: p->error says what the peer did. */
static bool ask(tsi_pipe *p, double seconds)
{
    tsi_hello again;
    tsi_message answer;
    json_t *run;
    char what[300];
    bool ok;

    p->error[0] = p->unsupported[0] = p->reason[0] = '\0';
    if (!tsi_peer_alive(p->peer)) {
        if (!tsi_peer_ready(p->peer, &again, what, sizeof(what))) {
            snprintf(p->error, sizeof(p->error), "started again, %s", what);
            return false;
        }
        tsi_hello_free(&again);
    }
    run = message(p, seconds);
    ok = tsi_peer_exchange(p->peer, run, p->payload.bytes,
                           p->ninputs ? p->payload.used : 0, &answer, p->error,
                           sizeof(p->error));
    json_decref(run);
    if (!ok)
        return false;
    if (!tsi_answers_read(&answer, &p->answers, what, sizeof(what))) {
        snprintf(p->error, sizeof(p->error), "the peer broke the protocol: %s", what);
        tsi_peer_stop(p->peer);
        return false;
    }
    return true;
}

/* --- judging --- */

/* How the peer's run ended, as a status of this one. */
static ts_status how_it_ended(const tsi_answers *a)
{
    if (a->unsupported)
        return ts_fail(TS_ERR_UNSUPPORTED, NULL, "%.60s: %.300s", a->unsupported,
                       a->text);
    if (a->error)
        return ts_fail(ts_status_from_name(a->error), NULL, "%.400s", a->text);
    return TS_OK;
}

static ts_status on_reply(void *self, tsi_expect_kind kind, tsi_reply *out)
{
    tsi_pipe *p = self;
    const tsi_answers *a = &p->answers;

    if (p->at == a->count) {
        TS_TRY(how_it_ended(a));
        return ts_fail(TS_ERR_RUNTIME, NULL, "the peer answered %d expectations only",
                       a->count);
    }
    TS_CHECK(a->items[p->at].kind == kind, TS_ERR_RUNTIME, NULL,
             "the peer took another path: its answer %d is to %s, asked was %s",
             p->at + 1, tsi_expect_kind_name(a->items[p->at].kind),
             tsi_expect_kind_name(kind));
    *out = a->items[p->at++].reply;
    return TS_OK;
}

static ts_status on_expectation(void *self, const tsi_expectation *e)
{
    tsi_pipe *p = self;

    return p->judge->expectation(p->judge->self, e);
}

static ts_status fault(tsi_pipe *p, int k, const char *what, int64_t element)
{
    char reason[200];
    const tsi_expectation e = {
        .kind = TSI_EXPECT_INPUTS, .name = "inputs", .decided = true, .reason = reason};

    snprintf(reason, sizeof(reason), "input %d: element %" PRId64 " of its storage %s", k,
             element, what);
    return p->judge->expectation(p->judge->self, &e);
}

/* results/S7, as far as the peer shows its inputs. */
static ts_status look_at_inputs(tsi_pipe *p)
{
    const tsi_answers *a = &p->answers;

    for (int k = 0; k < a->ninputs && k < p->ninputs; k++) {
        const input *x = &p->inputs[k];
        const tsi_stored *s = a->inputs[k];
        const size_t size = (size_t)ts_dtype_size(x->dtype);

        if (!s || x->refused != TS_OK)
            continue;
        if (s->dtype != x->dtype || s->numel != x->elements)
            return fault(p, k, "and all others: another size or dtype came back", 0);
        for (int64_t e = 0; e < x->elements; e++)
            if (x->fixed[e] && memcmp(s->data + (size_t)e * size,
                                      x->bytes + (size_t)e * size, size) != 0)
                return fault(p, k, "was written, though the program does not", e);
    }
    return TS_OK;
}

static ts_status settle(tsi_pipe *p)
{
    TS_TRY(how_it_ended(&p->answers));
    TS_CHECK(p->at == p->answers.count, TS_ERR_RUNTIME, NULL,
             "the peer answered %d expectations, the program has %d", p->answers.count,
             p->at);
    return look_at_inputs(p);
}

ts_status tsi_pipe_run(tsi_pipe *p, tsi_interp *in, const tsi_case *c,
                       const tsi_run_options *options, double seconds,
                       const tsi_judge *judge, tsi_run_result *result)
{
    const tsi_judge replies = {
        .self = p, .expectation = on_expectation, .data = on_data, .reply = on_reply};
    tsi_run_options quiet = *options;
    const char *unsupported;
    ts_status s;

    quiet.watch_inputs = false;
    p->judge = judge;
    p->error[0] = p->unsupported[0] = '\0';
    if (p->c != c || p->variant != options->variant)
        TS_TRY(prepare(p, in, c, &quiet, result));
    if (!ask(p, seconds)) {
        *result = (tsi_run_result){.status = TS_ERR_RUNTIME};
        snprintf(result->message, sizeof(result->message), "%s", p->error);
        return TS_ERR_RUNTIME;
    }
    p->at = 0;
    s = tsi_case_run(in, c, &quiet, &replies, result);
    if (s == TS_OK) {
        s = settle(p);
        result->status = s;
        result->line = p->answers.line;
        if (s != TS_OK)
            snprintf(result->message, sizeof(result->message), "%s", ts_error_message());
    }
    unsupported = p->answers.unsupported;
    if (s == TS_ERR_UNSUPPORTED && unsupported) {
        snprintf(p->unsupported, sizeof(p->unsupported), "%s", unsupported);
        snprintf(p->reason, sizeof(p->reason), "%.60s: %.300s", unsupported,
                 p->answers.text);
    }
    tsi_answers_free(&p->answers);
    return s;
}

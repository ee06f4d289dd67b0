/* SPDX-License-Identifier: Apache-2.0 */
/* Expectations: what the interpreter decides itself, and what it hands to the judge. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "interp.h"

#define MAX_NAME 200

typedef struct tsi_seen {
    const char *name;
    struct tsi_seen *next;
} tsi_seen;

static const char *const kind_names[TSI_EXPECT_KIND_COUNT] = {
    "expect",       "expect_equal",   "expect_view_of", "expect_copy_of",
    "expect_same",  "expect_strides", "expect_any",     "expect_untouched",
    "expect_warns", "expect_error",   "expect_close",   "inputs",
    "gaps"};
/* How an expectation without a name is called: "error1". */
static const char *const stems[TSI_EXPECT_KIND_COUNT] = {
    "expect",    "equal", "view_of", "copy_of", "same",   "strides", "any",
    "untouched", "warns", "error",   "close",   "inputs", "gaps"};

const char *tsi_expect_kind_name(tsi_expect_kind kind)
{
    return kind_names[kind];
}

/* --- names
 * ------------------------------------------------------------------------------- */

/* Of several ranks, each has names of its own: "y.0", "y.1". */
static void append_rank(const tsi_interp *in, char *out, size_t n)
{
    if (in->options->ranks > 1 && n < MAX_NAME)
        snprintf(out + n, MAX_NAME - n, ".%d", in->options->rank);
}

static void nameless(tsi_interp *in, tsi_expect_kind kind, char *out)
{
    append_rank(in, out,
                (size_t)snprintf(out, MAX_NAME, "%s%d", stems[kind], ++in->counts[kind]));
}

/* "y" in the third iteration of a loop is "y.2". */
static ts_status named(tsi_interp *in, const char *given, char *out)
{
    size_t n = (size_t)snprintf(out, MAX_NAME, "%s", given);

    TS_CHECK(n > 0 && n < MAX_NAME / 2, TS_ERR_VALUE, "case_language/C6",
             "an expectation's name has 1 to %d characters", MAX_NAME / 2 - 1);
    for (int i = 0; i < in->nloops && n < MAX_NAME; i++)
        n += (size_t)snprintf(out + n, MAX_NAME - n, ".%" PRId64, in->loops[i]);
    append_rank(in, out, n);
    for (const tsi_seen *s = in->seen; s != NULL; s = s->next)
        TS_CHECK(strcmp(s->name, out) != 0, TS_ERR_VALUE, "case_language/C6",
                 "expectation '%s' stands twice", out);

    tsi_seen *s = tsi_pool_alloc(in->pool, sizeof *s);
    const size_t length = strlen(out);

    if (s == NULL || (s->name = tsi_pool_strndup(in->pool, out, length)) == NULL)
        return tsi_no_memory();
    s->next = in->seen;
    in->seen = s;
    return TS_OK;
}

/* --- telling the judge
 * ------------------------------------------------------------------- */

static ts_status tell(tsi_interp *in, tsi_expectation *e)
{
    e->line = in->line;
    e->first_input =
        in->inputs != NULL && !in->inputs->written ? in->inputs->tensor : NULL;
    e->record = tsi_record_find(in->c, e->name, in->options->variant);
    if (e->passed)
        e->reason = NULL;
    return in->judge->expectation(in->judge->self, e);
}

/* What a peer answered to this expectation; *given: there is one. */
static ts_status reply_to(tsi_interp *in, tsi_expect_kind kind, tsi_reply *r, bool *given)
{
    *r = (tsi_reply){0};
    *given = in->judge->reply != NULL;
    return *given ? in->judge->reply(in->judge->self, kind, r) : TS_OK;
}

static ts_status decided(tsi_interp *in, tsi_expect_kind kind, const char *name,
                         bool passed, const char *reason, ts_tensor *t)
{
    tsi_expectation e = {.kind = kind,
                         .name = name,
                         .decided = true,
                         .passed = passed,
                         .reason = reason,
                         .tensor = t};

    return tell(in, &e);
}

ts_status tsi_report_fault(tsi_interp *in, tsi_expect_kind kind, const char *reason)
{
    char name[MAX_NAME];

    nameless(in, kind, name);
    return decided(in, kind, name, false, reason, NULL);
}

/* --- literals
 * ----------------------------------------------------------------------------- */

/* Equality as a literal means it: NaN equals NaN, 1 is neither 1.0 nor True, zeros have
 * signs. */
static bool same_value(const tsi_value *a, const tsi_value *b)
{
    if (tsi_is_sequence(a) && tsi_is_sequence(b)) {
        if (a->o->n != b->o->n)
            return false;
        for (int i = 0; i < a->o->n; i++)
            if (!same_value(&a->o->v[i], &b->o->v[i]))
                return false;
        return true;
    }
    if (tsi_is_number(a) && tsi_is_number(b)) {
        if (a->kind != b->kind)
            return false;
        if (a->kind == V_FLOAT)
            return (isnan(a->f) && isnan(b->f)) ||
                   (a->f == b->f && signbit(a->f) == signbit(b->f));
    }
    return tsi_equal(a, b);
}

/* A tensor's elements against a tensor of the same shape; both on cpu. `rtol` below 0:
 * bits. */
static bool same_elements(const ts_tensor *a, const ts_tensor *b, double rtol,
                          double atol)
{
    int64_t index[TS_MAX_DIMS] = {0};

    if (a->ndim != b->ndim)
        return false;
    for (int d = 0; d < a->ndim; d++)
        if (a->sizes[d] != b->sizes[d])
            return false;
    for (int64_t i = 0; i < a->numel; i++) {
        const tsi_value x = tsi_element(a, index), y = tsi_element(b, index);

        if (rtol < 0 && !same_value(&x, &y))
            return false;
        if (rtol >= 0 && !same_value(&x, &y)) {
            const double p = tsi_number(&x), q = tsi_number(&y);

            if (!(isnan(p) && isnan(q)) && !(p == q) &&
                !(isfinite(p) && isfinite(q) && fabs(p - q) <= atol + rtol * fabs(q)))
                return false;
        }
        for (int d = a->ndim - 1; d >= 0; d--) {
            if (++index[d] < a->sizes[d])
                break;
            index[d] = 0;
        }
    }
    return true;
}

/* Whether a value is what a literal says; for tensors the literal takes their dtype
 * first. */
static ts_status matches(tsi_interp *in, const tsi_value *value, const tsi_value *want,
                         double rtol, double atol, bool *same)
{
    const ts_device cpu = {TS_CPU, 0};
    ts_tensor *host, *wanted;
    ts_status s;

    if (value->kind != V_TENSOR) {
        *same = same_value(value, want);
        if (!*same && rtol >= 0 && tsi_is_number(value) && tsi_is_number(want)) {
            const double p = tsi_number(value), q = tsi_number(want);

            *same = p == q || (isnan(p) && isnan(q)) ||
                    (isfinite(p) && isfinite(q) && fabs(p - q) <= atol + rtol * fabs(q));
        }
        return TS_OK;
    }
    *same = false;
    if (want->kind != V_TENSOR && !tsi_is_sequence(want) && !tsi_is_number(want))
        return TS_OK;
    TS_TRY(tsi_on_host(in, value->t, &host));
    if (want->kind == V_TENSOR) {
        s = tsi_on_host(in, want->t, &wanted);
        *same = s == TS_OK && wanted->dtype == host->dtype;
    } else {
        s = tsi_tensor_of(in, want, host->dtype, cpu, &wanted);
        *same = s == TS_OK;
    }
    if (s == TS_OK) {
        *same = *same && same_elements(host, wanted, rtol, atol);
        ts_release(wanted);
    }
    ts_release(host);
    if (s == TS_ERR_UNSUPPORTED || s == TS_ERR_OUT_OF_MEMORY)
        return s;
    return TS_OK; /* a literal that the dtype cannot hold is not equal to anything of it
                   */
}

static ts_status compared(tsi_interp *in, tsi_expect_kind kind, const char *name,
                          const tsi_value *value, const tsi_value *want, bool same)
{
    char reason[900], got[400], wanted[400];

    if (!same)
        snprintf(reason, sizeof reason, "expected %s, got %s",
                 tsi_text(want, wanted, sizeof wanted), tsi_text(value, got, sizeof got));
    return decided(in, kind, name, same, reason,
                   value->kind == V_TENSOR ? value->t : NULL);
}

/* A record's value against ours: JSON has no NaN and no tuples. */
static bool same_json(const tsi_value *v, const json_t *j)
{
    char text[80];

    switch (v->kind) {
    case V_NONE:
        return json_is_null(j);
    case V_BOOL:
        return json_is_boolean(j) && json_is_true(j) == v->b;
    case V_INT:
        return json_is_integer(j) && json_integer_value(j) == v->i;
    case V_FLOAT:
        if (json_is_string(j)) {
            const char *s = json_string_value(j);

            return strcmp(s, isnan(v->f)         ? "nan"
                             : v->f == INFINITY  ? "inf"
                             : v->f == -INFINITY ? "-inf"
                                                 : "") == 0;
        }
        return json_is_real(j) && json_real_value(j) == v->f &&
               signbit(json_real_value(j)) == signbit(v->f);
    case V_TUPLE:
    case V_LIST:
        if (!json_is_array(j) || json_array_size(j) != (size_t)v->o->n)
            return false;
        for (int i = 0; i < v->o->n; i++)
            if (!same_json(&v->o->v[i], json_array_get(j, (size_t)i)))
                return false;
        return true;
    case V_STR:
        return json_is_string(j) && strcmp(json_string_value(j), v->s) == 0;
    default:
        return json_is_string(j) &&
               strcmp(json_string_value(j), tsi_text(v, text, sizeof text)) == 0;
    }
}

/* --- the expectations
 * ------------------------------------------------------------------------ */

#define TENSOR TSI_KIND_BIT(V_TENSOR)
#define STR TSI_KIND_BIT(V_STR)
#define LITERALS (TSI_KIND_BIT(V_TUPLE) | TSI_KIND_BIT(V_LIST))

static ts_status expect(tsi_interp *in, const tsi_args *args)
{
    static const tsi_param params[] = {{"value", TENSOR, true}, {"name", STR, true}};
    tsi_expectation e = {.kind = TSI_EXPECT};
    const tsi_value *v[2];
    char name[MAX_NAME];
    tsi_reply r;
    bool given;

    TS_TRY(tsi_sort_args("expect", args, params, 2, v));
    TS_TRY(named(in, v[1]->s, name));
    TS_TRY(reply_to(in, TSI_EXPECT, &r, &given));
    e.name = name;
    e.tensor = given ? NULL : v[0]->t;
    e.told = r.tensor;
    return tell(in, &e);
}

static ts_status recorded(tsi_interp *in, const tsi_value *value, const char *given,
                          const tsi_reply *reply)
{
    tsi_expectation e = {.kind = TSI_EXPECT_EQUAL};
    char name[MAX_NAME], reason[900], got[400];
    const tsi_record *r;
    const json_t *want;
    char *text;

    TS_TRY(named(in, given, name));
    e.name = name;
    if (value->kind == V_TENSOR) {
        e.tensor = reply != NULL && reply->tensor != NULL ? NULL : value->t;
        e.told = reply != NULL ? reply->tensor : NULL;
        return tell(in, &e);
    }
    r = tsi_record_find(in->c, name, in->options->variant);
    want = r != NULL ? r->value : NULL;
    TS_CHECK(want != NULL, TS_ERR_VALUE, "case_language/C6",
             "expect_equal: nothing is recorded under '%s'", name);
    e.decided = true;
    e.passed = same_json(value, want);
    if (!e.passed) {
        text = json_dumps(want, JSON_ENCODE_ANY | JSON_COMPACT);
        snprintf(reason, sizeof reason, "expected %.400s, got %s",
                 text != NULL ? text : "?", tsi_text(value, got, sizeof got));
        free(text);
        e.reason = reason;
    }
    return tell(in, &e);
}

static ts_status equal(tsi_interp *in, const tsi_value *value, const tsi_value *wanted)
{
    char name[MAX_NAME];
    bool same;

    nameless(in, TSI_EXPECT_EQUAL, name);
    if (value->kind == V_TENSOR && value->t->device.type == TS_META)
        return decided(in, TSI_EXPECT_EQUAL, name, true, NULL, value->t);
    TS_TRY(matches(in, value, wanted, -1, 0, &same));
    return compared(in, TSI_EXPECT_EQUAL, name, value, wanted, same);
}

/* Whether what a call asks for stands in the program itself. */
static bool literal_wanted(const tsi_node *call)
{
    return call != NULL && call->kind == N_CALL && call->count == 2 &&
           tsi_is_literal(call->list[1]);
}

static ts_status expect_equal(tsi_interp *in, const tsi_args *args)
{
    static const tsi_param params[] = {{"value", 0, true}, {"wanted", 0, true}};
    const tsi_value *v[2];
    tsi_value value, wanted;
    tsi_reply r;
    bool given;
    ts_status s;

    TS_TRY(tsi_sort_args("expect_equal", args, params, 2, v));
    const bool stored = v[1]->kind == V_STR && v[0]->kind != V_STR;
    TS_TRY(reply_to(in, TSI_EXPECT_EQUAL, &r, &given));
    if (!given)
        return stored ? recorded(in, v[0], v[1]->s, NULL) : equal(in, v[0], v[1]);
    TS_TRY(tsi_replied(in, &r, r.value, &value));
    if (stored) {
        s = recorded(in, &value, v[1]->s, &r);
    } else if (r.wanted == NULL || literal_wanted(in->called)) {
        s = equal(in, &value, v[1]);
    } else { /* an address, say: the peer's own */
        s = tsi_replied(in, &r, r.wanted, &wanted);
        if (s == TS_OK) {
            s = equal(in, &value, &wanted);
            tsi_release(wanted);
        }
    }
    tsi_release(value);
    return s;
}

/* The value under judgement: a peer's where there is one. The caller's to release. */
static ts_status judged(tsi_interp *in, tsi_expect_kind kind, const tsi_value *own,
                        tsi_value *out)
{
    tsi_reply r;
    bool given;

    TS_TRY(reply_to(in, kind, &r, &given));
    if (given)
        return tsi_replied(in, &r, r.value, out);
    *out = tsi_retain(*own);
    return TS_OK;
}

static ts_status expect_close(tsi_interp *in, const tsi_args *args)
{
    static const tsi_param params[] = {{"value", 0, true},
                                       {"wanted", 0, true},
                                       {"rtol", TSI_NUMBER_BITS, true},
                                       {"atol", TSI_NUMBER_BITS, true}};
    const tsi_value *v[4];
    char name[MAX_NAME];
    tsi_value value;
    bool same;
    ts_status s;

    TS_TRY(tsi_sort_args("expect_close", args, params, 4, v));
    TS_CHECK(tsi_number(v[2]) >= 0 && tsi_number(v[3]) >= 0, TS_ERR_VALUE,
             "case_language/C6", "expect_close: tolerances are not negative");
    nameless(in, TSI_EXPECT_CLOSE, name);
    TS_TRY(judged(in, TSI_EXPECT_CLOSE, v[0], &value));
    s = matches(in, &value, v[1], tsi_number(v[2]), tsi_number(v[3]), &same);
    if (s == TS_OK)
        s = compared(in, TSI_EXPECT_CLOSE, name, &value, v[1], same);
    tsi_release(value);
    return s;
}

static ts_status expect_any(tsi_interp *in, const tsi_args *args)
{
    static const tsi_param params[] = {{"value", 0, true}, {"literals", LITERALS, true}};
    const tsi_value *v[2];
    char name[MAX_NAME];
    tsi_value value;
    bool same = false;
    ts_status s = TS_OK;

    TS_TRY(tsi_sort_args("expect_any", args, params, 2, v));
    nameless(in, TSI_EXPECT_ANY, name);
    TS_TRY(judged(in, TSI_EXPECT_ANY, v[0], &value));
    for (int i = 0; i < v[1]->o->n && !same && s == TS_OK; i++)
        s = matches(in, &value, &v[1]->o->v[i], -1, 0, &same);
    if (s == TS_OK)
        s = compared(in, TSI_EXPECT_ANY, name, &value, v[1], same);
    tsi_release(value);
    return s;
}

/* A fact that PyTorch's own run of this variant may have recorded otherwise. */
static bool wanted_fact(const tsi_interp *in, const char *name, bool otherwise)
{
    const tsi_record *r = tsi_record_find(in->c, name, in->options->variant);
    const json_t *v = r != NULL ? r->value : NULL;

    return json_is_boolean(v) ? json_is_true(v) : otherwise;
}

static ts_status expect_storage(tsi_interp *in, tsi_expect_kind kind,
                                const tsi_args *args)
{
    static const tsi_param params[] = {{"value", TENSOR, true}, {"base", TENSOR, true}};
    const bool view = kind == TSI_EXPECT_VIEW_OF;
    const tsi_value *v[2];
    char name[MAX_NAME], reason[160];
    bool shared, want, given;
    tsi_reply r;

    TS_TRY(tsi_sort_args(kind_names[kind], args, params, 2, v));
    nameless(in, kind, name);
    TS_TRY(reply_to(in, kind, &r, &given));
    shared =
        given ? r.tensor != NULL && r.base != NULL && r.tensor->storage == r.base->storage
              : ts_storage_id(ts_tensor_storage(v[0]->t)) == ts_storage_id(ts_tensor_storage(v[1]->t));
    want = wanted_fact(in, name, true) == view;
    snprintf(reason, sizeof reason, "expected %s storage, the two tensors %s one",
             want ? "one" : "a separate", shared ? "share" : "do not share");
    return decided(in, kind, name, shared == want, reason, given ? NULL : v[0]->t);
}

static ts_status expect_same(tsi_interp *in, const tsi_args *args)
{
    static const tsi_param params[] = {{"a", 0, true}, {"b", 0, true}};
    const tsi_value *v[2];
    char name[MAX_NAME];
    tsi_value same;
    tsi_reply r;
    bool want, given;

    TS_TRY(tsi_sort_args("expect_same", args, params, 2, v));
    nameless(in, TSI_EXPECT_SAME, name);
    TS_TRY(reply_to(in, TSI_EXPECT_SAME, &r, &given));
    TS_TRY(tsi_compare(in, OP_IS, v[0], v[1], &same));
    if (given)
        same = tsi_bool(r.same);
    want = wanted_fact(in, name, true);
    return decided(in, TSI_EXPECT_SAME, name, same.b == want,
                   want ? "expected the very same object, got two"
                        : "expected two objects, got one",
                   v[0]->kind == V_TENSOR && !given ? v[0]->t : NULL);
}

static ts_status expect_strides(tsi_interp *in, const tsi_args *args)
{
    static const tsi_param params[] = {{"value", TENSOR, true},
                                       {"strides", LITERALS | TSI_KIND_BIT(V_INT), true}};
    const tsi_value *v[2];
    char name[MAX_NAME];
    tsi_value got;
    const tsi_record *r;
    const json_t *want;
    tsi_reply reply;
    bool same, given;
    ts_status s;

    TS_TRY(tsi_sort_args("expect_strides", args, params, 2, v));
    nameless(in, TSI_EXPECT_STRIDES, name);
    TS_TRY(reply_to(in, TSI_EXPECT_STRIDES, &reply, &given));
    if (given) {
        const tsi_told *told = reply.tensor;

        TS_TRY(tsi_int_tuple(in, told != NULL ? told->ndim : 0,
                             told != NULL ? told->strides : NULL, &got));
    } else {
        TS_TRY(tsi_int_tuple(in, v[0]->t->ndim, v[0]->t->strides, &got));
    }
    r = tsi_record_find(in->c, name, in->options->variant);
    want = r != NULL ? r->value : NULL;
    if (json_is_array(want)) {
        same = same_json(&got, want);
        s = same ? decided(in, TSI_EXPECT_STRIDES, name, true, NULL,
                           given ? NULL : v[0]->t)
                 : compared(in, TSI_EXPECT_STRIDES, name, &got, v[1], false);
    } else {
        same = v[1]->kind == V_INT ? got.o->n == 1 && got.o->v[0].i == v[1]->i
                                   : same_value(&got, v[1]);
        s = compared(in, TSI_EXPECT_STRIDES, name, &got, v[1], same);
    }
    tsi_release(got);
    return s;
}

static ts_status expect_untouched(tsi_interp *in, const tsi_args *args)
{
    static const tsi_param params[] = {{"value", TENSOR, true}, {"name", STR, true}};
    const tsi_value *v[2];
    char name[MAX_NAME], reason[100];
    int64_t element = -1;
    tsi_reply r;
    bool given;

    TS_TRY(tsi_sort_args("expect_untouched", args, params, 2, v));
    TS_TRY(named(in, v[1]->s, name));
    TS_TRY(reply_to(in, TSI_EXPECT_UNTOUCHED, &r, &given));
    if (given && r.tensor == NULL)
        return decided(in, TSI_EXPECT_UNTOUCHED, name, false, "expected a tensor", NULL);
    if (given)
        TS_TRY(tsi_rest_replied(in, v[0]->t, r.tensor, &element));
    else if (v[0]->t->device.type != TS_META)
        TS_TRY(tsi_rest_of_storage(in, v[0]->t, &element));
    snprintf(reason, sizeof reason,
             "element %" PRId64 " of the storage changed, though no index reaches it",
             element);
    return decided(in, TSI_EXPECT_UNTOUCHED, name, element < 0, reason,
                   given ? NULL : v[0]->t);
}

/* The arguments from `from` on, as a call's own: references stay with the caller's. */
static void rest(const tsi_args *args, int from, tsi_args *out)
{
    out->n = args->n - from;
    out->keywords = args->keywords;
    out->names = args->names;
    memcpy(out->v, args->v + from, (size_t)out->n * sizeof *out->v);
}

ts_status tsi_expect_warns(tsi_interp *in, tsi_args *args, tsi_value *out)
{
    char name[MAX_NAME], reason[300];
    const int before = ts_warning_count();
    const tsi_value *label = &args->v[0];
    tsi_args call;
    tsi_reply r;
    bool warned, passed, given;
    ts_status s;

    TS_CHECK(args->n - args->keywords >= 2 &&
                 (label->kind == V_STR || label->kind == V_NONE),
             TS_ERR_TYPE, "errors/C2",
             "expect_warns() takes a label or None, a function, and its arguments");
    nameless(in, TSI_EXPECT_WARNS, name);
    rest(args, 2, &call);
    TS_TRY(tsi_call_value(in, &args->v[1], &call, out));
    s = reply_to(in, TSI_EXPECT_WARNS, &r, &given);
    if (s != TS_OK) {
        tsi_release(*out);
        return s;
    }
    warned = given ? r.warned : ts_warning_count() > before;
    passed = warned == (label->kind == V_STR);
    if (passed && warned && !given && ts_warning_label()[0] != '\0' &&
        label->s[0] != '\0')
        passed = strcmp(ts_warning_label(), label->s) == 0;
    snprintf(reason, sizeof reason, "expected %s, got %s %.200s",
             label->kind == V_STR ? label->s : "no warning",
             warned ? "the warning" : "no warning",
             warned && !given ? ts_warning_message() : "");
    return decided(in, TSI_EXPECT_WARNS, name, passed, reason, NULL);
}

/* --- expect_error
 * ------------------------------------------------------------------------------- */

/* What an argument held before the call that is to fail. */
typedef struct snapshot {
    ts_tensor *t;
    void *bytes;
    int64_t size, version;
    struct snapshot *next;
} snapshot;

static ts_status remember(tsi_interp *in, const tsi_value *v, snapshot **list)
{
    const unsigned char *now;
    snapshot *s;

    if (tsi_is_sequence(v) || v->kind == V_METHOD) {
        for (int i = 0; i < v->o->n; i++)
            TS_TRY(remember(in, &v->o->v[i], list));
        return TS_OK;
    }
    if (v->kind != V_TENSOR || v->t->device.type == TS_META)
        return TS_OK;
    s = tsi_pool_alloc(in->pool, sizeof *s);
    if (s == NULL)
        return tsi_no_memory();
    s->t = v->t;
    s->size = ts_storage_bytes(ts_tensor_storage(v->t));
    s->version = ts_version(v->t);
    s->bytes = tsi_pool_alloc(in->pool, (size_t)s->size);
    if (s->bytes == NULL)
        return tsi_no_memory();
    TS_TRY(tsi_storage_now(in, v->t, &now));
    memcpy(s->bytes, now, (size_t)s->size);
    s->next = *list;
    *list = s;
    return TS_OK;
}

static const char *damage(tsi_interp *in, const snapshot *list)
{
    const unsigned char *now;

    for (; list != NULL; list = list->next) {
        if (list->t->device.type == TS_ACCEL && ts_version(list->t) != list->version)
            continue; /* the work was under way: undefined until written again */
        if (ts_storage_bytes(ts_tensor_storage(list->t)) != list->size ||
            tsi_storage_now(in, list->t, &now) != TS_OK ||
            memcmp(now, list->bytes, (size_t)list->size) != 0)
            return "the call failed as expected, but wrote to an argument";
        if (ts_version(list->t) != list->version)
            return "the call failed as expected, but moved an argument's version counter";
    }
    return NULL;
}

/* A peer's refusal has a class, but no label of ours. */
static ts_status replied_error(tsi_interp *in, const char *name, ts_status want,
                               const tsi_reply *r)
{
    const ts_status got = r->error != NULL ? ts_status_from_name(r->error) : TS_OK;
    bool passed = got != TS_OK && ts_status_is(got, want);
    char reason[700];

    if (r->error == NULL)
        snprintf(reason, sizeof reason, "expected %s, but the call succeeded",
                 ts_status_name(want));
    else if (!passed)
        snprintf(reason, sizeof reason, "expected %s, got %.100s: %.400s",
                 ts_status_name(want), r->error, r->message);
    else if (!r->kept)
        snprintf(reason, sizeof reason,
                 "the call failed as expected, but wrote to an argument");
    passed = passed && r->kept;
    return decided(in, TSI_EXPECT_ERROR, name, passed, reason, NULL);
}

static ts_status expect_error(tsi_interp *in, const tsi_args *args)
{
    char name[MAX_NAME], reason[700], message[500], told[64];
    const bool grad = ts_grad_enabled();
    snapshot *before = NULL;
    const char *damaged, *label;
    tsi_value result;
    tsi_args call;
    const tsi_record *r;
    ts_status want, got;
    tsi_reply reply;
    bool passed, given, deferred = false;

    TS_CHECK(args->n - args->keywords >= 3 && args->v[0].kind == V_ERROR &&
                 (args->v[1].kind == V_STR || args->v[1].kind == V_NONE),
             TS_ERR_TYPE, "errors/C2",
             "expect_error() takes an exception class, a label, a function, and its "
             "arguments");
    nameless(in, TSI_EXPECT_ERROR, name);
    want = args->v[0].error;
    label = args->v[1].kind == V_STR ? args->v[1].s : "";
    r = tsi_record_find(in->c, name, in->options->variant);
    if (r != NULL && r->class_ == TSI_RECORD_ERROR)
        want = r->error;
    for (int i = 2; i < args->n; i++)
        TS_TRY(remember(in, &args->v[i], &before));
    rest(args, 3, &call);
    got = tsi_call_value(in, &args->v[2], &call, &result);
    if (got == TS_ERR_UNSUPPORTED)
        return got;
    if (got == TS_OK && in->options->device.type == TS_ACCEL) {
        /* a check that needs the data is told at the next synchronisation */
        got = ts_accel_synchronize_all();
        deferred = got != TS_OK;
        if (deferred)
            tsi_release(result);
    }
    ts_set_grad_enabled(grad);
    if (in->judge->reply != NULL) {
        if (got == TS_OK)
            tsi_release(result);
        in->error_line = 0;
        TS_TRY(reply_to(in, TSI_EXPECT_ERROR, &reply, &given));
        return replied_error(in, name, want, &reply);
    }
    if (got == TS_OK) {
        tsi_release(result);
        snprintf(reason, sizeof reason, "expected %s, but the call succeeded",
                 ts_status_name(want));
        return decided(in, TSI_EXPECT_ERROR, name, false, reason, NULL);
    }
    in->error_line = 0; /* it was wanted */
    snprintf(message, sizeof message, "%s", ts_error_message());
    snprintf(told, sizeof told, "%s", ts_error_label());
    damaged = deferred ? NULL : damage(in, before); /* outputs are undefined then */
    passed = ts_status_is(got, want);
    snprintf(reason, sizeof reason, "expected %s, got %s: %.500s", ts_status_name(want),
             ts_status_name(got), message);
    if (passed && damaged != NULL) {
        passed = false;
        snprintf(reason, sizeof reason, "%s", damaged);
    } else if (passed && label[0] != '\0' && told[0] != '\0' &&
               strcmp(label, told) != 0) {
        passed = false;
        snprintf(reason, sizeof reason, "expected a refusal by %.100s, got %.500s", label,
                 message);
    }
    return decided(in, TSI_EXPECT_ERROR, name, passed, reason, NULL);
}

ts_status tsi_call_expectation(tsi_interp *in, tsi_native id, const char *name,
                               tsi_args *args)
{
    (void)name;
    switch (id) {
    case NATIVE_EXPECT:
        return expect(in, args);
    case NATIVE_EXPECT_EQUAL:
        return expect_equal(in, args);
    case NATIVE_EXPECT_VIEW_OF:
        return expect_storage(in, TSI_EXPECT_VIEW_OF, args);
    case NATIVE_EXPECT_COPY_OF:
        return expect_storage(in, TSI_EXPECT_COPY_OF, args);
    case NATIVE_EXPECT_SAME:
        return expect_same(in, args);
    case NATIVE_EXPECT_STRIDES:
        return expect_strides(in, args);
    case NATIVE_EXPECT_ANY:
        return expect_any(in, args);
    case NATIVE_EXPECT_UNTOUCHED:
        return expect_untouched(in, args);
    case NATIVE_EXPECT_ERROR:
        return expect_error(in, args);
    default:
        return expect_close(in, args);
    }
}

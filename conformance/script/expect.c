/* SPDX-License-Identifier: Apache-2.0 */
/* Expectations: what the interpreter decides itself, and what it hands to the judge. */
#include "expect.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "names.h"

typedef struct tsi_seen {
    const char *name;
    struct tsi_seen *next;
} tsi_seen;

_Static_assert(NATIVE_EXPECT_CLOSE - NATIVE_EXPECT == TSI_EXPECT_CLOSE,
               "kinds of expectations stand in the order of their words");

const char *tsi_expect_kind_name(tsi_expect_kind kind)
{
    if (kind <= TSI_EXPECT_CLOSE)
        return tsi_native_name((tsi_native)(NATIVE_EXPECT + kind));
    return kind == TSI_EXPECT_INPUTS ? "inputs" : "gaps";
}

/* How an expectation without a name is called: "error1" of expect_error. */
static const char *stem(tsi_expect_kind kind)
{
    const char *name = tsi_expect_kind_name(kind);

    return strncmp(name, "expect_", 7) == 0 ? name + 7 : name;
}

/* --- names */

/* Of several ranks, each has names of its own: "y.0", "y.1". */
static void append_rank(const tsi_interp *in, char *out, size_t n)
{
    if (in->options->ranks > 1 && n < TSI_MAX_NAME)
        snprintf(out + n, TSI_MAX_NAME - n, ".%d", in->options->rank);
}

void tsi_nameless(tsi_interp *in, tsi_expect_kind kind, char *out)
{
    append_rank(
        in, out,
        (size_t)snprintf(out, TSI_MAX_NAME, "%s%d", stem(kind), ++in->counts[kind]));
}

ts_status tsi_named(tsi_interp *in, const char *given, char *out)
{
    size_t n = (size_t)snprintf(out, TSI_MAX_NAME, "%s", given);

    TS_CHECK(n > 0 && n < TSI_MAX_NAME / 2, TS_ERR_VALUE, "case_language/C6",
             "an expectation's name has 1 to %d characters", TSI_MAX_NAME / 2 - 1);
    for (int i = 0; i < in->nloops && n < TSI_MAX_NAME; i++)
        n += (size_t)snprintf(out + n, TSI_MAX_NAME - n, ".%" PRId64, in->loops[i]);
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

/* --- telling the judge */

ts_status tsi_tell(tsi_interp *in, tsi_expectation *e)
{
    e->line = in->line;
    e->hollow = in->hollow;
    e->first_input =
        in->inputs != NULL && !in->inputs->written ? in->inputs->tensor : NULL;
    e->record = tsi_record_find(in->c, e->name, in->options->variant);
    if (e->passed)
        e->reason = NULL;
    return in->judge->expectation(in->judge->self, e);
}

ts_status tsi_reply_to(tsi_interp *in, tsi_expect_kind kind, tsi_reply *r, bool *given)
{
    *r = (tsi_reply){0};
    *given = in->judge->reply != NULL;
    return *given ? in->judge->reply(in->judge->self, kind, r) : TS_OK;
}

ts_status tsi_decided(tsi_interp *in, tsi_expect_kind kind, const char *name, bool passed,
                      const char *reason, ts_tensor *t)
{
    tsi_expectation e = {.kind = kind,
                         .name = name,
                         .decided = true,
                         .passed = passed,
                         .reason = reason,
                         .tensor = t};

    return tsi_tell(in, &e);
}

ts_status tsi_report_fault(tsi_interp *in, tsi_expect_kind kind, const char *reason)
{
    char name[TSI_MAX_NAME];

    tsi_nameless(in, kind, name);
    return tsi_decided(in, kind, name, false, reason, NULL);
}

/* --- the expectations */

static ts_status expect(tsi_interp *in, const tsi_value *const *v)
{
    tsi_expectation e = {.kind = TSI_EXPECT};
    char name[TSI_MAX_NAME];
    tsi_reply r;
    bool given;

    TS_TRY(tsi_named(in, v[1]->s, name));
    TS_TRY(tsi_reply_to(in, TSI_EXPECT, &r, &given));
    e.name = name;
    e.tensor = given ? NULL : v[0]->t;
    e.told = r.tensor;
    return tsi_tell(in, &e);
}

static ts_status recorded(tsi_interp *in, const tsi_value *value, const char *given,
                          const tsi_reply *reply)
{
    tsi_expectation e = {.kind = TSI_EXPECT_EQUAL};
    char name[TSI_MAX_NAME], reason[900], got[400];
    const tsi_record *r;
    const json_t *want;
    char *text;

    TS_TRY(tsi_named(in, given, name));
    e.name = name;
    if (value->kind == V_TENSOR) {
        e.tensor = reply != NULL && reply->tensor != NULL ? NULL : value->t;
        e.told = reply != NULL ? reply->tensor : NULL;
        return tsi_tell(in, &e);
    }
    r = tsi_record_find(in->c, name, in->options->variant);
    want = r != NULL ? r->value : NULL;
    TS_CHECK(want != NULL, TS_ERR_VALUE, "case_language/C6",
             "expect_equal: nothing is recorded under '%s'", name);
    e.decided = true;
    e.passed = tsi_same_json(value, want);
    if (!e.passed) {
        text = json_dumps(want, JSON_ENCODE_ANY | JSON_COMPACT);
        snprintf(reason, sizeof reason, "expected %.400s, got %s",
                 text != NULL ? text : "?", tsi_text(value, got, sizeof got));
        free(text);
        e.reason = reason;
    }
    return tsi_tell(in, &e);
}

static ts_status equal(tsi_interp *in, const tsi_value *value, const tsi_value *wanted)
{
    char name[TSI_MAX_NAME];
    bool same;

    tsi_nameless(in, TSI_EXPECT_EQUAL, name);
    if (value->kind == V_TENSOR && value->t->device.type == TS_META)
        return tsi_decided(in, TSI_EXPECT_EQUAL, name, true, NULL, value->t);
    TS_TRY(tsi_matches(in, value, wanted, -1, 0, &same));
    return tsi_compared(in, TSI_EXPECT_EQUAL, name, value, wanted, same);
}

/* Whether what a call asks for stands in the program itself. */
static bool literal_wanted(const tsi_node *call)
{
    return call != NULL && call->kind == N_CALL && call->count == 2 &&
           tsi_is_literal(call->list[1]);
}

static ts_status expect_equal(tsi_interp *in, const tsi_value *const *v)
{
    tsi_value value, wanted;
    tsi_reply r;
    bool given;
    ts_status s;

    const bool stored = v[1]->kind == V_STR && v[0]->kind != V_STR;
    TS_TRY(tsi_reply_to(in, TSI_EXPECT_EQUAL, &r, &given));
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

    TS_TRY(tsi_reply_to(in, kind, &r, &given));
    if (given)
        return tsi_replied(in, &r, r.value, out);
    *out = tsi_retain(*own);
    return TS_OK;
}

static ts_status expect_close(tsi_interp *in, const tsi_value *const *v)
{
    char name[TSI_MAX_NAME];
    tsi_value value;
    bool same;
    ts_status s;

    TS_CHECK(tsi_number(v[2]) >= 0 && tsi_number(v[3]) >= 0, TS_ERR_VALUE,
             "case_language/C6", "expect_close: tolerances are not negative");
    tsi_nameless(in, TSI_EXPECT_CLOSE, name);
    TS_TRY(judged(in, TSI_EXPECT_CLOSE, v[0], &value));
    s = tsi_matches(in, &value, v[1], tsi_number(v[2]), tsi_number(v[3]), &same);
    if (s == TS_OK)
        s = tsi_compared(in, TSI_EXPECT_CLOSE, name, &value, v[1], same);
    tsi_release(value);
    return s;
}

static ts_status expect_any(tsi_interp *in, const tsi_value *const *v)
{
    char name[TSI_MAX_NAME];
    tsi_value value;
    bool same = false;
    ts_status s = TS_OK;

    tsi_nameless(in, TSI_EXPECT_ANY, name);
    TS_TRY(judged(in, TSI_EXPECT_ANY, v[0], &value));
    for (int i = 0; i < v[1]->o->n && !same && s == TS_OK; i++)
        s = tsi_matches(in, &value, &v[1]->o->v[i], -1, 0, &same);
    if (s == TS_OK)
        s = tsi_compared(in, TSI_EXPECT_ANY, name, &value, v[1], same);
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
                                const tsi_value *const *v)
{
    const bool view = kind == TSI_EXPECT_VIEW_OF;
    char name[TSI_MAX_NAME], reason[160];
    bool shared, want, given;
    tsi_reply r;

    tsi_nameless(in, kind, name);
    TS_TRY(tsi_reply_to(in, kind, &r, &given));
    shared =
        given ? r.tensor != NULL && r.base != NULL && r.tensor->storage == r.base->storage
              : ts_storage_id(ts_tensor_storage(v[0]->t)) ==
                    ts_storage_id(ts_tensor_storage(v[1]->t));
    want = wanted_fact(in, name, true) == view;
    snprintf(reason, sizeof reason, "expected %s storage, the two tensors %s one",
             want ? "one" : "a separate", shared ? "share" : "do not share");
    return tsi_decided(in, kind, name, shared == want, reason, given ? NULL : v[0]->t);
}

static ts_status expect_same(tsi_interp *in, const tsi_value *const *v)
{
    char name[TSI_MAX_NAME];
    tsi_value same;
    tsi_reply r;
    bool want, given;

    tsi_nameless(in, TSI_EXPECT_SAME, name);
    TS_TRY(tsi_reply_to(in, TSI_EXPECT_SAME, &r, &given));
    TS_TRY(tsi_compare(in, OP_IS, v[0], v[1], &same));
    if (given)
        same = tsi_bool(r.same);
    want = wanted_fact(in, name, true);
    return tsi_decided(in, TSI_EXPECT_SAME, name, same.b == want,
                       want ? "expected the very same object, got two"
                            : "expected two objects, got one",
                       v[0]->kind == V_TENSOR && !given ? v[0]->t : NULL);
}

static ts_status expect_strides(tsi_interp *in, const tsi_value *const *v)
{
    char name[TSI_MAX_NAME];
    tsi_value got;
    const tsi_record *r;
    const json_t *want;
    tsi_reply reply;
    bool same, given;
    ts_status s;

    tsi_nameless(in, TSI_EXPECT_STRIDES, name);
    TS_TRY(tsi_reply_to(in, TSI_EXPECT_STRIDES, &reply, &given));
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
        same = tsi_same_json(&got, want);
        s = same ? tsi_decided(in, TSI_EXPECT_STRIDES, name, true, NULL,
                               given ? NULL : v[0]->t)
                 : tsi_compared(in, TSI_EXPECT_STRIDES, name, &got, v[1], false);
    } else {
        same = v[1]->kind == V_INT ? got.o->n == 1 && got.o->v[0].i == v[1]->i
                                   : tsi_same_value(&got, v[1]);
        s = tsi_compared(in, TSI_EXPECT_STRIDES, name, &got, v[1], same);
    }
    tsi_release(got);
    return s;
}

static ts_status expect_untouched(tsi_interp *in, const tsi_value *const *v)
{
    char name[TSI_MAX_NAME], reason[100];
    int64_t element = -1;
    tsi_reply r;
    bool given;

    TS_TRY(tsi_named(in, v[1]->s, name));
    TS_TRY(tsi_reply_to(in, TSI_EXPECT_UNTOUCHED, &r, &given));
    if (given && r.tensor == NULL)
        return tsi_decided(in, TSI_EXPECT_UNTOUCHED, name, false, "expected a tensor",
                           NULL);
    if (given)
        TS_TRY(tsi_rest_replied(in, v[0]->t, r.tensor, &element));
    else if (v[0]->t->device.type != TS_META)
        TS_TRY(tsi_rest_of_storage(in, v[0]->t, &element));
    snprintf(reason, sizeof reason,
             "element %" PRId64 " of the storage changed, though no index reaches it",
             element);
    return tsi_decided(in, TSI_EXPECT_UNTOUCHED, name, element < 0, reason,
                       given ? NULL : v[0]->t);
}

static ts_status dispatch(tsi_interp *in, tsi_native id, const tsi_args *args,
                          const tsi_value *const *v)
{
    switch (id) {
    case NATIVE_EXPECT:
        return expect(in, v);
    case NATIVE_EXPECT_EQUAL:
        return expect_equal(in, v);
    case NATIVE_EXPECT_VIEW_OF:
        return expect_storage(in, TSI_EXPECT_VIEW_OF, v);
    case NATIVE_EXPECT_COPY_OF:
        return expect_storage(in, TSI_EXPECT_COPY_OF, v);
    case NATIVE_EXPECT_SAME:
        return expect_same(in, v);
    case NATIVE_EXPECT_STRIDES:
        return expect_strides(in, v);
    case NATIVE_EXPECT_ANY:
        return expect_any(in, v);
    case NATIVE_EXPECT_UNTOUCHED:
        return expect_untouched(in, v);
    case NATIVE_EXPECT_ERROR:
        return tsi_expect_error(in, args);
    default:
        return expect_close(in, v);
    }
}

ts_status tsi_call_expectation(tsi_interp *in, tsi_native id, const tsi_args *args,
                               const tsi_value *const *v)
{
    in->hollow = tsi_hollow(in, id, v);

    const ts_status s = dispatch(in, id, args, v);

    in->hollow = NULL;
    return s;
}

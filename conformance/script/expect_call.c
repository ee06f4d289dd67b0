/* SPDX-License-Identifier: Apache-2.0 */
/* Expectations of a call: that it warns, that it fails and leaves its arguments alone. */
#include "expect.h"

#include <stdio.h>
#include <string.h>

#include "print.h"
#include "touchstone/graph.h"

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
    char name[TSI_MAX_NAME], reason[300];
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
    tsi_nameless(in, TSI_EXPECT_WARNS, name);
    rest(args, 2, &call);
    TS_TRY(tsi_call_value(in, &args->v[1], &call, out));
    s = tsi_reply_to(in, TSI_EXPECT_WARNS, &r, &given);
    if (s != TS_OK) {
        tsi_release(*out);
        return s;
    }
    warned = given ? r.warned : ts_warning_count() > before;
    passed = warned == (label->kind == V_STR);
    if (passed && warned && !given && label->s[0] != '\0' &&
        (ts_warning_label()[0] != '\0' || in->options->labels))
        passed = strcmp(ts_warning_label(), label->s) == 0;
    snprintf(reason, sizeof reason, "expected %s, got %s %.200s",
             label->kind == V_STR ? label->s : "no warning",
             warned ? "the warning" : "no warning",
             warned && !given ? ts_warning_message() : "");
    return tsi_decided(in, TSI_EXPECT_WARNS, name, passed, reason, NULL);
}

/* --- expect_error */

/* What an argument held before the call that is to fail. */
typedef struct snapshot {
    ts_tensor *t;
    bool looked; /* else nobody may, and its version has to do */
    int64_t size, version;
    tsi_print before;
    struct snapshot *next;
} snapshot;

static ts_status remember(tsi_interp *in, const tsi_value *v, snapshot **list)
{
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
    s->next = *list;
    *list = s;
    s->looked = tsi_may_look(v->t);
    return s->looked ? tsi_print_take(v->t, &s->before) : TS_OK;
}

static void forget(snapshot *list)
{
    for (; list != NULL; list = list->next)
        if (list->looked)
            tsi_print_free(&list->before);
}

static const char *damage(const snapshot *list)
{
    char where[120];
    bool same;

    for (; list != NULL; list = list->next) {
        if (list->t->device.type == TS_ACCEL && ts_version(list->t) != list->version)
            continue; /* the work was under way: undefined until written again */
        if (ts_storage_bytes(ts_tensor_storage(list->t)) != list->size ||
            (list->looked && tsi_may_look(list->t) &&
             (tsi_print_same(list->t, &list->before, &same, where, sizeof where) !=
                  TS_OK ||
              !same)))
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
    return tsi_decided(in, TSI_EXPECT_ERROR, name, passed, reason, NULL);
}

/* Make the call, and judge how it ends. */
static ts_status make_and_judge(tsi_interp *in, const tsi_args *args, const char *name,
                                const snapshot *before)
{
    char reason[700], message[500], told[64];
    const bool grad = ts_grad_enabled();
    const tsi_record *r = tsi_record_find(in->c, name, in->options->variant);
    const char *label = args->v[1].kind == V_STR ? args->v[1].s : "", *damaged;
    ts_status want = args->v[0].error, got;
    tsi_value result;
    tsi_args call;
    tsi_reply reply;
    bool passed, given, deferred = false;

    if (r != NULL && r->class_ == TSI_RECORD_ERROR)
        want = r->error;
    rest(args, 3, &call);
    got = tsi_call_value(in, &args->v[2], &call, &result);
    if (got == TS_ERR_UNSUPPORTED)
        return got;
    if (got == TS_OK && in->options->device.type == TS_ACCEL &&
        !ts_capture_is_under_way()) {
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
        TS_TRY(tsi_reply_to(in, TSI_EXPECT_ERROR, &reply, &given));
        return replied_error(in, name, want, &reply);
    }
    if (got == TS_OK) {
        tsi_release(result);
        snprintf(reason, sizeof reason, "expected %s, but the call succeeded",
                 ts_status_name(want));
        return tsi_decided(in, TSI_EXPECT_ERROR, name, false, reason, NULL);
    }
    in->error_line = 0; /* it was wanted */
    snprintf(message, sizeof message, "%s", ts_error_message());
    snprintf(told, sizeof told, "%s", ts_error_label());
    damaged = deferred ? NULL : damage(before); /* outputs are undefined then */
    passed = ts_status_is(got, want);
    snprintf(reason, sizeof reason, "expected %s, got %s: %.500s", ts_status_name(want),
             ts_status_name(got), message);
    if (passed && damaged != NULL) {
        passed = false;
        snprintf(reason, sizeof reason, "%s", damaged);
    } else if (passed && label[0] != '\0' && (told[0] != '\0' || in->options->labels) &&
               strcmp(label, told) != 0) {
        passed = false;
        snprintf(reason, sizeof reason, "expected a refusal by %.100s, got %.500s", label,
                 message);
    }
    return tsi_decided(in, TSI_EXPECT_ERROR, name, passed, reason, NULL);
}

ts_status tsi_expect_error(tsi_interp *in, const tsi_args *args)
{
    char name[TSI_MAX_NAME];
    snapshot *before = NULL;
    ts_status s = TS_OK;

    TS_CHECK(args->n - args->keywords >= 3 && args->v[0].kind == V_ERROR &&
                 (args->v[1].kind == V_STR || args->v[1].kind == V_NONE),
             TS_ERR_TYPE, "errors/C2",
             "expect_error() takes an exception class, a label, a function, and its "
             "arguments");
    tsi_nameless(in, TSI_EXPECT_ERROR, name);
    for (int i = 2; i < args->n && s == TS_OK; i++)
        s = remember(in, &args->v[i], &before);
    if (s == TS_OK)
        s = make_and_judge(in, args, name, before);
    forget(before);
    return s;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "runner/output.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char *const verdict_names[] = {
    [TSI_PASS] = "PASS",
    [TSI_ASSISTED] = "ASSISTED",
    [TSI_RUNTIME] = "RUNTIME",
    [TSI_XFAIL] = "XFAIL",
    [TSI_SKIP] = "SKIP",
    [TSI_UNSUPPORTED] = "UNSUPPORTED",
    [TSI_XPASS] = "XPASS",
    [TSI_FAIL] = "FAIL",
    [TSI_NOT_CLAIMED] = "NOT-CLAIMED",
    [TSI_ERROR] = "ERROR",
    [TSI_TIMEOUT] = "TIMEOUT",
    [TSI_MISTRUSTED] = "MISTRUSTED",
    [TSI_NOT_RUN] = "NOT-RUN",
};

const char *tsi_verdict_name(tsi_verdict v)
{
    return verdict_names[v];
}

tsi_verdict tsi_verdict_from_name(const char *name, size_t length)
{
    for (int v = 0; v < TSI_VERDICT_COUNT; v++)
        if (strlen(verdict_names[v]) == length &&
            strncmp(verdict_names[v], name, length) == 0)
            return (tsi_verdict)v;
    return TSI_VERDICT_COUNT;
}

/* --- files --- */

bool tsi_file_open(tsi_place *out, const char *path, bool back)
{
    ts_status s = TS_OK;

    *out = (tsi_place){.path = path};
    if (path)
        s = strcmp(path, "-") == 0 ? tsi_place_over(out, stdout, "stdout", back)
                                   : tsi_place_open(out, path, back);
    return s == TS_OK || tsi_complain("%s", ts_error_message());
}

bool tsi_file_close(tsi_place *file, bool keep)
{
    return tsi_place_close(file, keep) == TS_OK || tsi_complain("%s", ts_error_message());
}

/* --- summary --- */

static void count_in(json_t *counts, const char *key)
{
    json_object_set_new(
        counts, key, json_integer(json_integer_value(json_object_get(counts, key)) + 1));
}

static bool waits(const tsi_case *c)
{
    for (int i = 0; i < c->nops; i++) {
        const ts_op *op = ts_op_find(c->ops[i]);

        if (op && op->synchronizing)
            return true;
    }
    return false;
}

static void count_graphs(tsi_summary *s, const tsi_case *c, const tsi_result *r)
{
    s->graphs += r->graphs;
    s->works += r->works;
    s->captured += r->graphs > 0;
    s->cut += r->graphs > 0 && waits(c);
    s->empty += r->graphs == 0 && r->compared;
    s->uncompared += !r->compared && r->executions > 0;
}

void tsi_summary_add(tsi_summary *s, const tsi_item *item, const tsi_result *r)
{
    json_t *level;

    if (!s->levels) {
        s->levels = json_object();
        s->provenance = json_object();
    }
    level = json_object_get(s->levels, item->level);
    if (!level) {
        json_object_set_new(s->levels, item->level, json_object());
        level = json_object_get(s->levels, item->level);
    }
    s->cases++;
    s->executions += r->executions;
    s->verdicts[r->verdict]++;
    s->passed += r->verdict == TSI_PASS;
    s->failed += tsi_is_failure(r->verdict);
    s->meta_ended += r->meta_ended;
    count_graphs(s, item->c, r);
    count_in(level, tsi_verdict_name(r->verdict));
    if (r->verdict == TSI_PASS)
        count_in(s->provenance, item->c->provenance);
}

/* --- JSON lines --- */

static void add_list(tsi_text *t, const char *key, int n, const char *const *list)
{
    tsi_text_format(t, ",\"%s\":[", key);
    for (int i = 0; i < n; i++) {
        if (i)
            tsi_text_add(t, ",", 1);
        tsi_text_json(t, list[i]);
    }
    tsi_text_add(t, "]", 1);
}

static void add_string(tsi_text *t, const char *key, const char *value)
{
    tsi_text_format(t, ",\"%s\":", key);
    tsi_text_json(t, value);
}

void tsi_json_case(FILE *f, tsi_text *t, const tsi_options *o, const tsi_item *item,
                   const tsi_result *r)
{
    const tsi_case *c = item->c;
    char *again;

    tsi_text_reset(t);
    tsi_text_format(t, "{\"id\":");
    tsi_text_json(t, c->id);
    add_string(t, "page", c->page);
    add_string(t, "level", item->level);
    add_list(t, "rules", c->nrules, c->rules);
    add_string(t, "verdict", tsi_verdict_name(r->verdict));
    add_string(t, "provenance", c->provenance);
    tsi_text_format(t, ",\"ms\":%.3f,\"executions\":%d,\"line\":%d", r->ms, r->executions,
                    r->line ? r->line : c->line);
    add_string(t, "file", c->file);
    add_string(t, "dtype", c->dtype == TS_DTYPE_NONE ? "" : ts_dtype_name(c->dtype));
    add_list(t, "ops", c->nops, c->ops);
    add_string(t, "program", c->program ? c->program : "");
    if (r->reason)
        add_string(t, "reason", r->reason);
    if (tsi_is_failure(r->verdict)) {
        if (r->variant != TSI_BASE)
            add_string(t, "variant", tsi_variant_name(r->variant));
        again = tsi_reproduce(o, item, r->variant);
        add_string(t, "reproduce", again ? again : "");
        free(again);
    }
    tsi_text_format(t, ",\"expect\":%s}\n", r->expect ? r->expect : "[]");
    fwrite(t->bytes, 1, t->used, f);
}

bool tsi_json_summary(FILE *f, const tsi_options *o, const tsi_summary *s)
{
    json_t *verdicts = json_object(), *root;
    bool ok;

    for (int v = 0; v < TSI_VERDICT_COUNT; v++)
        if (s->verdicts[v])
            json_object_set_new(verdicts, verdict_names[v], json_integer(s->verdicts[v]));
    root = json_pack(
        "{s:{s:i,s:i,s:i,s:I,s:o,s:O?,s:O?,s:i,s:f,s:f,s:s,s:s,s:s,s:s,s:s,s:s,s:b,s:s?}"
        "}",
        "summary", "passed", s->passed, "failed", s->failed, "cases", s->cases,
        "executions", (json_int_t)s->executions, "verdicts", verdicts, "provenance",
        s->provenance, "levels", s->levels, "meta_ended", s->meta_ended, "seconds",
        s->seconds, "rate", s->seconds > 0 ? (double)s->executions / s->seconds : 0.0,
        "backend", s->info->name, "backend_version", s->info->version, "door",
        tsi_pipe_command(o->backend) ? "pipe" : "lib", "device",
        o->device == TS_ACCEL ? "accel" : "cpu", "profile", "strict", "torch", s->torch,
        "simulated", s->info->simulated, "ended", s->ended);
    if (root && s->quality)
        json_object_set(json_object_get(root, "summary"), "quality", s->quality);
    ok = root && json_dumpf(root, f, JSON_COMPACT | JSON_REAL_PRECISION(9)) == 0;
    fputc('\n', f);
    json_decref(root);
    return ok || tsi_complain("the summary could not be written: out of memory");
}

/* --- JUnit --- */

enum { JUNIT_ROOM = 120 }; /* characters kept free for the totals, known at the end */

static const char junit_head[] =
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"
    "<testsuite name=\"touchstone\" ";

void tsi_junit_start(FILE *f)
{
    fprintf(f, "%s%*s>\n", junit_head, JUNIT_ROOM, "");
}

void tsi_junit_case(FILE *f, tsi_text *t, const tsi_options *o, const tsi_item *item,
                    const tsi_result *r)
{
    const char *tag = NULL;

    if (r->verdict == TSI_FAIL || r->verdict == TSI_MISTRUSTED ||
        (r->verdict == TSI_XPASS && tsi_options_whole(o)))
        tag = "failure";
    else if (tsi_is_failure(r->verdict) || r->verdict == TSI_NOT_RUN)
        tag = "error";
    else if (r->verdict != TSI_PASS && r->verdict != TSI_XPASS)
        tag = "skipped";
    tsi_text_reset(t);
    tsi_text_format(t, "<testcase classname=\"");
    tsi_text_xml(t, item->c->page);
    tsi_text_format(t, "\" name=\"");
    tsi_text_xml(t, item->c->id);
    tsi_text_format(t, "\" time=\"%.6f\"", r->ms / 1e3);
    if (!tag) {
        tsi_text_format(t, "/>\n");
    } else {
        tsi_text_format(t, "><%s message=\"%s: ", tag, tsi_verdict_name(r->verdict));
        tsi_text_xml(t, r->reason ? r->reason : "");
        tsi_text_format(t, "\"");
        if (tag[0] != 's') {
            char *again = tsi_reproduce(o, item, r->variant);

            tsi_text_format(t, " type=\"%s\">", tsi_verdict_name(r->verdict));
            tsi_text_xml(t, again ? again : "");
            tsi_text_format(t, "</%s>", tag);
            free(again);
        } else {
            tsi_text_format(t, "/>");
        }
        tsi_text_format(t, "</testcase>\n");
    }
    fwrite(t->bytes, 1, t->used, f);
}

void tsi_junit_end(FILE *f, const tsi_summary *s)
{
    const int errors =
        s->verdicts[TSI_ERROR] + s->verdicts[TSI_TIMEOUT] + s->verdicts[TSI_NOT_RUN];
    const int skipped = s->cases - s->failed - s->verdicts[TSI_NOT_RUN] - s->passed -
                        s->verdicts[TSI_XPASS];

    fputs("</testsuite>\n</testsuites>\n", f);
    if (fseek(f, (long)sizeof(junit_head) - 1, SEEK_SET) == 0)
        fprintf(f,
                "tests=\"%d\" failures=\"%d\" errors=\"%d\" skipped=\"%d\" time=\"%.3f\"",
                s->cases, s->verdicts[TSI_FAIL] + s->verdicts[TSI_MISTRUSTED], errors,
                skipped, s->seconds);
}

/* --- TAP --- */

void tsi_tap_start(FILE *f, int count)
{
    fprintf(f, "TAP version 13\n1..%d\n", count);
}

/* The first line of a reason, and its end. */
static void add_line(tsi_text *t, const char *reason)
{
    char *first = strndup(reason, strcspn(reason, "\n"));

    if (first)
        tsi_text_plain(t, first, "");
    tsi_text_add(t, "\n", 1);
    free(first);
}

void tsi_tap_case(FILE *f, tsi_text *t, int number, const tsi_options *o,
                  const tsi_item *item, const tsi_result *r)
{
    const char *reason = r->reason ? r->reason : "", *name = tsi_verdict_name(r->verdict);
    char *again;

    tsi_text_reset(t);
    switch (r->verdict) {
    case TSI_PASS:
        tsi_text_format(t, "ok %d - %s\n", number, item->c->id);
        break;
    case TSI_XFAIL:
    case TSI_XPASS:
        tsi_text_format(t, "%s %d - %s # TODO ",
                        r->verdict == TSI_XPASS ? "ok" : "not ok", number, item->c->id);
        add_line(t, reason);
        break;
    default:
        if (!tsi_is_failure(r->verdict) && r->verdict != TSI_NOT_RUN) {
            tsi_text_format(t, "ok %d - %s # SKIP %s: ", number, item->c->id, name);
            add_line(t, reason);
            break;
        }
        again = tsi_reproduce(o, item, r->variant);
        tsi_text_format(t, "not ok %d - %s\n  ---\n  verdict: %s\n  reason: ", number,
                        item->c->id, name);
        tsi_text_json(t, reason); /* a JSON string is a YAML string */
        tsi_text_format(t, "\n  reproduce: ");
        tsi_text_json(t, again ? again : "");
        tsi_text_format(t, "\n  ...\n");
        free(again);
    }
    fwrite(t->bytes, 1, t->used, f);
}

/* --- console --- */

void tsi_print_failure(FILE *f, const tsi_options *o, const tsi_item *item,
                       const tsi_result *r)
{
    char *again = tsi_reproduce(o, item, r->variant);
    tsi_text t = {0};

    tsi_text_format(&t, "%s %s", tsi_verdict_name(r->verdict), item->c->id);
    if (r->variant != TSI_BASE)
        tsi_text_format(&t, " (%s)", tsi_variant_name(r->variant));
    tsi_text_format(&t, "\n  at   %s:%d\n  why  ", item->golden->path,
                    r->line ? r->line : item->c->line);
    tsi_text_plain(&t, r->reason ? r->reason : "", "\n       ");
    tsi_text_format(&t, "\n  run  ");
    tsi_text_plain(&t, again ? again : "", "\\n");
    tsi_text_add(&t, "\n", 1);
    fwrite(t.bytes, 1, t.used, f);
    tsi_text_free(&t);
    free(again);
}

void tsi_print_summary(FILE *f, const tsi_summary *s)
{
    const char *separator = "";

    fprintf(
        f, "backend %s %s%s: %d cases, %" PRId64 " executions in %.2f s, %.0f a second\n",
        s->info->name, s->info->version,
        s->info->simulated ? " (simulated, no GPU ran)" : "", s->cases, s->executions,
        s->seconds, s->seconds > 0 ? (double)s->executions / s->seconds : 0.0);
    for (int v = 0; v < TSI_VERDICT_COUNT; v++)
        if (s->verdicts[v]) {
            fprintf(f, "%s%s %d", separator, verdict_names[v], s->verdicts[v]);
            separator = ", ";
        }
    fputc('\n', f);
    if (s->graphs)
        fprintf(f,
                "graphs: %d cases replayed, %" PRId64 " graphs of %" PRId64
                " works; in %d of them an op waits; %d without work on the device, %d "
                "not compared\n",
                s->captured, s->graphs, s->works, s->cut, s->empty, s->uncompared);
    if (s->ended)
        fprintf(f, "the run did not end well: %s; %d cases were not run\n", s->ended,
                s->verdicts[TSI_NOT_RUN]);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* touchstone list, show and coverage: what the corpus holds, without running it. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "runner/judge.h"
#include "runner/text.h"

static json_t *strings(int n, const char *const *list)
{
    json_t *out = json_array();

    for (int i = 0; i < n; i++)
        json_array_append_new(out, json_string(list[i]));
    return out;
}

/* --- list --- */

static void list_json(const tsi_item *item)
{
    const tsi_case *c = item->c;
    json_t *variants = json_array(), *o;

    for (int v = 0; v < TSI_VARIANT_COUNT; v++)
        if (c->variants >> v & 1)
            json_array_append_new(variants,
                                  json_string(tsi_variant_name((tsi_variant)v)));
    o = json_pack("{s:s,s:s,s:s,s:s,s:i,s:s,s:o,s:o,s:o}", "id", c->id, "page", c->page,
                  "level", item->level, "file", c->file, "line", c->line, "provenance",
                  c->provenance, "rules", strings(c->nrules, c->rules), "ops",
                  strings(c->nops, c->ops), "variants", variants);
    json_dumpf(o, stdout, JSON_COMPACT);
    putchar('\n');
    json_decref(o);
}

int tsi_verb_list(const tsi_options *o, bool json)
{
    /* Never freed: the process ends with it, and that is quicker. */
    static tsi_corpus corpus;
    int count = 0, *selected;

    if (!tsi_corpus_load(&corpus, o->golden, o->nfiles, o->files))
        return 2;
    selected = tsi_select(&corpus, o, &count);
    if (selected && json && !tsi_corpus_ready(&corpus, selected, count)) {
        free(selected);
        selected = NULL;
    }
    for (int i = 0; selected && i < count; i++)
        if (json)
            list_json(&corpus.items[selected[i]]);
        else
            puts(corpus.items[selected[i]].c->id);
    free(selected);
    return selected ? 0 : 2;
}

/* --- show --- */

enum { SHOWN = 64 };

static void show_elements(const tsi_expected *e)
{
    for (int64_t i = 0; i < e->numel && i < SHOWN; i++) {
        char text[40];

        if (e->class_ == TSI_CLASS_BOUND)
            printf("%s%.9g ±%.2g", i ? ", " : "    ", tsi_expected_value(e, i),
                   tsi_expected_bound(e, i));
        else
            printf("%s%s", i ? ", " : "    ",
                   tsi_element_text(text, sizeof(text), e->dtype,
                                    e->bits + i * ts_dtype_size(e->dtype)));
    }
    if (e->numel > SHOWN)
        printf(", … %" PRId64 " in all", e->numel);
    if (e->numel > 0)
        putchar('\n');
}

static void show_list(const char *open, int n, const int64_t *list, const char *close)
{
    printf("%s", open);
    for (int i = 0; i < n; i++)
        printf("%s%" PRId64, i ? ", " : "", list[i]);
    printf("%s", close);
}

static void show_digest(const tsi_record *r)
{
    printf(", bit by bit, digest ");
    for (size_t i = 0; i < sizeof(r->digest); i++)
        printf("%02x", r->digest[i]);
    putchar('\n');
}

static void show_record(const tsi_record *r, const tsi_expected *e)
{
    printf("  %s%s%s: ", r->name, r->variant == TSI_BASE ? "" : " in ",
           r->variant == TSI_BASE ? "" : tsi_variant_name(r->variant));
    if (r->class_ == TSI_RECORD_ERROR) {
        printf("%s\n", ts_status_name(r->error));
    } else if (r->class_ == TSI_RECORD_VALUE) {
        json_dumpf(r->value, stdout, JSON_ENCODE_ANY | JSON_SORT_KEYS);
        putchar('\n');
    } else {
        printf("%s", ts_dtype_name(r->dtype));
        show_list("[", r->ndim, r->sizes, "]");
        show_list(", strides (", r->ndim, r->strides, ")");
        if (r->class_ == TSI_RECORD_EXACT)
            puts(", bit by bit");
        else if (r->class_ == TSI_RECORD_DIGEST)
            show_digest(r);
        else if (r->used > 0)
            printf(", of the bound PyTorch took %.3g\n", r->used);
        else
            puts(", within its bound");
        if (r->class_ != TSI_RECORD_DIGEST)
            show_elements(e);
    }
}

static void show(const tsi_item *item)
{
    const tsi_case *c = item->c;

    printf("%s  (%s, %s, %s:%d)\n\nRules\n", c->id, item->level, c->provenance,
           item->golden->path, c->line);
    for (int i = 0; i < c->nrules; i++) {
        const ts_rule *r = ts_rule_find(c->rules[i]);

        printf("  %s  %s\n", c->rules[i],
               r ? r->text : "(no such rule on the spec's pages)");
    }
    printf("\nProgram\n");
    for (const char *p = c->program; *p;) {
        const int n = (int)strcspn(p, "\n");

        printf("  %.*s\n", n, p);
        p += n + (p[n] == '\n');
    }
    printf("\nLayouts\n ");
    for (int v = 0; v < TSI_VARIANT_COUNT; v++)
        if (c->variants >> v & 1)
            printf(" %s", tsi_variant_name((tsi_variant)v));
    printf("\n\nAnswers\n");
    for (int i = 0; i < c->nrecords; i++)
        show_record(&c->records[i], &item->expected[i]);
}

int tsi_verb_show(const tsi_options *o, const char *id)
{
    tsi_corpus corpus;
    bool found = false;
    int status = 2;

    if (!tsi_corpus_load(&corpus, o->golden, o->nfiles, o->files))
        return 2;
    for (int i = 0; i < corpus.count && status; i++)
        if (strcmp(corpus.items[i].c->id, id) == 0) {
            found = true;
            if (!tsi_corpus_ready(&corpus, &i, 1))
                break;
            show(&corpus.items[i]);
            status = 0;
        }
    if (!found)
        tsi_complain("there is no case '%s'", id);
    tsi_corpus_free(&corpus);
    return status;
}

/* --- coverage --- */

/* Whether the space-separated `list` holds `word`. */
static bool holds(const char *list, const char *word)
{
    const size_t n = strlen(word);

    for (const char *p = list; p && (p = strstr(p, word)); p += n)
        if ((p == list || p[-1] == ' ') && (p[n] == '\0' || p[n] == ' '))
            return true;
    return false;
}

/* Add every word of `list` to the JSON set `set`. */
static void add_words(json_t *set, const char *list)
{
    while (list && *list) {
        const size_t n = strcspn(list, " ");
        char word[64];

        snprintf(word, sizeof(word), "%.*s", (int)n, list);
        if (n)
            json_object_set_new(set, word, json_true());
        list += n + (list[n] == ' ');
    }
}

static json_t *sorted_keys(json_t *set)
{
    char *text = json_dumps(set, JSON_SORT_KEYS | JSON_COMPACT);
    json_t *sorted = text ? json_loads(text, 0, NULL) : NULL, *out = json_array(), *value;
    const char *key;

    json_object_foreach(sorted, key, value) json_array_append_new(out, json_string(key));
    json_decref(sorted);
    free(text);
    return out;
}

static int64_t *cases_by_rule(const tsi_corpus *corpus)
{
    int64_t *count = calloc((size_t)ts_rule_count() + 1, sizeof(*count));

    for (int i = 0; count && i < corpus->count; i++)
        for (int r = 0; r < corpus->items[i].c->nrules; r++) {
            const ts_rule *rule = ts_rule_find(corpus->items[i].c->rules[r]);

            if (rule)
                count[rule - ts_rule_at(0)]++;
        }
    return count;
}

static const char *scope_of(const ts_rule *rule)
{
    if (rule->scope && *rule->scope)
        return rule->scope;
    for (int i = 0; i < ts_page_count(); i++)
        if (strcmp(ts_page_at(i)->name, rule->page) == 0)
            return ts_page_at(i)->scope;
    return "";
}

/* One scope id: its rules with their number of cases, ops, dtypes, cases. */
static json_t *cover(const tsi_corpus *corpus, const int64_t *count, const char *scope)
{
    json_t *rules = json_object(), *ops = json_object(), *dtypes = json_object();
    json_t *pages = json_array(), *out;
    int cases = 0;

    for (int i = 0; i < ts_page_count(); i++)
        if (holds(ts_page_at(i)->scope, scope))
            json_array_append_new(pages, json_string(ts_page_at(i)->name));
    for (int i = 0; i < ts_rule_count(); i++)
        if (holds(scope_of(ts_rule_at(i)), scope))
            json_object_set_new(rules, ts_rule_at(i)->label, json_integer(count[i]));
    for (int i = 0; i < corpus->count; i++) {
        const tsi_case *c = corpus->items[i].c;
        bool serves = false;

        for (int r = 0; r < c->nrules; r++)
            serves |= json_object_get(rules, c->rules[r]) != NULL;
        if (!serves)
            continue;
        cases++;
        for (int k = 0; k < c->nops; k++)
            json_object_set_new(ops, c->ops[k], json_true());
        if (c->dtype != TS_DTYPE_NONE)
            json_object_set_new(dtypes, ts_dtype_name(c->dtype), json_true());
    }
    out = json_pack("{s:s,s:o,s:o,s:o,s:o,s:i}", "scope", scope, "pages", pages, "rules",
                    rules, "ops", sorted_keys(ops), "dtypes", sorted_keys(dtypes),
                    "cases", cases);
    json_decref(ops);
    json_decref(dtypes);
    return out;
}

static void print_coverage(json_t *row)
{
    int covered = 0;
    const char *label;
    json_t *n;

    json_object_foreach(json_object_get(row, "rules"), label, n) covered +=
        json_integer_value(n) > 0;
    printf("%-5s %5d cases, %3d of %3zu rules, %3zu ops, %2zu dtypes\n",
           json_string_value(json_object_get(row, "scope")),
           (int)json_integer_value(json_object_get(row, "cases")), covered,
           json_object_size(json_object_get(row, "rules")),
           json_array_size(json_object_get(row, "ops")),
           json_array_size(json_object_get(row, "dtypes")));
}

/* Whether the text of a test cites `label`, not only a longer one. */
static bool cites(const char *text, const char *label)
{
    const size_t n = strlen(label);

    for (const char *p = text; p && (p = strstr(p, label)); p += n)
        if (p[n] < '0' || p[n] > '9')
            return true;
    return false;
}

/* Rules of what no golden case can show, malformed files say, are served by our own tests. */
static bool count_tests(int64_t *count, int ntests, char *const *tests)
{
    for (int i = 0; i < ntests; i++) {
        char *text = tsi_read_text(tests[i]);

        if (!text)
            return false;
        for (int r = 0; r < ts_rule_count(); r++)
            count[r] += cites(text, ts_rule_at(r)->label);
        free(text);
    }
    return true;
}

/* A rule without a case, a page without scope ids, a case that cites what is no rule. */
static int check(const tsi_corpus *corpus, const int64_t *count)
{
    int bad = 0;

    for (int i = 0; i < ts_rule_count(); i++)
        if (count[i] == 0 && ++bad)
            printf("spec/%s:%d: neither case nor test serves rule %s\n",
                   ts_rule_at(i)->file, ts_rule_at(i)->line, ts_rule_at(i)->label);
    for (int i = 0; i < ts_page_count(); i++)
        if ((!ts_page_at(i)->scope || !*ts_page_at(i)->scope) && ++bad)
            printf("page %s covers no scope id\n", ts_page_at(i)->name);
    for (int i = 0; i < corpus->count; i++)
        for (int r = 0; r < corpus->items[i].c->nrules; r++)
            if (!ts_rule_find(corpus->items[i].c->rules[r]) && ++bad)
                printf("%s:%d: case %s cites %s, which is no rule\n",
                       corpus->items[i].c->file, corpus->items[i].c->line,
                       corpus->items[i].c->id, corpus->items[i].c->rules[r]);
    printf("%d rules on %d pages, %d cases: %d problems\n", ts_rule_count(),
           ts_page_count(), corpus->count, bad);
    return bad ? 1 : 0;
}

int tsi_verb_coverage(const tsi_options *o, bool json, bool checking, int ntests,
                      char *const *tests)
{
    json_t *scopes, *ids, *rows, *row;
    tsi_corpus corpus;
    int64_t *count;
    int status = 0;
    size_t i;

    if (!tsi_corpus_load(&corpus, o->golden, 0, NULL))
        return 2;
    if (!tsi_corpus_ready(&corpus, NULL, corpus.count)) {
        tsi_corpus_free(&corpus);
        return 2;
    }
    count = cases_by_rule(&corpus);
    scopes = json_object();
    rows = json_array();
    for (int p = 0; p < ts_page_count(); p++)
        add_words(scopes, ts_page_at(p)->scope);
    ids = sorted_keys(scopes);
    for (i = 0; count && i < json_array_size(ids); i++)
        json_array_append_new(
            rows, cover(&corpus, count, json_string_value(json_array_get(ids, i))));
    if (checking)
        status = count && count_tests(count, ntests, tests) ? check(&corpus, count) : 2;
    else if (json)
        json_dumpf(rows, stdout, JSON_INDENT(1));
    else
        json_array_foreach(rows, i, row) print_coverage(row);
    json_decref(scopes);
    json_decref(ids);
    json_decref(rows);
    free(count);
    tsi_corpus_free(&corpus);
    return status;
}

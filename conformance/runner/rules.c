/* SPDX-License-Identifier: Apache-2.0 */
#include "runner/rules.h"

#include <jansson.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool tried;
static json_t *root; /* the strings below are its */
static ts_rule *rules;
static ts_page *pages;
static ts_op_limit *limits;
static int rule_count, page_count, limit_count;

/* Where the build and where the installation put it, seen from the program's folder. */
static bool find_file(char *out, size_t size)
{
    static const char *const places[] = {"spec/include/touchstone/rules.json",
                                         "../share/touchstone/rules.json"};
    const char *env = getenv("TOUCHSTONE_RULES");
    char from[PATH_MAX];
    ssize_t n;

    if (env) {
        snprintf(out, size, "%s", env);
        return true;
    }
    n = readlink("/proc/self/exe", from, sizeof from - 1);
    if (n <= 0)
        return false;
    from[n] = '\0';
    for (char *slash = strrchr(from, '/'); slash; slash = strrchr(from, '/')) {
        *slash = '\0';
        for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
            const int length = snprintf(out, size, "%s/%s", from, places[i]);

            if (length > 0 && (size_t)length < size && access(out, R_OK) == 0)
                return true;
        }
    }
    return false;
}

static const char *text_of(const json_t *o, const char *key)
{
    return json_string_value(json_object_get(o, key));
}

static int by_label(const void *a, const void *b)
{
    return strcmp((*(const ts_rule *const *)a)->label,
                  (*(const ts_rule *const *)b)->label);
}

static bool complete(const ts_rule *r)
{
    return r->label && r->page && r->level && r->scope && r->file && r->text;
}

static void take(void)
{
    const json_t *list = json_object_get(root, "rules"),
                 *sheets = json_object_get(root, "pages");
    const size_t nrules = json_array_size(list), npages = json_array_size(sheets);

    rules = calloc(nrules + 1, sizeof *rules);
    pages = calloc(npages + 1, sizeof *pages);
    for (size_t i = 0; rules && i < nrules; i++) {
        const json_t *o = json_array_get(list, i);
        const ts_rule r = {text_of(o, "label"),
                           text_of(o, "page"),
                           text_of(o, "level"),
                           text_of(o, "scope"),
                           text_of(o, "error"),
                           text_of(o, "file"),
                           (int)json_integer_value(json_object_get(o, "line")),
                           text_of(o, "text")};

        if (complete(&r))
            rules[rule_count++] = r;
    }
    for (size_t i = 0; pages && i < npages; i++) {
        const json_t *o = json_array_get(sheets, i);
        const ts_page p = {text_of(o, "name"), text_of(o, "title"), text_of(o, "level"),
                           text_of(o, "scope")};

        if (p.name && p.title && p.level && p.scope)
            pages[page_count++] = p;
    }
}

static void take_limits(void)
{
    const json_t *list = json_object_get(root, "ops");
    const size_t n = json_array_size(list);

    limits = calloc(n + 1, sizeof *limits);
    for (size_t i = 0; limits && i < n; i++) {
        const json_t *o = json_array_get(list, i), *ulp = json_object_get(o, "ulp");
        ts_op_limit *l = &limits[limit_count];

        l->op = text_of(o, "op");
        l->bound = text_of(o, "bound");
        for (int d = 0; d < TS_DTYPE_COUNT; d++)
            l->ulp[d] =
                json_number_value(json_object_get(ulp, ts_dtype_name((ts_dtype)d)));
        limit_count += l->op && l->bound;
    }
}

static void load(void)
{
    char path[PATH_MAX];
    json_error_t problem;

    if (tried)
        return;
    tried = true;
    if (!find_file(path, sizeof path)) {
        fputs("touchstone: no rules.json beside the program: rules are shown without "
              "their text; TOUCHSTONE_RULES may say where it is\n",
              stderr);
        return;
    }
    root = json_load_file(path, 0, &problem);
    if (root) {
        take();
        take_limits();
    } else
        fprintf(stderr, "touchstone: %s:%d:%d: %s\n", path, problem.line, problem.column,
                problem.text);
}

int ts_rule_count(void)
{
    load();
    return rule_count;
}

const ts_rule *ts_rule_at(int index)
{
    load();
    return index >= 0 && index < rule_count ? &rules[index] : NULL;
}

const ts_rule *ts_rule_find(const char *label)
{
    static const ts_rule **sorted;
    const ts_rule key = {.label = label}, *at = &key, **found;

    load();
    if (!sorted && rule_count > 0) {
        sorted = malloc((size_t)rule_count * sizeof *sorted);
        if (!sorted)
            return NULL;
        for (int i = 0; i < rule_count; i++)
            sorted[i] = &rules[i];
        qsort(sorted, (size_t)rule_count, sizeof *sorted, by_label);
    }
    found = sorted ? bsearch(&at, sorted, (size_t)rule_count, sizeof *sorted, by_label)
                   : NULL;
    return found ? *found : NULL;
}

int ts_page_count(void)
{
    load();
    return page_count;
}

const ts_page *ts_page_at(int index)
{
    load();
    return index >= 0 && index < page_count ? &pages[index] : NULL;
}

int ts_op_limit_count(void)
{
    load();
    return limit_count;
}

const ts_op_limit *ts_op_limit_at(int index)
{
    load();
    return index >= 0 && index < limit_count ? &limits[index] : NULL;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The page of one or more benchmarks' results (bench/README.md): the template with all
 * lines in it as JSON. */
#include "perf_page.h"
#include "runner/html.h"
#include "runner/place.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static const struct field {
    const char *name;
    bool number, needed;
} fields[] = {
    {"name", false, true},        {"unit", false, true},
    {"better", false, true},      {"median", true, true},
    {"min", true, true},          {"max", true, true},
    {"repeats", true, true},      {"dtype", false, false},
    {"formula", false, false},    {"rate", true, false},
    {"limit", true, false},       {"limit_unit", false, false},
    {"limit_name", false, false}, {"peer", false, false},
    {"ratio", true, false},       {"ratio_of_minima", true, false},
    {"floor", true, false},
};

static ts_status check_row(const char *file, size_t line, const json_t *o)
{
    const json_t *median = json_object_get(o, "median");

    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        const json_t *v = json_object_get(o, fields[i].name);

        TS_CHECK(v || !fields[i].needed, TS_ERR_VALUE, NULL, "%s:%zu:1: no \"%s\"", file,
                 line, fields[i].name);
        TS_CHECK(!v || (fields[i].number ? json_is_number(v) : json_is_string(v)),
                 TS_ERR_VALUE, NULL, "%s:%zu:1: \"%s\" is no %s", file, line,
                 fields[i].name, fields[i].number ? "number" : "string");
    }
    TS_CHECK(
        json_number_value(median) > 0 &&
            json_number_value(json_object_get(o, "min")) <= json_number_value(median) &&
            json_number_value(median) <= json_number_value(json_object_get(o, "max")),
        TS_ERR_VALUE, NULL, "%s:%zu:1: not 0 < min <= median <= max", file, line);
    TS_CHECK(!json_object_get(o, "ratio") || json_object_get(o, "peer"), TS_ERR_VALUE,
             NULL, "%s:%zu:1: a \"ratio\" without its \"peer\"", file, line);
    TS_CHECK(!json_object_get(o, "rate") ||
                 (json_object_get(o, "limit") && json_object_get(o, "limit_unit")),
             TS_ERR_VALUE, NULL, "%s:%zu:1: a \"rate\" without its \"limit\"", file,
             line);
    return TS_OK;
}

static ts_status take_line(const char *file, size_t line, const char *text, size_t n,
                           json_t *into)
{
    json_error_t error;
    json_t *o = json_loadb(text, n, JSON_REJECT_DUPLICATES, &error);
    ts_status s = TS_OK;

    TS_CHECK(o, TS_ERR_VALUE, NULL, "%s:%zu:%d: %s", file, line,
             error.column > 0 ? error.column : 1, error.text);
    if (line == 1) {
        if (json_integer_value(json_object_get(o, "perf")) != 1)
            s = ts_fail(TS_ERR_VALUE, NULL,
                        "%s:1:1: not a benchmark's results: no \"perf\": 1", file);
        else
            json_object_set(into, "head", o);
    } else {
        s = check_row(file, line, o);
        if (s == TS_OK)
            json_array_append(json_object_get(into, "rows"), o);
    }
    json_decref(o);
    return s;
}

static ts_status read_file(const char *path, json_t *all)
{
    const char *slash = strrchr(path, '/');
    FILE *f = fopen(path, "r");
    char *line = NULL;
    size_t room = 0, lines = 0;
    json_t *into;
    ssize_t n;
    ts_status s = TS_OK;

    TS_CHECK(f, TS_ERR_RUNTIME, NULL, "%s: %s", path, strerror(errno));
    into = json_pack("{s:s, s:[]}", "name", slash ? slash + 1 : path, "rows");
    while (s == TS_OK && (n = getline(&line, &room, f)) >= 0)
        s = take_line(path, ++lines, line, (size_t)n, into);
    if (s == TS_OK && (ferror(f) || json_array_size(json_object_get(into, "rows")) == 0))
        s = ts_fail(TS_ERR_VALUE, NULL, "%s:1:1: no results in it", path);
    if (s == TS_OK)
        json_array_append(all, into);
    json_decref(into);
    free(line);
    fclose(f);
    return s;
}

/* JSON in a script element: no '<' that could end it. */
static int put_escaped(const char *bytes, size_t n, void *out)
{
    for (size_t i = 0; i < n; i++)
        if ((bytes[i] == '<' ? fputs("\\u003c", out) : fputc(bytes[i], out)) == EOF)
            return -1;
    return 0;
}

static bool put_page(const json_t *all, FILE *out)
{
    return fwrite(perf_head, 1, perf_head_size, out) == perf_head_size &&
           fputs("<script type=\"application/json\" id=\"perf\">", out) >= 0 &&
           json_dump_callback(all, put_escaped, out,
                              JSON_COMPACT | JSON_REAL_PRECISION(9)) == 0 &&
           fputs("</script>\n", out) >= 0 &&
           fwrite(perf_tail, 1, perf_tail_size, out) == perf_tail_size;
}

ts_status html_write_perf(const char *const *paths, size_t count, const char *out)
{
    json_t *all = json_array();
    tsi_place place;
    ts_status s = TS_OK;

    for (size_t i = 0; s == TS_OK && i < count; i++)
        s = read_file(paths[i], all);
    if (s == TS_OK)
        s = tsi_place_open(&place, out, false);
    if (s == TS_OK) {
        const bool good = put_page(all, place.f);

        s = tsi_place_close(&place, good);
        if (s == TS_OK && !good)
            s = ts_fail(TS_ERR_RUNTIME, NULL, "%s: %s", out, strerror(errno));
    }
    json_decref(all);
    return s;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The HTML report. The page's own text is embedded (reports/template); what is added here
 * is data: per run one index, small enough to list and filter every case, and the cases
 * themselves in chunks that the page unpacks when one of their cases is opened. Index and
 * chunks are JSON, deflated and in base64, so that no text of a case can end the script
 * element it stands in.
 */
#include "runner/html.h"
#include "report_page.h"
#include "runner/place.h"
#include "runner/rules.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <nettle/base64.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

enum {
    CHUNK_CASES = 64,
    CHUNK_BYTES = 1 << 22, /* or fewer cases, so that one click never unpacks much more */
    DETAILED_PASSES =
        20000,       /* later passing cases lose their elements, and the page says so */
    PASS_DIGITS = 9, /* of the numbers of a passing case; others keep all 17 */
    INDEX_DIGITS = 6,
};

/* spec/areas/results.md */
static const char *const verdicts[] = {
    "PASS",    "FAIL", "ERROR", "TIMEOUT",  "MISTRUSTED", "UNSUPPORTED", "NOT-CLAIMED",
    "RUNTIME", "SKIP", "XFAIL", "ASSISTED", "XPASS",      "NOT-RUN",
};

/* What a row of the index takes from its case; strings are numbers of `strings`. */
static const char *const columns[] = {"page",       "level", "verdict", "dtype",
                                      "provenance", "rules", "ops"};
enum { COLUMNS = sizeof columns / sizeof *columns };

typedef struct buffer {
    char *bytes;
    size_t used, room;
} buffer;

typedef struct page {
    FILE *out;
    size_t passes; /* passing cases so far, over all runs */
} page;

typedef struct run_index {
    json_t *root, *column[COLUMNS], *ids, *ms, *executions, *worst, *used, *reasons,
        *chunks;
    json_t *strings, *numbers; /* the text of each number; the number of each text */
} run_index;

static ts_status no_memory(void)
{
    return ts_fail(TS_ERR_RUNTIME, NULL, "out of memory while writing the HTML report");
}

static ts_status append(buffer *b, const char *bytes, size_t n)
{
    if (b->used + n > b->room) {
        const size_t room = 2 * (b->used + n);
        char *grown = realloc(b->bytes, room);

        if (grown == NULL)
            return no_memory();
        b->bytes = grown;
        b->room = room;
    }
    if (n > 0)
        memcpy(b->bytes + b->used, bytes, n);
    b->used += n;
    return TS_OK;
}

static int append_dump(const char *bytes, size_t n, void *b)
{
    return append(b, bytes, n) == TS_OK ? 0 : -1;
}

static ts_status write_bytes(FILE *out, const void *bytes, size_t n)
{
    TS_CHECK(fwrite(bytes, 1, n, out) == n, TS_ERR_RUNTIME, NULL,
             "writing the HTML report: %s", strerror(errno));
    return TS_OK;
}

/* One data element, `<script id="…">`. */
static ts_status write_element(FILE *out, const char *id, const void *json, size_t n)
{
    uLongf packed = compressBound(n);
    uint8_t *zip = malloc(packed);
    char *text = malloc(BASE64_ENCODE_RAW_LENGTH(packed)), open[96];
    ts_status status = TS_OK;

    if (zip == NULL || text == NULL || compress2(zip, &packed, json, n, 6) != Z_OK) {
        status = no_memory();
    } else {
        base64_encode_raw(text, packed, zip);
        snprintf(open, sizeof open, "<script type=\"text/plain\" id=\"%s\">", id);
        status = write_bytes(out, open, strlen(open));
        if (status == TS_OK)
            status = write_bytes(out, text, BASE64_ENCODE_RAW_LENGTH(packed));
        if (status == TS_OK)
            status = write_bytes(out, "</script>\n", 10);
    }
    free(zip);
    free(text);
    return status;
}

static void index_free(run_index *x)
{
    json_decref(x->root);
    json_decref(x->numbers);
}

static ts_status index_new(run_index *x, const char *name, const char *spec)
{
    json_t *root = json_object();

    *x = (run_index){.root = root, .numbers = json_object()};
    json_object_set_new(root, "name", json_string(name));
    json_object_set_new(root, "spec", spec ? json_string(spec) : json_null());
    json_object_set_new(root, "detailed", json_integer(DETAILED_PASSES));
    json_object_set_new(root, "strings", x->strings = json_array());
    json_object_set_new(root, "id", x->ids = json_array());
    json_object_set_new(root, "ms", x->ms = json_array());
    json_object_set_new(root, "worst", x->worst = json_array());
    json_object_set_new(root, "used", x->used = json_array());
    json_object_set_new(root, "executions", x->executions = json_array());
    json_object_set_new(root, "reason", x->reasons = json_object());
    json_object_set_new(root, "chunks", x->chunks = json_array());
    for (size_t i = 0; i < COLUMNS; i++)
        json_object_set_new(root, columns[i], x->column[i] = json_array());
    return json_object_get(root, columns[COLUMNS - 1]) ? TS_OK : no_memory();
}

/* The number of a text, a new one when it is new. */
static json_t *number_of(run_index *x, const char *text)
{
    json_t *known = json_object_get(x->numbers, text);

    if (known != NULL)
        return json_incref(known);
    known = json_integer((json_int_t)json_array_size(x->strings));
    json_array_append_new(x->strings, json_string(text));
    json_object_set(x->numbers, text, known);
    return known;
}

/* A string, or an array of strings joined by blanks, as its number. */
static ts_status add_text(run_index *x, size_t column, const json_t *value)
{
    buffer joined = {0};
    const json_t *part;
    size_t i;
    ts_status status = TS_OK;

    if (json_is_string(value))
        status = append(&joined, json_string_value(value), json_string_length(value));
    json_array_foreach(value, i, part)
    {
        if (status == TS_OK && i > 0)
            status = append(&joined, " ", 1);
        if (status == TS_OK && json_is_string(part))
            status = append(&joined, json_string_value(part), json_string_length(part));
    }
    if (status == TS_OK)
        status = append(&joined, "", 1);
    if (status == TS_OK &&
        json_array_append_new(x->column[column], number_of(x, joined.bytes)) != 0)
        status = no_memory();
    free(joined.bytes);
    return status;
}

/*
 * The largest share of a bound over the expectations, null where none has a bound:
 * "worst" is the backend's, "used" PyTorch's own.
 */
static json_t *largest_share(const json_t *item, const char *key)
{
    json_t *largest = NULL, *e;
    size_t i;

    json_array_foreach(json_object_get(item, "expect"), i, e)
    {
        json_t *share = json_object_get(e, key);
        const char *class_ = json_string_value(json_object_get(e, "class"));

        if (class_ == NULL || strcmp(class_, "bound") != 0)
            continue;
        if (json_is_string(share)) /* "inf" or "nan" */
            return json_incref(share);
        if (json_is_number(share) &&
            (largest == NULL || json_number_value(share) > json_number_value(largest)))
            largest = share;
    }
    return largest != NULL ? json_incref(largest) : json_null();
}

static ts_status index_add(run_index *x, json_t *item)
{
    const json_t *reason = json_object_get(item, "reason");
    char row[24];
    int bad = 0;

    if (json_is_string(reason)) {
        snprintf(row, sizeof row, "%zu", json_array_size(x->ids));
        bad |= json_object_set_new(x->reasons, row, json_copy((json_t *)reason));
    }
    bad |= json_array_append(x->ids, json_object_get(item, "id"));
    bad |= json_array_append_new(
        x->ms, json_real(json_number_value(json_object_get(item, "ms"))));
    bad |= json_array_append_new(x->worst, largest_share(item, "worst"));
    bad |= json_array_append_new(x->used, largest_share(item, "used"));
    bad |= json_array_append_new(
        x->executions,
        json_integer(json_integer_value(json_object_get(item, "executions"))));
    if (bad)
        return no_memory();
    for (size_t i = 0; i < COLUMNS; i++)
        TS_TRY(add_text(x, i, json_object_get(item, columns[i])));
    return TS_OK;
}

static void drop_elements(json_t *item)
{
    static const char *const arrays[] = {"expected", "got", "error", "bound"};
    json_t *e;
    size_t i;

    json_array_foreach(json_object_get(item, "expect"), i, e)
    {
        for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
            if (json_is_array(json_object_get(e, arrays[k])))
                json_object_del(e, arrays[k]);
    }
}

static ts_status write_chunk(page *p, run_index *x, size_t run, buffer *chunk)
{
    const size_t number = json_array_size(x->chunks);
    char id[64];

    if (chunk->used == 0)
        return TS_OK;
    TS_TRY(append(chunk, "]", 1));
    snprintf(id, sizeof id, "c%zu.%zu", run, number);
    TS_TRY(write_element(p->out, id, chunk->bytes, chunk->used));
    chunk->used = 0;
    /* The page finds a row's chunk by where each chunk's rows end. */
    if (json_array_append_new(x->chunks,
                              json_integer((json_int_t)json_array_size(x->ids))) != 0)
        return no_memory();
    return TS_OK;
}

static ts_status add_case(page *p, run_index *x, json_t *item, buffer *chunk)
{
    const bool pass =
        strcmp(json_string_value(json_object_get(item, "verdict")), "PASS") == 0;
    const size_t flags = JSON_COMPACT | JSON_REAL_PRECISION(pass ? PASS_DIGITS : 17);

    TS_TRY(index_add(x, item));
    if (pass && p->passes++ >= DETAILED_PASSES)
        drop_elements(item);
    TS_TRY(append(chunk, chunk->used == 0 ? "[" : ",", 1));
    return json_dump_callback(item, append_dump, chunk, flags) == 0 ? TS_OK : no_memory();
}

static bool is_verdict(const json_t *value)
{
    for (size_t i = 0; json_is_string(value) && i < sizeof verdicts / sizeof *verdicts;
         i++)
        if (strcmp(json_string_value(value), verdicts[i]) == 0)
            return true;
    return false;
}

static ts_status parse_line(const html_run *run, size_t number, const char *line,
                            size_t n, json_t **item)
{
    json_error_t error;

    *item = json_loadb(line, n, JSON_REJECT_DUPLICATES, &error);
    TS_CHECK(*item != NULL, TS_ERR_VALUE, NULL, "%s:%zu:%d: %s", run->name, number,
             error.column > 0 ? error.column : 1, error.text);
    if (json_is_object(json_object_get(*item, "summary")) ||
        (json_is_string(json_object_get(*item, "id")) &&
         is_verdict(json_object_get(*item, "verdict"))))
        return TS_OK;
    json_decref(*item);
    *item = NULL;
    return ts_fail(
        TS_ERR_VALUE, NULL,
        "%s:%zu:1: neither a case (\"id\" and a known \"verdict\") nor a \"summary\"",
        run->name, number);
}

static ts_status read_run(page *p, run_index *x, const html_run *run, size_t number,
                          char **line, size_t *room, buffer *chunk)
{
    size_t lines = 0;
    ssize_t n;

    while ((n = getline(line, room, run->file)) >= 0) {
        json_t *item, *summary;
        ts_status status;

        lines++;
        if (n == 1 && **line == '\n')
            continue;
        TS_TRY(parse_line(run, lines, *line, (size_t)n, &item));
        summary = json_object_get(item, "summary");
        if (summary != NULL)
            status = json_object_set(x->root, "summary", summary) ? no_memory() : TS_OK;
        else
            status = add_case(p, x, item, chunk);
        json_decref(item);
        TS_TRY(status);
        if (json_array_size(x->ids) % CHUNK_CASES == 0 || chunk->used > CHUNK_BYTES)
            TS_TRY(write_chunk(p, x, number, chunk));
    }
    TS_CHECK(!ferror(run->file), TS_ERR_RUNTIME, NULL, "%s: %s", run->name,
             strerror(errno));
    TS_CHECK(lines > 0, TS_ERR_VALUE, NULL, "%s:1:1: no results in it", run->name);
    return write_chunk(p, x, number, chunk);
}

static ts_status write_run(page *p, const html_run *run, size_t number, const char *spec)
{
    run_index x;
    buffer chunk = {0}, index = {0};
    char *line = NULL, id[32];
    size_t room = 0;
    ts_status status = index_new(&x, run->name, spec);

    if (status == TS_OK)
        status = read_run(p, &x, run, number, &line, &room, &chunk);
    if (status == TS_OK &&
        json_dump_callback(x.root, append_dump, &index,
                           JSON_COMPACT | JSON_REAL_PRECISION(INDEX_DIGITS)) != 0)
        status = no_memory();
    if (status == TS_OK) {
        snprintf(id, sizeof id, "i%zu", number);
        status = write_element(p->out, id, index.bytes, index.used);
    }
    index_free(&x);
    free(chunk.bytes);
    free(index.bytes);
    free(line);
    return status;
}

/* {"pages": {page: {"title", "level", "rules": {"S1": text}}}} */
static json_t *rules_of_pages(void)
{
    json_t *pages = json_object(), *root = json_pack("{s:o}", "pages", pages);

    for (int i = 0; root && ts_page_at(i); i++) {
        const ts_page *p = ts_page_at(i);

        (void)json_object_set_new(
            pages, p->name,
            json_pack("{s:s, s:s, s:{}}", "title", p->title, "level", p->level, "rules"));
    }
    for (int i = 0; root && ts_rule_at(i); i++) {
        const ts_rule *r = ts_rule_at(i);
        json_t *page = json_object_get(json_object_get(pages, r->page), "rules");

        (void)json_object_set_new(page, r->label + strlen(r->page) + 1,
                                  json_string(r->text));
    }
    return root;
}

static ts_status write_rules(FILE *out)
{
    json_t *rules = rules_of_pages();
    char *text = rules ? json_dumps(rules, JSON_COMPACT) : NULL;
    ts_status s = text ? write_element(out, "rules", text, strlen(text)) : no_memory();

    free(text);
    json_decref(rules);
    return s;
}

ts_status html_write(const html_run *runs, size_t count, const char *spec, FILE *out)
{
    page p = {.out = out};

    TS_TRY(write_bytes(out, report_head, report_head_size));
    TS_TRY(write_rules(out));
    for (size_t i = 0; i < count; i++)
        TS_TRY(write_run(&p, &runs[i], i, spec));
    TS_TRY(write_bytes(out, report_tail, report_tail_size));
    TS_CHECK(fflush(out) == 0, TS_ERR_RUNTIME, NULL, "writing the HTML report: %s",
             strerror(errno));
    return TS_OK;
}

static ts_status open_and_write(html_run *runs, const char *const *paths, size_t count,
                                const char *spec, const char *name)
{
    tsi_place out;
    ts_status status;

    for (size_t i = 0; i < count; i++) {
        const char *slash = strrchr(paths[i], '/');

        runs[i].name = slash ? slash + 1 : paths[i];
        runs[i].file = fopen(paths[i], "r");
        TS_CHECK(runs[i].file != NULL, TS_ERR_RUNTIME, NULL, "%s: %s", paths[i],
                 strerror(errno));
    }
    TS_TRY(tsi_place_open(&out, name, false));
    status = html_write(runs, count, spec, out.f);
    if (status == TS_OK)
        return tsi_place_close(&out, true);
    (void)tsi_place_close(&out, false);
    return status;
}

ts_status html_write_files(const char *const *paths, size_t count, const char *spec,
                           const char *out)
{
    html_run *runs = calloc(count + 1, sizeof *runs);
    ts_status status;

    if (runs == NULL)
        return no_memory();
    status = open_and_write(runs, paths, count, spec, out);
    for (size_t i = 0; i < count; i++)
        if (runs[i].file != NULL)
            fclose(runs[i].file);
    free(runs);
    return status;
}

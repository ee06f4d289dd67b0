/* SPDX-License-Identifier: Apache-2.0 */
/* Files of cases: headers, programs, records; see spec/areas/case_language.md. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "names.h"

#define MAX_FILE ((size_t)64 << 20)
#define MAX_ID 200
#define MAX_CASES 1000000
#define FILE_POOL ((size_t)2 << 30)

static const char *const variant_names[TSI_VARIANT_COUNT] = {
    "base", "offset", "strided", "transposed", "expanded", "channels_last"};

const char *tsi_variant_name(tsi_variant v)
{
    return v < TSI_VARIANT_COUNT ? variant_names[v] : "unknown variant";
}

tsi_variant tsi_variant_from_name(const char *name)
{
    int v = 0;

    while (v < TSI_VARIANT_COUNT && strcmp(variant_names[v], name) != 0)
        v++;
    return (tsi_variant)v;
}

typedef struct reader {
    const char *file;
    tsi_pool *pool;
    tsi_names *names;
    tsi_cases *cases;
    tsi_case *list;
    int capacity;
    const char **ids; /* open addressing over all ids of the file */
    size_t ids_size;
    const char *at, *end; /* the line under way and the rest of the file */
    const char *line_end;
    int line;
} reader;

static ts_status fail(const reader *r, const char *label, const char *where,
                      const char *format, ...) TS_PRINTF(4, 5);

static ts_status fail(const reader *r, const char *label, const char *where,
                      const char *format, ...)
{
    char text[300];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return tsi_syntax_error(label, r->file, r->line, (int)(where - r->at) + 1, "%s",
                            text);
}

#define NO_MEMORY(r) \
    fail(r, "case_language/C8", (r)->at, "the file needs more memory than a file may")

/* --- lines -----------------------------------------------------------------------------
 */

/* The number of bytes of the UTF-8 character at s, or 0 when it is none. */
static int utf8(const char *s, const char *end)
{
    const unsigned char *u = (const unsigned char *)s;
    const ptrdiff_t left = end - s;
    uint32_t c;
    int n;

    if (u[0] < 0x80)
        return 1;
    if (u[0] >= 0xC2 && u[0] < 0xE0) {
        n = 2;
        c = u[0] & 0x1Fu;
    } else if (u[0] >= 0xE0 && u[0] < 0xF0) {
        n = 3;
        c = u[0] & 0x0Fu;
    } else if (u[0] >= 0xF0 && u[0] < 0xF5) {
        n = 4;
        c = u[0] & 0x07u;
    } else {
        return 0;
    }
    if (left < n)
        return 0;
    for (int i = 1; i < n; i++) {
        if ((u[i] & 0xC0) != 0x80)
            return 0;
        c = c << 6 | (u[i] & 0x3Fu);
    }
    if ((n == 3 && c < 0x800) || (n == 4 && c < 0x10000) || c > 0x10FFFF ||
        (c >= 0xD800 && c < 0xE000))
        return 0;
    return n;
}

/* Find the end of the line at r->at, and refuse what is no text. */
static ts_status measure(reader *r)
{
    const char *s = r->at;

    while (s < r->end && *s != '\n') {
        const unsigned char c = (unsigned char)*s;

        if (c == 0x7F || c < 0x20)
            return fail(r, "case_language/C1", s, "control character 0x%02x", c);
        if (c < 0x80) {
            s++;
            continue;
        }

        const int n = utf8(s, r->end);

        if (n == 0)
            return fail(r, "case_language/C1", s, "byte 0x%02x is not UTF-8", c);
        s += n;
    }
    r->line_end = s;
    return TS_OK;
}

static void advance(reader *r)
{
    r->at = r->line_end < r->end ? r->line_end + 1 : r->end;
    r->line++;
}

static bool starts(const reader *r, const char *prefix)
{
    const size_t n = strlen(prefix);

    return (size_t)(r->line_end - r->at) >= n && memcmp(r->at, prefix, n) == 0;
}

static bool blank(const reader *r)
{
    for (const char *s = r->at; s < r->line_end; s++)
        if (*s != ' ')
            return false;
    return true;
}

static void trim(const char **from, const char **to)
{
    while (*from < *to && **from == ' ')
        ++*from;
    while (*from < *to && (*to)[-1] == ' ')
        --*to;
}

/* --- ids
 * --------------------------------------------------------------------------------- */

static bool id_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (c != '\0' && strchr("_.+-", c) != NULL);
}

static bool is_id(const char *s, size_t n)
{
    int parts = 0;
    bool in_part = false;

    for (size_t i = 0; i < n; i++) {
        if (s[i] == '/') {
            if (!in_part)
                return false;
            in_part = false;
            continue;
        }
        if (!id_char(s[i]))
            return false;
        if (!in_part)
            parts++;
        in_part = true;
    }
    return in_part && parts >= 2 && n <= MAX_ID;
}

static uint32_t hash_of(const char *s)
{
    uint32_t h = 2166136261u;

    for (; *s != '\0'; s++)
        h = (h ^ (unsigned char)*s) * 16777619u;
    return h;
}

static const char **id_slot(const char **table, size_t size, const char *id)
{
    size_t i = hash_of(id) & (size - 1);

    while (table[i] != NULL && strcmp(table[i], id) != 0)
        i = (i + 1) & (size - 1);
    return &table[i];
}

static ts_status remember_id(reader *r, const char *where, const char *id)
{
    if (2 * (size_t)r->cases->count >= r->ids_size) {
        const size_t size = r->ids_size ? 2 * r->ids_size : 64;
        const char **table = tsi_pool_alloc(r->pool, size * sizeof *table);

        if (table == NULL)
            return NO_MEMORY(r);
        for (size_t i = 0; i < r->ids_size; i++)
            if (r->ids[i] != NULL)
                *id_slot(table, size, r->ids[i]) = r->ids[i];
        r->ids = table;
        r->ids_size = size;
    }

    const char **slot = id_slot(r->ids, r->ids_size, id);

    if (*slot != NULL)
        return fail(r, "case_language/C2", where, "case id '%s' stands twice", id);
    *slot = id;
    return TS_OK;
}

static ts_status start_case(reader *r, tsi_case **out)
{
    const char *from = r->at + 6, *to = r->line_end;

    trim(&from, &to);
    if (!is_id(from, (size_t)(to - from)))
        return fail(r, "case_language/C2", from,
                    "expected a case id like 'page/dtype/what', got '%.*s'",
                    (int)(to - from > 100 ? 100 : to - from), from);
    if (r->cases->count == r->capacity) {
        const int capacity = r->capacity ? 2 * r->capacity : 64;
        tsi_case *list = tsi_pool_grow(r->pool, r->list, (size_t)r->cases->count,
                                       (size_t)capacity, sizeof *list);

        if (list == NULL || capacity > 2 * MAX_CASES)
            return NO_MEMORY(r);
        r->list = list;
        r->capacity = capacity;
    }

    tsi_case *c = &r->list[r->cases->count];
    char *id = tsi_pool_strndup(r->pool, from, (size_t)(to - from));

    if (id == NULL)
        return NO_MEMORY(r);
    TS_TRY(remember_id(r, from, id));
    memset(c, 0, sizeof *c);
    c->id = id;
    c->page = tsi_intern(r->names, id, strcspn(id, "/"));
    c->file = r->file;
    c->line = r->line;
    c->provenance = "user";
    c->variants = 1u << TSI_BASE;
    c->ranks = 1;

    const char *second = strchr(id, '/') + 1;
    const char *dtype = tsi_intern(r->names, second, strcspn(second, "/"));

    if (c->page == NULL || dtype == NULL)
        return NO_MEMORY(r);
    c->dtype = ts_dtype_from_name(dtype);
    r->cases->count++;
    *out = c;
    return TS_OK;
}

/* --- headers
 * ------------------------------------------------------------------------------ */

typedef ts_status header_fn(reader *r, tsi_case *c, const char *from, const char *to);

static ts_status bad_value(const reader *r, const char *key, const char *from,
                           const char *to)
{
    return fail(r, "case_language/C2", from, "'%.*s' is no value for '%s'",
                (int)(to - from > 100 ? 100 : to - from), from, key);
}

/* Words of a value, interned: most stand in many cases. */
static ts_status words(reader *r, const char *from, const char *to,
                       const char *const **out, int *count)
{
    int n = 0;

    for (const char *s = from; s < to; s++)
        n += *s != ' ' && (s == from || s[-1] == ' ');

    const char **v = tsi_pool_alloc(r->pool, (size_t)(n + 1) * sizeof *v);

    if (v == NULL)
        return NO_MEMORY(r);
    *out = v;
    *count = n;
    for (int i = 0; i < n; i++) {
        const char *start;

        while (*from == ' ')
            from++;
        start = from;
        while (from < to && *from != ' ')
            from++;
        v[i] = tsi_intern(r->names, start, (size_t)(from - start));
        if (v[i] == NULL)
            return NO_MEMORY(r);
    }
    return TS_OK;
}

static bool is_label(const char *s)
{
    size_t n = strspn(s, "abcdefghijklmnopqrstuvwxyz0123456789_");

    if (n == 0 || s[n] != '/' || s[n + 1] == '\0' || strchr("SCG", s[n + 1]) == NULL)
        return false;
    s += n + 2;
    n = strspn(s, "0123456789");
    return n > 0 && n < 5 && s[0] != '0' && s[n] == '\0';
}

static ts_status rules_header(reader *r, tsi_case *c, const char *from, const char *to)
{
    TS_TRY(words(r, from, to, &c->rules, &c->nrules));
    for (int i = 0; i < c->nrules; i++)
        if (!is_label(c->rules[i]))
            return fail(r, "case_language/C2", from,
                        "expected rule labels like 'softmax/S1', got '%.100s'",
                        c->rules[i]);
    return TS_OK;
}

static ts_status needs_header(reader *r, tsi_case *c, const char *from, const char *to)
{
    TS_TRY(words(r, from, to, &c->needs, &c->nneeds));
    for (int i = 0; i < c->nneeds; i++)
        for (const char *s = c->needs[i]; *s != '\0'; s++)
            if (!id_char(*s) || *s == '-' || *s == '+')
                return bad_value(r, "needs", from, to);
    return TS_OK;
}

static ts_status provenance_header(reader *r, tsi_case *c, const char *from,
                                   const char *to)
{
    c->provenance = tsi_intern(r->names, from, (size_t)(to - from));
    if (c->provenance == NULL)
        return NO_MEMORY(r);
    if (strcmp(c->provenance, "documented") == 0 || strcmp(c->provenance, "user") == 0)
        return TS_OK;

    const char *version = strchr(c->provenance, '@');

    if (strncmp(c->provenance, "run-", 4) != 0 || version == NULL || version[1] == '\0' ||
        strchr(c->provenance, ' ') != NULL)
        return bad_value(r, "provenance", from, to);
    return TS_OK;
}

static ts_status variants_header(reader *r, tsi_case *c, const char *from, const char *to)
{
    const char *const *v;
    int n;

    TS_TRY(words(r, from, to, &v, &n));
    for (int i = 0; i < n; i++) {
        const tsi_variant variant = tsi_variant_from_name(v[i]);

        if (variant == TSI_VARIANT_COUNT)
            return fail(r, "case_language/C2", from, "unknown variant '%.100s'", v[i]);
        c->variants |= 1u << variant;
    }
    return TS_OK;
}

static ts_status trivial_header(reader *r, tsi_case *c, const char *from, const char *to)
{
    (void)r;
    (void)from;
    (void)to;
    c->trivial = true;
    return TS_OK;
}

/* A decimal number at the start of the value; *rest is what follows. */
static bool decimal(const char *from, const char *to, double *value, const char **rest)
{
    char text[32];
    char *end;

    if (to - from >= (ptrdiff_t)sizeof text || from == to || *from < '0' || *from > '9')
        return false;
    memcpy(text, from, (size_t)(to - from));
    text[to - from] = '\0';
    if (strspn(text, "0123456789.KMG") != (size_t)(to - from))
        return false;
    *value = strtod(text, &end);
    *rest = from + (end - text);
    return true;
}

static ts_status timeout_header(reader *r, tsi_case *c, const char *from, const char *to)
{
    const char *rest;

    if (!decimal(from, to, &c->timeout, &rest) || rest != to || c->timeout <= 0 ||
        c->timeout > 86400)
        return bad_value(r, "timeout", from, to);
    return TS_OK;
}

static ts_status memory_header(reader *r, tsi_case *c, const char *from, const char *to)
{
    const char *rest;
    double v;
    int shift = 0;

    if (!decimal(from, to, &v, &rest) || memchr(from, '.', (size_t)(to - from)) != NULL)
        return bad_value(r, "memory", from, to);
    if (rest < to)
        shift = *rest == 'K' ? 10 : *rest == 'M' ? 20 : *rest == 'G' ? 30 : -1;
    if (shift < 0 || to - rest > 1 || v < 1 || v > 1048576)
        return bad_value(r, "memory", from, to);
    c->memory = (int64_t)v << shift;
    return TS_OK;
}

static ts_status ranks_header(reader *r, tsi_case *c, const char *from, const char *to)
{
    const char *rest;
    double v;

    if (!decimal(from, to, &v, &rest) || rest != to || v < 1 || v > 64 || v != (int)v)
        return bad_value(r, "ranks", from, to);
    c->ranks = (int)v;
    return TS_OK;
}

static ts_status level_header(reader *r, tsi_case *c, const char *from, const char *to)
{
    if (to - from != 2 || from[0] != 'L' || from[1] < '1' || from[1] > '8')
        return bad_value(r, "level", from, to);
    c->level = tsi_intern(r->names, from, 2);
    return c->level != NULL ? TS_OK : NO_MEMORY(r);
}

static const struct {
    const char *key;
    header_fn *read;
} headers[] = {{"rules", rules_header},
               {"needs", needs_header},
               {"provenance", provenance_header},
               {"variants", variants_header},
               {"trivial", trivial_header},
               {"timeout", timeout_header},
               {"memory", memory_header},
               {"ranks", ranks_header},
               {"level", level_header}};

#define HEADERS (sizeof headers / sizeof headers[0])

/* `# key: value`; *is_header tells whether the line is one. */
static ts_status read_header(reader *r, tsi_case *c, unsigned *seen, bool *is_header)
{
    const char *key = r->at + 2, *colon = key;

    *is_header = false;
    if (!starts(r, "# "))
        return TS_OK;
    while (colon < r->line_end && *colon >= 'a' && *colon <= 'z')
        colon++;
    if (colon == key || colon >= r->line_end || *colon != ':' ||
        (colon + 1 < r->line_end && colon[1] != ' '))
        return TS_OK;
    *is_header = true;
    for (size_t i = 0; i < HEADERS; i++) {
        const char *from = colon + 1, *to = r->line_end;

        if (strlen(headers[i].key) != (size_t)(colon - key) ||
            memcmp(headers[i].key, key, (size_t)(colon - key)) != 0)
            continue;
        if (*seen & 1u << i)
            return fail(r, "case_language/C2", key, "header key '%s' stands twice",
                        headers[i].key);
        *seen |= 1u << i;
        trim(&from, &to);
        if (from == to)
            return bad_value(r, headers[i].key, from, to);
        return headers[i].read(r, c, from, to);
    }
    return fail(r, "case_language/C2", key, "unknown header key '%.*s'",
                (int)(colon - key > 40 ? 40 : colon - key), key);
}

/* --- records
 * ------------------------------------------------------------------------------- */

static const char *const classes[] = {"bound", "exact",     "error",   "view",
                                      "copy",  "same",      "strides", "value",
                                      "any",   "untouched", "warns"};

static bool is_int_list(const json_t *v)
{
    if (!json_is_array(v) || json_array_size(v) > TS_MAX_DIMS)
        return false;
    for (size_t i = 0; i < json_array_size(v); i++)
        if (!json_is_integer(json_array_get(v, i)))
            return false;
    return true;
}

static ts_status check_record(const reader *r, const char *where, const json_t *o,
                              tsi_record *rec)
{
    const json_t *v;
    size_t i = 0;

    if (!json_is_object(o))
        return fail(r, "case_language/C4", where, "expected a record, a JSON object");
    rec->name = json_string_value(json_object_get(o, "name"));
    rec->class_ = json_string_value(json_object_get(o, "class"));
    if (rec->name == NULL || *rec->name == '\0')
        return fail(r, "case_language/C4", where, "expected a record with a 'name'");
    while (rec->class_ != NULL && i < sizeof classes / sizeof classes[0] &&
           strcmp(classes[i], rec->class_) != 0)
        i++;
    if (rec->class_ == NULL || i == sizeof classes / sizeof classes[0])
        return fail(r, "case_language/C4", where, "record '%.60s': unknown class '%.60s'",
                    rec->name, rec->class_ != NULL ? rec->class_ : "");
    rec->variant = TSI_BASE;
    if ((v = json_object_get(o, "variant")) != NULL) {
        rec->variant = json_is_string(v) ? tsi_variant_from_name(json_string_value(v))
                                         : TSI_VARIANT_COUNT;
        if (rec->variant == TSI_VARIANT_COUNT)
            return fail(r, "case_language/C4", where, "record '%.60s': unknown variant",
                        rec->name);
    }
    if ((v = json_object_get(o, "dtype")) != NULL &&
        (!json_is_string(v) || ts_dtype_from_name(json_string_value(v)) == TS_DTYPE_NONE))
        return fail(r, "case_language/C4", where, "record '%.60s': unknown dtype",
                    rec->name);
    if ((v = json_object_get(o, "shape")) != NULL && !is_int_list(v))
        return fail(r, "case_language/C4", where,
                    "record '%.60s': 'shape' is no list of integers", rec->name);
    if ((v = json_object_get(o, "strides")) != NULL && !is_int_list(v))
        return fail(r, "case_language/C4", where,
                    "record '%.60s': 'strides' is no list of integers", rec->name);
    if ((v = json_object_get(o, "at")) != NULL &&
        (!json_is_integer(v) || json_integer_value(v) < 0))
        return fail(r, "case_language/C4", where, "record '%.60s': 'at' is no index",
                    rec->name);
    if ((v = json_object_get(o, "error")) != NULL &&
        (!json_is_string(v) ||
         ts_status_from_name(json_string_value(v)) == TS_STATUS_COUNT))
        return fail(r, "case_language/C4", where, "record '%.60s': unknown error class",
                    rec->name);
    return TS_OK;
}

static ts_status read_record(reader *r, tsi_case *c, int *capacity)
{
    const char *from = r->at + 2, *to = r->line_end;
    tsi_record *list = (tsi_record *)(uintptr_t)c->records, *rec;
    json_error_t e;
    json_t *o;
    ts_status s;

    trim(&from, &to);
    if (c->nrecords == *capacity) {
        *capacity = *capacity ? 2 * *capacity : 4;
        list = tsi_pool_grow(r->pool, list, (size_t)c->nrecords, (size_t)*capacity,
                             sizeof *list);
        if (list == NULL)
            return NO_MEMORY(r);
        c->records = list;
    }
    o = json_loadb(from, (size_t)(to - from), JSON_REJECT_DUPLICATES, &e);
    if (o == NULL)
        return fail(r, "case_language/C4", from + (e.position > 0 ? e.position - 1 : 0),
                    "record is not JSON: %s", e.text);
    rec = &list[c->nrecords];
    *rec = (tsi_record){.line = r->line, .json = o};
    s = check_record(r, from, o, rec);
    for (int i = 0; s == TS_OK && i < c->nrecords; i++)
        if (list[i].variant == rec->variant && strcmp(list[i].name, rec->name) == 0)
            s = fail(r, "case_language/C4", from,
                     "record '%.60s' stands twice for variant '%s'", rec->name,
                     tsi_variant_name(rec->variant));
    if (s != TS_OK)
        json_decref(o);
    else
        c->nrecords++;
    return s;
}

const tsi_record *tsi_record_find(const tsi_case *c, const char *name,
                                  tsi_variant variant)
{
    const tsi_record *base = NULL;

    for (int i = 0; i < c->nrecords; i++) {
        if (strcmp(c->records[i].name, name) != 0)
            continue;
        if (c->records[i].variant == variant)
            return &c->records[i];
        if (c->records[i].variant == TSI_BASE)
            base = &c->records[i];
    }
    return base;
}

/* --- a whole file
 * ---------------------------------------------------------------------------- */

static bool hex64(const char *s, const char *end)
{
    if (end - s != 64)
        return false;
    for (; s < end; s++)
        if ((*s < '0' || *s > '9') && (*s < 'a' || *s > 'f'))
            return false;
    return true;
}

/* The lines before the first case: "# data: softmax.safetensors sha256:…", comments. */
static ts_status file_line(reader *r)
{
    if (blank(r))
        return TS_OK;
    if (*r->at != '#')
        return fail(r, "case_language/C1", r->at,
                    "expected '# case <id>' before any program");
    if (starts(r, "# touchstone cases ")) {
        if (r->line_end - r->at != 20 || r->at[19] != '1')
            return fail(r, "case_language/C1", r->at + 19,
                        "this program reads version 1 of case files");
        return TS_OK;
    }
    if (!starts(r, "# data:"))
        return TS_OK;

    const char *from = r->at + 7, *to = r->line_end, *space;

    trim(&from, &to);
    space = memchr(from, ' ', (size_t)(to - from));
    if (r->cases->data_file != NULL || space == NULL || space == from ||
        to - space != 72 || memcmp(space, " sha256:", 8) != 0 || !hex64(space + 8, to))
        return fail(r, "case_language/C1", from,
                    "expected one '# data: <file> sha256:<64 hex digits>'");
    if (memchr(from, '/', (size_t)(space - from)) != NULL || *from == '.')
        return fail(r, "case_language/C1", from, "a data file lies beside its case file");
    r->cases->data_file = tsi_pool_strndup(r->pool, from, (size_t)(space - from));
    r->cases->data_sha256 = tsi_pool_strndup(r->pool, space + 8, 64);
    return r->cases->data_file != NULL && r->cases->data_sha256 != NULL ? TS_OK
                                                                        : NO_MEMORY(r);
}

static ts_status finish_program(reader *r, tsi_case *c, const char *from, const char *to)
{
    tsi_source source = {.file = r->file, .line = c->program_line};
    tsi_program *ast = NULL;
    char *text;

    if (from == NULL)
        return tsi_syntax_error("case_language/C2", r->file, c->line, 1,
                                "case '%s' has no program", c->id);
    if ((size_t)(to - from) > TSI_MAX_PROGRAM)
        return tsi_syntax_error("case_language/C8", r->file, c->program_line, 1,
                                "program longer than %zu bytes", TSI_MAX_PROGRAM);
    text = tsi_pool_strndup(r->pool, from, (size_t)(to - from));
    if (text == NULL)
        return NO_MEMORY(r);
    c->program = text;
    source.text = text;
    source.end = text + (to - from);
    TS_TRY(tsi_parse(r->pool, r->names, &source, &ast, &c->ops, &c->nops));
    c->ast = ast;
    return TS_OK;
}

static ts_status read_case(reader *r)
{
    const char *from = NULL, *to = NULL; /* the program's lines */
    int capacity = 0;
    unsigned seen = 0;
    bool header = true;
    tsi_case *c = NULL;

    TS_TRY(start_case(r, &c));
    for (advance(r); r->at < r->end; advance(r)) {
        TS_TRY(measure(r));
        if (starts(r, "# case ") || (starts(r, "# case") && r->line_end - r->at == 6))
            break;
        if (header)
            TS_TRY(read_header(r, c, &seen, &header));
        if (header)
            continue;
        if (starts(r, "#=")) {
            TS_TRY(read_record(r, c, &capacity));
            continue;
        }
        if (blank(r) || *r->at == '#')
            continue;
        if (c->nrecords > 0)
            return fail(r, "case_language/C4", r->at,
                        "program text after the case's records");
        if (from == NULL) {
            from = r->at;
            c->program_line = r->line;
        }
        to = r->line_end < r->end ? r->line_end + 1 : r->end;
    }
    return finish_program(r, c, from, to);
}

static ts_status read_all(reader *r)
{
    while (r->at < r->end) {
        TS_TRY(measure(r));
        if (starts(r, "# case ") || (starts(r, "# case") && r->line_end - r->at == 6)) {
            TS_TRY(read_case(r));
        } else {
            TS_TRY(file_line(r));
            advance(r);
        }
    }
    return TS_OK;
}

ts_status tsi_cases_parse(const char *file, const char *text, size_t size,
                          tsi_cases **out)
{
    reader r = {.at = text, .end = text + size, .line = 1};
    ts_status s;

    if (size > MAX_FILE)
        return tsi_syntax_error("case_language/C8", file, 1, 1,
                                "file larger than %zu bytes", MAX_FILE);
    r.pool = tsi_pool_new(FILE_POOL);
    TS_CHECK(r.pool != NULL, TS_ERR_OUT_OF_MEMORY, "case_language/C8",
             "%s: no memory for the file", file);
    r.names = tsi_names_new(r.pool);
    r.cases = tsi_pool_alloc(r.pool, sizeof *r.cases);
    r.file = tsi_pool_strndup(r.pool, file, strlen(file));
    if (r.names == NULL || r.cases == NULL || r.file == NULL) {
        tsi_pool_free(r.pool);
        return ts_fail(TS_ERR_OUT_OF_MEMORY, "case_language/C8",
                       "%s: no memory for the file", file);
    }
    r.cases->file = r.file;
    r.cases->pool = r.pool;
    s = read_all(&r);
    r.cases->cases = r.list;
    if (s != TS_OK) {
        tsi_cases_free(r.cases);
        return s;
    }
    *out = r.cases;
    return TS_OK;
}

void tsi_cases_free(tsi_cases *cases)
{
    if (cases == NULL)
        return;
    for (int i = 0; i < cases->count; i++)
        for (int k = 0; k < cases->cases[i].nrecords; k++)
            json_decref(cases->cases[i].records[k].json);
    tsi_pool_free(cases->pool);
}

ts_status tsi_cases_read(const char *path, tsi_cases **out)
{
    FILE *f = fopen(path, "rb");
    size_t n = 0, capacity = (size_t)1 << 16;
    char *text = NULL, *more;
    ts_status s;

    TS_CHECK(f != NULL, TS_ERR_RUNTIME, "case_language/C1", "%s: cannot be read: %s",
             path, strerror(errno));
    do {
        capacity *= 2;
        more = realloc(text, capacity);
        if (more == NULL)
            break;
        text = more;
        n += fread(text + n, 1, capacity - n, f);
    } while (n == capacity && n <= MAX_FILE);
    if (more == NULL)
        s = ts_fail(TS_ERR_OUT_OF_MEMORY, "case_language/C8",
                    "%s: no memory for the file", path);
    else if (ferror(f))
        s = ts_fail(TS_ERR_RUNTIME, "case_language/C1", "%s: cannot be read", path);
    else
        s = tsi_cases_parse(path, text, n, out);
    free(text);
    fclose(f);
    return s;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Files of cases: a quick walk over their heads, and each case's program and records when
 * they are asked for; see spec/areas/case_language.md. */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cases.h"

#define MAX_FILE ((size_t)64 << 20)
#define MAX_ID 200
#define MAX_CASES 1000000
#define USUAL_CASE 300 /* bytes that most cases take at least */
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

ts_status tsi_reader_fail(const tsi_reader *r, const char *label, const char *where,
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

/* Past characters of plain text, eight at a time; most of a file is nothing else. */
static const char *skip_plain(const char *s, const char *end)
{
    const uint64_t ones = 0x0101010101010101u;
    uint64_t w;

    for (; end - s >= 8; s += 8) {
        memcpy(&w, s, 8);
        if (((w - 0x20 * ones) | w | (w + ones)) & 0x80 * ones)
            break; /* one below 0x20, or above 0x7E */
    }
    return s;
}

ts_status tsi_reader_measure(tsi_reader *r)
{
    const char *s = skip_plain(r->at, r->end);

    while (s < r->end && *s != '\n') {
        const unsigned char c = (unsigned char)*s;

        if (c >= 0x20 && c < 0x7F) {
            s++;
            continue;
        }
        if (c < 0x80)
            return tsi_reader_fail(r, "case_language/C1", s, "control character 0x%02x",
                                   c);

        const int n = utf8(s, r->end);

        if (n == 0)
            return tsi_reader_fail(r, "case_language/C1", s, "byte 0x%02x is not UTF-8",
                                   c);
        s += n;
    }
    r->line_end = s;
    return TS_OK;
}

void tsi_reader_advance(tsi_reader *r)
{
    r->at = r->line_end < r->end ? r->line_end + 1 : r->end;
    r->line++;
}

bool tsi_reader_starts(const tsi_reader *r, const char *prefix)
{
    const size_t n = strlen(prefix);

    return (size_t)(r->line_end - r->at) >= n && memcmp(r->at, prefix, n) == 0;
}

static bool blank(const tsi_reader *r)
{
    for (const char *s = r->at; s < r->line_end; s++)
        if (*s != ' ')
            return false;
    return true;
}

void tsi_reader_trim(const char **from, const char **to)
{
    while (*from < *to && **from == ' ')
        ++*from;
    while (*from < *to && (*to)[-1] == ' ')
        --*to;
}

/* --- ids
 * --------------------------------------------------------------------------------- */

bool tsi_id_char(char c)
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
        if (!tsi_id_char(s[i]))
            return false;
        if (!in_part)
            parts++;
        in_part = true;
    }
    return in_part && parts >= 2 && n <= MAX_ID;
}

typedef struct walker {
    tsi_reader r;
    tsi_cases *cases;
    int capacity;
    const char *dtype_name; /* of the case before; most have the same */
    ts_dtype dtype;
    const char **ids; /* open addressing over all ids of the file */
    size_t ids_size;
    tsi_case defaults; /* what the file's head says of all cases */
    unsigned seen;     /* the keys that it says it with */
    bool versioned;
    bool whole; /* programs and records are read at once */
} walker;

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

static ts_status remember_id(walker *w, const char *where, const char *id)
{
    if (2 * (size_t)w->cases->count >= w->ids_size) {
        size_t size = 64;

        while (size <= 2 * (size_t)w->capacity)
            size *= 2;

        const char **table = tsi_pool_alloc(w->r.pool, size * sizeof *table);

        if (table == NULL)
            return TSI_NO_MEMORY(&w->r);
        for (size_t i = 0; i < w->ids_size; i++)
            if (w->ids[i] != NULL)
                *id_slot(table, size, w->ids[i]) = w->ids[i];
        w->ids = table;
        w->ids_size = size;
    }

    const char **slot = id_slot(w->ids, w->ids_size, id);

    if (*slot != NULL)
        return tsi_reader_fail(&w->r, "case_language/C2", where,
                               "case id '%s' stands twice", id);
    *slot = id;
    return TS_OK;
}

static ts_status start_case(walker *w, tsi_case **out)
{
    const char *from = w->r.at + 6, *to = w->r.line_end;

    tsi_reader_trim(&from, &to);
    if (!is_id(from, (size_t)(to - from)))
        return tsi_reader_fail(&w->r, "case_language/C2", from,
                               "expected a case id like 'page/dtype/what', got '%.*s'",
                               (int)(to - from > 100 ? 100 : to - from), from);
    if (w->cases->count == w->capacity) {
        const int capacity =
            w->capacity ? 2 * w->capacity : 16 + (int)((w->r.end - w->r.at) / USUAL_CASE);
        tsi_case *list =
            tsi_pool_grow(w->r.pool, w->cases->cases, (size_t)w->cases->count,
                          (size_t)capacity, sizeof *list);

        if (list == NULL || capacity > 2 * MAX_CASES)
            return TSI_NO_MEMORY(&w->r);
        w->cases->cases = list;
        w->capacity = capacity;
    }

    tsi_case *c = &w->cases->cases[w->cases->count];
    char *id = tsi_pool_strndup(w->r.pool, from, (size_t)(to - from));

    if (id == NULL)
        return TSI_NO_MEMORY(&w->r);
    TS_TRY(remember_id(w, from, id));
    *c = w->defaults;
    c->id = id;
    c->page = tsi_intern(w->r.names, id, strcspn(id, "/"));
    c->file = w->r.file;
    c->line = w->r.line;

    const char *second = strchr(id, '/') + 1;
    const char *dtype = tsi_intern(w->r.names, second, strcspn(second, "/"));

    if (c->page == NULL || dtype == NULL)
        return TSI_NO_MEMORY(&w->r);
    if (dtype != w->dtype_name) {
        w->dtype_name = dtype;
        w->dtype = ts_dtype_from_name(dtype);
    }
    c->dtype = w->dtype;
    w->cases->count++;
    *out = c;
    return TS_OK;
}

/* --- one case -------------------------------------------------------------------------- */

static bool starts_case(const tsi_reader *r)
{
    return *r->at == '#' && tsi_reader_starts(r, "# case") &&
           (r->line_end - r->at == 6 || r->at[6] == ' ');
}

static ts_status finish_program(tsi_reader *r, tsi_case *c, const char *from,
                                const char *to)
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
        return TSI_NO_MEMORY(r);
    c->program = text;
    source.text = text;
    source.end = text + (to - from);
    TS_TRY(tsi_parse(r->pool, r->names, &source, &ast, &c->ops, &c->nops));
    c->ast = ast;
    return TS_OK;
}

/* The lines after the headers: a program, then records. */
static ts_status read_body(tsi_reader *r, tsi_case *c, tsi_record_list *records)
{
    const char *from = NULL, *to = NULL; /* the program's lines */

    for (; r->at < r->end; tsi_reader_advance(r)) {
        TS_TRY(tsi_reader_measure(r));
        if (tsi_reader_starts(r, "#=") || tsi_reader_starts(r, "#+")) {
            TS_TRY(tsi_read_record(r, c, records));
            continue;
        }
        if (blank(r) || *r->at == '#')
            continue;
        if (records->count > 0)
            return tsi_reader_fail(r, "case_language/C4", r->at,
                                   "program text after the case's records");
        if (from == NULL) {
            from = r->at;
            c->program_line = r->line;
        }
        to = r->line_end < r->end ? r->line_end + 1 : r->end;
    }
    return finish_program(r, c, from, to);
}

ts_status tsi_case_ready(tsi_cases *cases, int i)
{
    tsi_case *c = &cases->cases[i];
    tsi_reader r = {.file = cases->file,
                    .pool = cases->pool,
                    .names = cases->names,
                    .at = c->body,
                    .end = c->end,
                    .line = c->body_line};
    tsi_record_list records;
    ts_status s;

    if (c->ast != NULL)
        return TS_OK;
    tsi_record_list_start(&records);
    s = read_body(&r, c, &records);
    c->records = records.items; /* also those before a mistake: their values are freed */
    c->nrecords = records.count;
    return s;
}

/* To the next case. Nothing but the start of lines is looked at. */
static void skip_body(tsi_reader *r)
{
    while (r->at < r->end) {
        const char *stop = memchr(r->at, '\n', (size_t)(r->end - r->at));

        r->line_end = stop != NULL ? stop : r->end;
        if (starts_case(r))
            return;
        tsi_reader_advance(r);
    }
}

static ts_status read_case(walker *w)
{
    tsi_reader *r = &w->r;
    unsigned seen = 0;
    bool header = true;
    tsi_case *c = NULL;

    TS_TRY(start_case(w, &c));
    for (tsi_reader_advance(r); r->at < r->end && *r->at == '#'; tsi_reader_advance(r)) {
        TS_TRY(tsi_reader_measure(r));
        if (starts_case(r))
            break;
        TS_TRY(tsi_read_header(r, c, &seen, &header));
        if (!header)
            break;
    }
    c->body = r->at;
    c->body_line = r->line;
    skip_body(r);
    c->end = r->at;
    return w->whole ? tsi_case_ready(w->cases, w->cases->count - 1) : TS_OK;
}

/* --- a whole file ---------------------------------------------------------------------- */

static bool hex64(const char *s, const char *end)
{
    if (end - s != 64)
        return false;
    for (; s < end; s++)
        if ((*s < '0' || *s > '9') && (*s < 'a' || *s > 'f'))
            return false;
    return true;
}

/* "softmax.safetensors sha256:…" */
static ts_status data_line(walker *w)
{
    const char *from = w->r.at + 7, *to = w->r.line_end, *space;
    tsi_cases *cases = w->cases;

    tsi_reader_trim(&from, &to);
    space = memchr(from, ' ', (size_t)(to - from));
    if (cases->data_file != NULL || space == NULL || space == from || to - space != 72 ||
        memcmp(space, " sha256:", 8) != 0 || !hex64(space + 8, to))
        return tsi_reader_fail(&w->r, "case_language/C1", from,
                               "expected one '# data: <file> sha256:<64 hex digits>'");
    if (memchr(from, '/', (size_t)(space - from)) != NULL || *from == '.')
        return tsi_reader_fail(&w->r, "case_language/C1", from,
                               "a data file lies beside its case file");
    cases->data_file = tsi_pool_strndup(w->r.pool, from, (size_t)(space - from));
    cases->data_sha256 = tsi_pool_strndup(w->r.pool, space + 8, 64);
    return cases->data_file != NULL && cases->data_sha256 != NULL ? TS_OK
                                                                  : TSI_NO_MEMORY(&w->r);
}

/* "sha256:…" of all that follows the line */
static ts_status text_line(walker *w)
{
    const char *from = w->r.at + 7, *to = w->r.line_end;

    tsi_reader_trim(&from, &to);
    if (w->cases->text_sha256 != NULL || to - from != 71 ||
        memcmp(from, "sha256:", 7) != 0 || !hex64(from + 7, to))
        return tsi_reader_fail(&w->r, "case_language/C1", from,
                               "expected one '# text: sha256:<64 hex digits>'");
    w->cases->text_sha256 = tsi_pool_strndup(w->r.pool, from + 7, 64);
    w->cases->hashed = to < w->r.end ? w->r.line_end + 1 : w->r.end;
    return w->cases->text_sha256 != NULL ? TS_OK : TSI_NO_MEMORY(&w->r);
}

/* "torch 2.15.0, …": the version alone is ours to know. */
static ts_status made_line(walker *w)
{
    const char *from = w->r.at + 7, *to = w->r.line_end, *stop;

    tsi_reader_trim(&from, &to);
    if (to - from < 7 || memcmp(from, "torch ", 6) != 0)
        return tsi_reader_fail(&w->r, "case_language/C1", from,
                               "expected '# made: torch <version>, …'");
    from += 6;
    stop = memchr(from, ',', (size_t)(to - from));
    w->cases->torch =
        tsi_pool_strndup(w->r.pool, from, (size_t)((stop != NULL ? stop : to) - from));
    return w->cases->torch != NULL ? TS_OK : TSI_NO_MEMORY(&w->r);
}

/* The lines before the first case. */
static ts_status file_line(walker *w)
{
    const tsi_reader *r = &w->r;

    if (blank(r))
        return TS_OK;
    if (*r->at != '#')
        return tsi_reader_fail(r, "case_language/C1", r->at,
                               "expected '# case <id>' before any program");
    if (tsi_reader_starts(r, "# touchstone cases ")) {
        if (r->line_end - r->at != 20 || r->at[19] != '2')
            return tsi_reader_fail(r, "case_language/C1", r->at + 19,
                                   "this program reads version 2 of case files");
        w->versioned = true;
        return TS_OK;
    }
    if (tsi_reader_starts(r, "# data:"))
        return data_line(w);
    if (!w->versioned)
        return TS_OK;
    if (tsi_reader_starts(r, "# text:"))
        return text_line(w);
    if (tsi_reader_starts(r, "# made:"))
        return made_line(w);
    return tsi_read_default(&w->r, &w->defaults, &w->seen);
}

static ts_status read_all(walker *w)
{
    while (w->r.at < w->r.end) {
        if (w->cases->count == 0) /* after a case, its reader has been here */
            TS_TRY(tsi_reader_measure(&w->r));
        if (starts_case(&w->r)) {
            TS_TRY(tsi_reader_measure(&w->r));
            TS_TRY(read_case(w));
        } else {
            TS_TRY(file_line(w));
            tsi_reader_advance(&w->r);
        }
    }
    return TS_OK;
}

/* With `text` for as long as it lives, unless `whole`. */
static ts_status walk(const char *file, const char *text, size_t size, bool whole,
                      tsi_cases **out)
{
    walker w = {
        .r = {.at = text, .end = text + size, .line = 1},
        .defaults = {.provenance = "user", .variants = 1u << TSI_BASE, .ranks = 1},
        .whole = whole};
    ts_status s;

    if (size > MAX_FILE)
        return tsi_syntax_error("case_language/C8", file, 1, 1,
                                "file larger than %zu bytes", MAX_FILE);
    w.r.pool = tsi_pool_new(FILE_POOL);
    TS_CHECK(w.r.pool != NULL, TS_ERR_OUT_OF_MEMORY, "case_language/C8",
             "%s: no memory for the file", file);
    w.r.names = tsi_names_new(w.r.pool);
    w.cases = tsi_pool_alloc(w.r.pool, sizeof *w.cases);
    w.r.file = tsi_pool_strndup(w.r.pool, file, strlen(file));
    if (w.r.names == NULL || w.cases == NULL || w.r.file == NULL) {
        tsi_pool_free(w.r.pool);
        return ts_fail(TS_ERR_OUT_OF_MEMORY, "case_language/C8",
                       "%s: no memory for the file", file);
    }
    w.cases->file = w.r.file;
    w.cases->pool = w.r.pool;
    w.cases->names = w.r.names;
    w.cases->text_end = text + size;
    s = read_all(&w);
    if (s != TS_OK) {
        tsi_cases_free(w.cases);
        return s;
    }
    *out = w.cases;
    return TS_OK;
}

ts_status tsi_cases_parse(const char *file, const char *text, size_t size,
                          tsi_cases **out)
{
    return walk(file, text, size, true, out);
}

/* What is no plain file, a pipe say, up to more than a file may have; caller frees. */
static char *read_stream(int fd, size_t *size)
{
    size_t n = 0, capacity = (size_t)1 << 16;
    char *text = NULL, *more;
    ssize_t got;

    do {
        capacity *= 2;
        more = realloc(text, capacity);
        if (more == NULL)
            break;
        text = more;
        while ((got = read(fd, text + n, capacity - n)) > 0)
            n += (size_t)got;
    } while (got == 0 && n == capacity && n <= MAX_FILE);
    if (more == NULL || got < 0) {
        free(text);
        return NULL;
    }
    *size = n;
    return text;
}

/* The text of a file; *mapped: its pages are the file's own. NULL: errno says why. */
static char *open_text(const char *path, size_t *size, bool *mapped)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    char *text = NULL;
    struct stat st;

    if (fd < 0)
        return NULL;
    *mapped = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0;
    if (*mapped) {
        *size = (size_t)st.st_size;
        text = mmap(NULL, *size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, fd, 0);
        text = text != MAP_FAILED ? text : NULL;
    } else {
        text = read_stream(fd, size);
    }

    const int why = errno;

    close(fd);
    errno = why;
    return text;
}

static void close_text(char *text, size_t size, bool mapped)
{
    if (mapped)
        munmap(text, size);
    else
        free(text);
}

ts_status tsi_cases_open(const char *path, bool whole, tsi_cases **out)
{
    size_t size = 0;
    bool mapped = false;
    char *text = open_text(path, &size, &mapped);
    ts_status s;

    TS_CHECK(text != NULL, TS_ERR_RUNTIME, "case_language/C1", "%s: cannot be read: %s",
             path, strerror(errno));
    s = walk(path, text, size, whole, out);
    if (s != TS_OK) {
        close_text(text, size, mapped);
        return s;
    }
    (*out)->text = text;
    (*out)->text_size = size;
    (*out)->mapped = mapped;
    return TS_OK;
}

void tsi_cases_free(tsi_cases *cases)
{
    if (cases == NULL)
        return;
    for (int i = 0; i < cases->count; i++)
        for (int k = 0; k < cases->cases[i].nrecords; k++)
            json_decref(cases->cases[i].records[k].value);
    if (cases->text != NULL)
        close_text(cases->text, cases->text_size, cases->mapped);
    tsi_pool_free(cases->pool);
}

bool tsi_case_needs(const tsi_case *c, const char *what)
{
    for (int i = 0; i < c->nneeds; i++)
        if (strcmp(c->needs[i], what) == 0)
            return true;
    return c->ast != NULL && c->ast->uses_accel && strcmp(what, "accel") == 0;
}

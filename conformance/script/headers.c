/* SPDX-License-Identifier: Apache-2.0 */
/* The header lines of a case; see spec/areas/case_language.md. */
#include <stdlib.h>
#include <string.h>

#include "cases.h"

typedef ts_status header_fn(tsi_reader *r, tsi_case *c, const char *from, const char *to);

static ts_status bad_value(const tsi_reader *r, const char *key, const char *from,
                           const char *to)
{
    return tsi_reader_fail(r, "case_language/C2", from, "'%.*s' is no value for '%s'",
                           (int)(to - from > 100 ? 100 : to - from), from, key);
}

/* Words of a value, interned: most stand in many cases. */
static ts_status words(tsi_reader *r, const char *from, const char *to,
                       const char *const **out, int *count)
{
    int n = 0;

    for (const char *s = from; s < to; s++)
        n += *s != ' ' && (s == from || s[-1] == ' ');

    const char **v = tsi_pool_alloc(r->pool, (size_t)(n + 1) * sizeof *v);

    if (v == NULL)
        return TSI_NO_MEMORY(r);
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
            return TSI_NO_MEMORY(r);
    }
    return TS_OK;
}

static bool is_label(const char *s)
{
    const char *from = s;

    while ((*s >= 'a' && *s <= 'z') || (*s >= '0' && *s <= '9') || *s == '_')
        s++;
    if (s == from || s[0] != '/' || (s[1] != 'S' && s[1] != 'C' && s[1] != 'G'))
        return false;
    s += 2;
    from = s;
    while (*s >= '0' && *s <= '9')
        s++;
    return s > from && s - from < 5 && *from != '0' && *s == '\0';
}

static ts_status rules_header(tsi_reader *r, tsi_case *c, const char *from,
                              const char *to)
{
    TS_TRY(words(r, from, to, &c->rules, &c->nrules));
    for (int i = 0; i < c->nrules; i++)
        if (!is_label(c->rules[i]))
            return tsi_reader_fail(r, "case_language/C2", from,
                                   "expected rule labels like 'softmax/S1', got '%.100s'",
                                   c->rules[i]);
    return TS_OK;
}

static ts_status needs_header(tsi_reader *r, tsi_case *c, const char *from,
                              const char *to)
{
    TS_TRY(words(r, from, to, &c->needs, &c->nneeds));
    for (int i = 0; i < c->nneeds; i++)
        for (const char *s = c->needs[i]; *s != '\0'; s++)
            if (!tsi_id_char(*s) || *s == '-' || *s == '+')
                return bad_value(r, "needs", from, to);
    return TS_OK;
}

static ts_status provenance_header(tsi_reader *r, tsi_case *c, const char *from,
                                   const char *to)
{
    c->provenance = tsi_intern(r->names, from, (size_t)(to - from));
    if (c->provenance == NULL)
        return TSI_NO_MEMORY(r);
    if (strcmp(c->provenance, "documented") == 0 || strcmp(c->provenance, "user") == 0)
        return TS_OK;

    const char *version = strchr(c->provenance, '@');

    if (strncmp(c->provenance, "run-", 4) != 0 || version == NULL || version[1] == '\0' ||
        strchr(c->provenance, ' ') != NULL)
        return bad_value(r, "provenance", from, to);
    return TS_OK;
}

static ts_status variants_header(tsi_reader *r, tsi_case *c, const char *from,
                                 const char *to)
{
    const char *const *v;
    int n;

    TS_TRY(words(r, from, to, &v, &n));
    c->variants = 1u << TSI_BASE;
    for (int i = 0; i < n; i++) {
        const tsi_variant variant = tsi_variant_from_name(v[i]);

        if (variant == TSI_VARIANT_COUNT)
            return tsi_reader_fail(r, "case_language/C2", from,
                                   "unknown variant '%.100s'", v[i]);
        c->variants |= 1u << variant;
    }
    return TS_OK;
}

static ts_status trivial_header(tsi_reader *r, tsi_case *c, const char *from,
                                const char *to)
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

static ts_status timeout_header(tsi_reader *r, tsi_case *c, const char *from,
                                const char *to)
{
    const char *rest;

    if (!decimal(from, to, &c->timeout, &rest) || rest != to || c->timeout <= 0 ||
        c->timeout > 86400)
        return bad_value(r, "timeout", from, to);
    return TS_OK;
}

static ts_status memory_header(tsi_reader *r, tsi_case *c, const char *from,
                               const char *to)
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

static ts_status ranks_header(tsi_reader *r, tsi_case *c, const char *from,
                              const char *to)
{
    const char *rest;
    double v;

    if (!decimal(from, to, &v, &rest) || rest != to || v < 1 || v > 64 || v != (int)v)
        return bad_value(r, "ranks", from, to);
    c->ranks = (int)v;
    return TS_OK;
}

static ts_status level_header(tsi_reader *r, tsi_case *c, const char *from,
                              const char *to)
{
    if (to - from != 2 || from[0] != 'L' || from[1] < '1' || from[1] > '8')
        return bad_value(r, "level", from, to);
    c->level = tsi_intern(r->names, from, 2);
    return c->level != NULL ? TS_OK : TSI_NO_MEMORY(r);
}

/* `-`: none of what the file's head says of all its cases. */
static void none(tsi_case *c, header_fn *read)
{
    if (read == needs_header)
        c->nneeds = 0;
    else if (read == variants_header)
        c->variants = 1u << TSI_BASE;
    else
        c->level = NULL;
}

static const struct {
    const char *key;
    header_fn *read;
    bool general, /* may stand in a file's head, for all cases */
        none;     /* may be `-` */
} headers[] = {{"rules", rules_header, false, false},
               {"needs", needs_header, true, true},
               {"provenance", provenance_header, true, false},
               {"variants", variants_header, true, true},
               {"trivial", trivial_header, false, false},
               {"timeout", timeout_header, false, false},
               {"memory", memory_header, false, false},
               {"ranks", ranks_header, false, false},
               {"level", level_header, true, true}};

#define HEADERS ((int)(sizeof headers / sizeof headers[0]))

/* The colon of `# key: value`, or NULL where the line is no header. */
static const char *header_colon(const tsi_reader *r)
{
    const char *key = r->at + 2, *colon = key;

    if (!tsi_reader_starts(r, "# "))
        return NULL;
    while (colon < r->line_end && *colon >= 'a' && *colon <= 'z')
        colon++;
    if (colon == key || colon >= r->line_end || *colon != ':' ||
        (colon + 1 < r->line_end && colon[1] != ' '))
        return NULL;
    return colon;
}

/* The place in the table of the key that ends at `colon`, or HEADERS. */
static int header_of(const tsi_reader *r, const char *colon)
{
    const char *key = r->at + 2;
    int i = 0;

    while (i < HEADERS && (strlen(headers[i].key) != (size_t)(colon - key) ||
                           memcmp(headers[i].key, key, (size_t)(colon - key)) != 0))
        i++;
    return i;
}

static ts_status read_value(tsi_reader *r, tsi_case *c, int i, const char *colon,
                            unsigned *seen)
{
    const char *from = colon + 1, *to = r->line_end;

    if (*seen & 1u << i)
        return tsi_reader_fail(r, "case_language/C2", r->at + 2,
                               "header key '%s' stands twice", headers[i].key);
    *seen |= 1u << i;
    tsi_reader_trim(&from, &to);
    if (from == to)
        return bad_value(r, headers[i].key, from, to);
    if (to - from != 1 || *from != '-' || !headers[i].none)
        return headers[i].read(r, c, from, to);
    none(c, headers[i].read);
    return TS_OK;
}

ts_status tsi_read_header(tsi_reader *r, tsi_case *c, unsigned *seen, bool *is_header)
{
    const char *colon = header_colon(r), *key = r->at + 2;

    *is_header = colon != NULL;
    if (colon == NULL)
        return TS_OK;

    const int i = header_of(r, colon);

    if (i == HEADERS)
        return tsi_reader_fail(r, "case_language/C2", key, "unknown header key '%.*s'",
                               (int)(colon - key > 40 ? 40 : colon - key), key);
    return read_value(r, c, i, colon, seen);
}

ts_status tsi_read_default(tsi_reader *r, tsi_case *defaults, unsigned *seen)
{
    const char *colon = header_colon(r);
    const int i = colon != NULL ? header_of(r, colon) : HEADERS;

    return i < HEADERS && headers[i].general ? read_value(r, defaults, i, colon, seen)
                                             : TS_OK;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* What PyTorch answered: the lines `#= …` and `#+ …` after a program, read by
 * case_language/S11. */
#include <stdlib.h>
#include <string.h>

#include "cases.h"

#define MAX_NAME_TOKEN 400

void tsi_record_list_start(tsi_record_list *list)
{
    *list = (tsi_record_list){0};
    for (int i = 0; i <= TS_DTYPE_COUNT; i++)
        list->next[i] = -1;
}

/* What a record line says of elements; what it leaves out is for the reader to fill in. */
typedef struct described {
    ts_dtype dtype; /* TS_DTYPE_NONE: not said */
    int ndim;       /* -1: no shape is said */
    int nstrides;   /* -1: no strides are said */
    char symbol;    /* 't', 'c': strides by their name; 0 */
    bool at, used, digest;
    int64_t sizes[TS_MAX_DIMS], strides[TS_MAX_DIMS];
    int64_t first; /* -1: where the elements before end */
    double share;
    unsigned char bytes[16]; /* of the digest */
} described;

/* --- tokens ---------------------------------------------------------------------------- */

static ts_status record_fail(const tsi_reader *r, const char *where, const char *what)
{
    return tsi_reader_fail(r, "case_language/C4", where, "%s", what);
}

static void spaces(const char **s, const char *end)
{
    while (*s < end && **s == ' ')
        ++*s;
}

/* A bare word of id characters, or a JSON string; *name is NULL where neither stands. */
static ts_status name_token(tsi_reader *r, const char **s, const char *end,
                            const char **name)
{
    const char *from = *s;
    json_error_t e;
    json_t *quoted;

    *name = NULL;
    if (from < end && *from == '"') {
        quoted = json_loadb(from, (size_t)(end - from),
                            JSON_DECODE_ANY | JSON_DISABLE_EOF_CHECK, &e);
        if (!json_is_string(quoted)) {
            json_decref(quoted);
            return record_fail(r, from, "a quoted name is a JSON string");
        }
        *name = tsi_pool_strndup(r->pool, json_string_value(quoted),
                                 json_string_length(quoted));
        json_decref(quoted);
        *s = from + e.position;
    } else {
        while (*s < end && tsi_id_char(**s))
            ++*s;
        if (*s == from)
            return TS_OK;
        *name = tsi_intern(r->names, from, (size_t)(*s - from));
    }
    if (*name == NULL)
        return TSI_NO_MEMORY(r);
    return **name != '\0' && strlen(*name) < MAX_NAME_TOKEN
               ? TS_OK
               : record_fail(r, from, "no expectation has such a name");
}

/* A decimal integer of 64 bits. */
static bool integer(const char **s, const char *end, int64_t *out)
{
    const bool minus = *s < end && **s == '-';
    const char *from = *s += minus;
    int64_t v = 0;

    for (; *s < end && **s >= '0' && **s <= '9'; ++*s)
        if (__builtin_mul_overflow(v, 10, &v) || __builtin_add_overflow(v, **s - '0', &v))
            return false;
    *out = minus ? -v : v;
    return *s > from;
}

/* Integers between brackets of which the first has been passed. */
static bool integers(const char **s, const char *end, char close, int64_t *out,
                     int *count)
{
    *count = 0;
    if (*s < end && **s == close)
        return ++*s, true;
    while (*count < TS_MAX_DIMS && integer(s, end, &out[*count])) {
        ++*count;
        if (*s == end)
            return false;
        if (*(*s)++ == close)
            return true;
        if ((*s)[-1] != ',')
            return false;
    }
    return false;
}

static bool number(const char **s, const char *end, double *out)
{
    char text[32], *stop;
    size_t n = 0;

    while (*s + n < end && n < sizeof text - 1 && strchr("0123456789.e+-", (*s)[n]))
        n++;
    memcpy(text, *s, n);
    text[n] = '\0';
    *out = strtod(text, &stop);
    *s += n;
    return n > 0 && text[0] >= '0' && text[0] <= '9' && *stop == '\0';
}

/* Two hex digits a byte. */
static bool hex(const char **s, const char *end, unsigned char *out, size_t size)
{
    static const char digits[] = "0123456789abcdef";

    for (size_t i = 0; i < 2 * size; i++, ++*s) {
        const char *d = *s < end && **s ? strchr(digits, **s) : NULL;

        if (d == NULL)
            return false;
        out[i / 2] =
            (unsigned char)(i % 2 ? out[i / 2] | (d - digits) : (d - digits) << 4);
    }
    return true;
}

static ts_status strides_token(const tsi_reader *r, const char *where, const char **s,
                               const char *end, described *d)
{
    if (end - *s >= 2 && (**s == 't' || **s == 'c') && (*s)[1] == ')') {
        d->symbol = **s;
        *s += 2;
        return TS_OK;
    }
    return integers(s, end, ')', d->strides, &d->nstrides)
               ? TS_OK
               : record_fail(r, where, "its strides are no list of integers");
}

/* `dtype[sizes](strides) @at ~used` or, in place of these two, `#digest`; each part at most once and in this order. */
static ts_status description(const tsi_reader *r, const char *s, const char *end,
                             described *d)
{
    const char *from = s, *word = s;
    char dtype[32];

    *d = (described){.dtype = TS_DTYPE_NONE, .ndim = -1, .nstrides = -1, .first = -1};
    while (s < end && ((*s >= 'a' && *s <= 'z') || (*s >= '0' && *s <= '9') || *s == '_'))
        s++;
    if (s > word) {
        memcpy(dtype, word, (size_t)(s - word < 31 ? s - word : 31));
        dtype[s - word < 31 ? s - word : 31] = '\0';
        d->dtype = ts_dtype_from_name(dtype);
        if (d->dtype == TS_DTYPE_NONE)
            return record_fail(r, word, "unknown dtype");
    }
    if (s < end && *s == '[') {
        from = s++;
        if (!integers(&s, end, ']', d->sizes, &d->ndim))
            return record_fail(r, from, "its shape is no list of integers");
    }
    spaces(&s, end);
    if (s < end && *s == '(') {
        from = s++;
        TS_TRY(strides_token(r, from, &s, end, d));
    }
    spaces(&s, end);
    if (s < end && *s == '@') {
        from = s++;
        d->at = true;
        if (s < end && *s != ' ' && (!integer(&s, end, &d->first) || d->first < 0))
            return record_fail(r, from, "'@' is not followed by an index");
    }
    spaces(&s, end);
    if (s < end && *s == '~') {
        from = s++;
        d->used = true;
        if (!number(&s, end, &d->share))
            return record_fail(r, from, "'~' is not followed by a number");
    }
    spaces(&s, end);
    if (s < end && *s == '#' && !d->at && !d->used) {
        from = s++;
        d->digest = true;
        if (!hex(&s, end, d->bytes, sizeof d->bytes))
            return record_fail(r, from, "'#' is not followed by 32 hex digits");
    }
    spaces(&s, end);
    return s == end ? TS_OK
                    : record_fail(r, s,
                                  "expected dtype[sizes] (strides) @at ~used, "
                                  "dtype[sizes] (strides) #digest, an exception class, "
                                  "or '=' and a value");
}

/* --- records --------------------------------------------------------------------------- */

static ts_status add_record(tsi_reader *r, tsi_record_list *list, const char *where,
                            const tsi_record *record)
{
    for (int i = 0; i < list->count; i++)
        if (list->items[i].variant == record->variant &&
            strcmp(list->items[i].name, record->name) == 0)
            return tsi_reader_fail(r, "case_language/C4", where,
                                   "record '%.60s' stands twice for variant '%s'",
                                   record->name, tsi_variant_name(record->variant));
    if (list->count == list->capacity) {
        const int capacity = list->capacity ? 2 * list->capacity : 4;
        tsi_record *items = tsi_pool_grow(r->pool, list->items, (size_t)list->count,
                                          (size_t)capacity, sizeof *items);

        if (items == NULL)
            return TSI_NO_MEMORY(r);
        list->items = items;
        list->capacity = capacity;
    }
    list->items[list->count++] = *record;
    return TS_OK;
}

static const tsi_record *base_of(const tsi_record_list *list, const char *name)
{
    for (int i = 0; i < list->count; i++)
        if (list->items[i].variant == TSI_BASE && strcmp(list->items[i].name, name) == 0)
            return &list->items[i];
    return NULL;
}

/* Row-major strides, or column-major ones; as PyTorch does, size 0 counts as 1. */
static bool dense_strides(const tsi_record *to, char symbol, int64_t *out)
{
    int64_t n = 1;

    for (int k = 0; k < to->ndim; k++) {
        const int i = symbol == 't' ? k : to->ndim - 1 - k;

        out[i] = n;
        if (__builtin_mul_overflow(n, to->sizes[i] > 1 ? to->sizes[i] : 1, &n))
            return false;
    }
    return true;
}

/* Shape and strides of `to` where the line says them or nothing else does. */
static ts_status take_layout(tsi_reader *r, const char *where, const described *d,
                             tsi_record *to)
{
    const bool said = d->ndim >= 0;
    const int ndim = said ? d->ndim : to->ndim;
    int64_t *room;

    if (!said && d->nstrides < 0 && d->symbol == 0)
        return TS_OK;
    room = tsi_pool_alloc(r->pool, (2 * (size_t)ndim + 1) * sizeof *room);
    if (room == NULL)
        return TSI_NO_MEMORY(r);
    if (ndim > 0)
        memcpy(room, said ? d->sizes : to->sizes, (size_t)ndim * sizeof *room);
    to->sizes = room;
    to->strides = room + ndim;
    to->ndim = ndim;
    to->numel = 1;
    for (int i = 0; i < ndim; i++)
        if (room[i] < 0 || __builtin_mul_overflow(to->numel, room[i], &to->numel))
            return record_fail(r, where, "no such shape");
    if (d->nstrides >= 0 && d->nstrides != ndim)
        return record_fail(r, where, "shape and strides are not of the same length");
    if (d->nstrides < 0)
        return dense_strides(to, d->symbol, room + ndim)
                   ? TS_OK
                   : record_fail(r, where, "no such shape");
    if (ndim > 0)
        memcpy(room + ndim, d->strides, (size_t)ndim * sizeof *room);
    return TS_OK;
}

/* Where its elements start: by the line, or where those before them end. */
static ts_status take_place(tsi_reader *r, tsi_record_list *list, const char *where,
                            int64_t first, tsi_record *to)
{
    int64_t *next =
        &list->next[to->class_ == TSI_RECORD_BOUND ? TS_DTYPE_COUNT : (int)to->dtype];

    to->at = first >= 0 ? first : to->numel == 0 ? 0 : *next;
    if (to->at < 0)
        return record_fail(r, where,
                           "'@' and an index are missing: no record before says where "
                           "elements are");
    if (to->numel > INT64_MAX - to->at)
        return record_fail(r, where, "no such shape");
    if (to->numel > 0 && *next < to->at + to->numel)
        *next = to->at + to->numel;
    return TS_OK;
}

/* The digest of elements that the file does not hold. */
static ts_status take_digest(tsi_reader *r, const char *where, const described *d,
                             const tsi_record *base, tsi_record *to)
{
    if (d->at)
        return record_fail(r, where, "'@' stands in a record that has a digest");
    TS_TRY(take_layout(r, where, d, to));
    if (d->digest)
        memcpy(to->digest, d->bytes, sizeof to->digest);
    else if (base == NULL || to->numel != base->numel || to->dtype != base->dtype)
        return record_fail(r, where,
                           "expected '#': the base record's elements are others");
    return TS_OK;
}

/* A record of elements; `base` is what it differs from, or NULL. */
static ts_status stored(tsi_reader *r, const tsi_case *c, tsi_record_list *list,
                        const char *where, const described *d, const tsi_record *base,
                        tsi_record *to)
{
    if (base != NULL && base->class_ > TSI_RECORD_DIGEST)
        return record_fail(r, where, "the base record holds no elements");
    if (base == NULL && d->ndim < 0)
        return record_fail(r, where, "expected a shape");
    if (base != NULL) {
        const tsi_variant variant = to->variant;
        const int line = to->line;

        *to = *base;
        to->variant = variant;
        to->line = line;
        to->used = 0;
    } else {
        to->class_ = d->digest ? TSI_RECORD_DIGEST
                     : d->used ? TSI_RECORD_BOUND
                               : TSI_RECORD_EXACT;
        to->dtype = c->dtype;
    }
    if (d->dtype != TS_DTYPE_NONE)
        to->dtype = d->dtype;
    if (to->dtype == TS_DTYPE_NONE)
        return record_fail(r, where, "expected a dtype: the case's id names none");
    if (d->used && to->class_ != TSI_RECORD_BOUND)
        return record_fail(r, where, "the base record has no bound");
    to->used = d->share;
    if (to->class_ == TSI_RECORD_DIGEST)
        return take_digest(r, where, d, base, to);
    if (d->digest)
        return record_fail(r, where, "the base record has no digest");
    TS_TRY(take_layout(r, where, d, to));
    if (base != NULL && !d->at && to->numel == base->numel &&
        (to->class_ == TSI_RECORD_BOUND || to->dtype == base->dtype))
        return TS_OK;
    if (base != NULL && !d->at && to->numel > 0)
        return record_fail(r, where,
                           "expected '@': the base record's elements are others");
    return take_place(r, list, where, d->first, to);
}

/* What follows the name, where it is no description of elements. */
static ts_status other(tsi_reader *r, const char *s, const char *end, tsi_record *to,
                       bool *done)
{
    char name[64];
    json_error_t e;

    *done = true;
    if (s < end && *s == '=') {
        s++;
        to->class_ = TSI_RECORD_VALUE;
        to->value = json_loadb(s, (size_t)(end - s),
                               JSON_DECODE_ANY | JSON_REJECT_DUPLICATES, &e);
        return to->value != NULL
                   ? TS_OK
                   : tsi_reader_fail(r, "case_language/C4",
                                     s + (e.position > 0 ? e.position - 1 : 0),
                                     "the value is not JSON: %s", e.text);
    }
    if (s < end && *s >= 'A' && *s <= 'Z') {
        memcpy(name, s, (size_t)(end - s < 63 ? end - s : 63));
        name[end - s < 63 ? end - s : 63] = '\0';
        to->class_ = TSI_RECORD_ERROR;
        to->error = ts_status_from_name(name);
        return to->error != TS_STATUS_COUNT ? TS_OK
                                            : record_fail(r, s, "unknown error class");
    }
    *done = false;
    return TS_OK;
}

/* One record under `name`, from what follows the names of its line. */
static ts_status one(tsi_reader *r, const tsi_case *c, tsi_record_list *list,
                     const char *where, const char *s, const char *end, const char *name,
                     tsi_variant variant)
{
    const tsi_record *base = variant != TSI_BASE ? base_of(list, name) : NULL;
    tsi_record record = {.name = name, .variant = variant, .line = r->line};
    described d;
    bool done;
    ts_status status;

    TS_TRY(other(r, s, end, &record, &done));
    if (!done) {
        TS_TRY(description(r, s, end, &d));
        if (variant != TSI_BASE && base == NULL)
            return tsi_reader_fail(r, "case_language/C4", where,
                                   "'%.60s' has no record that this differs from", name);
        TS_TRY(stored(r, c, list, s, &d, base, &record));
    }
    status = add_record(r, list, where, &record);
    if (status != TS_OK)
        json_decref(record.value);
    return status;
}

/* `variant names …`: names joined by commas, or * for all that hold elements. */
static ts_status read_delta(tsi_reader *r, const tsi_case *c, tsi_record_list *list,
                            const char *s, const char *end)
{
    const char *from = s, *rest, *name;
    const int known = list->count;
    char word[32];
    tsi_variant variant;

    while (s < end && *s != ' ')
        s++;
    memcpy(word, from, (size_t)(s - from < 31 ? s - from : 31));
    word[s - from < 31 ? s - from : 31] = '\0';
    variant = tsi_variant_from_name(word);
    if (variant == TSI_VARIANT_COUNT || variant == TSI_BASE)
        return record_fail(r, from, "unknown variant");
    spaces(&s, end);
    if (s < end && *s == '*') {
        rest = s + 1;
        spaces(&rest, end);
        for (int i = 0; i < known; i++)
            if (list->items[i].variant == TSI_BASE &&
                list->items[i].class_ <= TSI_RECORD_DIGEST)
                TS_TRY(one(r, c, list, s, rest, end, list->items[i].name, variant));
        return list->count > known ? TS_OK
                                   : record_fail(r, s, "no record holds elements");
    }
    from = rest = s;
    do { /* past the names, to what all of them share */
        rest += rest > from;
        TS_TRY(name_token(r, &rest, end, &name));
        if (name == NULL)
            return record_fail(r, rest, "expected the name of a record");
    } while (rest < end && *rest == ',');
    spaces(&rest, end);
    do {
        s += s > from;
        TS_TRY(name_token(r, &s, end, &name));
        TS_TRY(one(r, c, list, from, rest, end, name, variant));
    } while (s < end && *s == ',');
    return TS_OK;
}

ts_status tsi_read_record(tsi_reader *r, const tsi_case *c, tsi_record_list *list)
{
    const bool delta = r->at[1] == '+';
    const char *s = r->at + 2, *end = r->line_end, *from, *name;

    tsi_reader_trim(&s, &end);
    if (delta)
        return read_delta(r, c, list, s, end);
    from = s;
    TS_TRY(name_token(r, &s, end, &name));
    if (name == NULL)
        return record_fail(r, from, "expected the name of a record");
    spaces(&s, end);
    return one(r, c, list, from, s, end, name, TSI_BASE);
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

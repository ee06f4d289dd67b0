/* SPDX-License-Identifier: Apache-2.0 */
#include "runner/text.h"

#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool make_room(tsi_text *t, size_t n)
{
    if (t->used + n + 1 > t->room) {
        const size_t room = 2 * (t->used + n) + 64;
        char *grown = realloc(t->bytes, room);

        if (!grown)
            return false;
        t->bytes = grown;
        t->room = room;
    }
    return true;
}

void tsi_text_add(tsi_text *t, const char *bytes, size_t n)
{
    if (!make_room(t, n))
        return;
    memcpy(t->bytes + t->used, bytes, n);
    t->used += n;
    t->bytes[t->used] = '\0';
}

void tsi_text_format(tsi_text *t, const char *format, ...)
{
    va_list args;
    int n;

    if (!make_room(t, 64))
        return;
    va_start(args, format);
    n = vsnprintf(t->bytes + t->used, t->room - t->used, format, args);
    va_end(args);
    if (n >= 0 && (size_t)n >= t->room - t->used) {
        if (!make_room(t, (size_t)n)) {
            t->bytes[t->used] = '\0';
            return;
        }
        va_start(args, format);
        vsnprintf(t->bytes + t->used, (size_t)n + 1, format, args);
        va_end(args);
    }
    t->used += n > 0 ? (size_t)n : 0;
}

/* Length of the UTF-8 sequence at s, 0 where there is none. */
static int sequence(const unsigned char *s)
{
    int n, i;

    if (s[0] < 0x80)
        return 1;
    n = s[0] >= 0xC2 && s[0] < 0xE0 ? 2
        : (s[0] & 0xF0) == 0xE0     ? 3
        : (s[0] & 0xF8) == 0xF0     ? 4
                                    : 0;
    for (i = 1; i < n; i++)
        if ((s[i] & 0xC0) != 0x80)
            return 0;
    if ((s[0] == 0xE0 && s[1] < 0xA0) || (s[0] == 0xED && s[1] > 0x9F) ||
        (s[0] == 0xF0 && s[1] < 0x90) || s[0] > 0xF4 || (s[0] == 0xF4 && s[1] > 0x8F))
        return 0;
    return n;
}

#define REPLACEMENT "\xEF\xBF\xBD"

/* Length of the control character at s: one of C0, DEL, or of C1, which some terminals
 * obey too. 0 where there is none. */
static int control(const unsigned char *s)
{
    if (*s < 0x20 || *s == 0x7F)
        return 1;
    return s[0] == 0xC2 && s[1] >= 0x80 && s[1] < 0xA0 ? 2 : 0;
}

static unsigned code(const unsigned char *s)
{
    return control(s) == 2 ? s[1] : s[0];
}

void tsi_text_json(tsi_text *t, const char *s)
{
    const unsigned char *p = (const unsigned char *)s;

    tsi_text_add(t, "\"", 1);
    while (*p) {
        const unsigned char *from = p;
        int n = 0;

        while (*p && *p != '"' && *p != '\\' && control(p) == 0 && (n = sequence(p)) > 0)
            p += n;
        tsi_text_add(t, (const char *)from, (size_t)(p - from));
        if (*p == '\0')
            break;
        if (*p == '"' || *p == '\\')
            tsi_text_format(t, "\\%c", *p);
        else if (*p == '\n')
            tsi_text_add(t, "\\n", 2);
        else if (control(p) > 0)
            tsi_text_format(t, "\\u%04x", code(p));
        else
            tsi_text_add(t, REPLACEMENT, 3);
        p += control(p) > 0 ? control(p) : 1;
    }
    tsi_text_add(t, "\"", 1);
}

void tsi_text_plain(tsi_text *t, const char *s, const char *newline)
{
    const unsigned char *p = (const unsigned char *)s;

    while (*p) {
        const unsigned char *from = p;
        int n = 0;

        while (*p && (*p == '\t' || control(p) == 0) && (n = sequence(p)) > 0)
            p += n;
        tsi_text_add(t, (const char *)from, (size_t)(p - from));
        if (*p == '\0')
            break;
        if (*p == '\n')
            tsi_text_add(t, newline, strlen(newline));
        else
            tsi_text_format(t, "\\x%02x", control(p) == 2 ? p[1] : *p);
        p += control(p) == 2 ? 2 : 1;
    }
}

void tsi_text_plain_line(char *out, size_t size, const char *s)
{
    tsi_text t = {0};
    size_t n;

    tsi_text_plain(&t, s, "\\n");
    n = t.used < size ? t.used : size - 1;
    while (n > 0 && n < t.used && ((unsigned char)t.bytes[n] & 0xC0) == 0x80)
        n--;
    if (n > 0)
        memcpy(out, t.bytes, n);
    out[n] = '\0';
    tsi_text_free(&t);
}

/* v >= 0 without a sign; much of a results file is small integers. */
static size_t whole_text(char *end, uint64_t v)
{
    char *p = end;

    do
        *--p = (char)('0' + v % 10);
    while (v /= 10);
    return (size_t)(end - p);
}

void tsi_text_number(tsi_text *t, double v, int digits)
{
    char buf[40];
    char *const end = buf + sizeof(buf);

    if (isnan(v)) {
        tsi_text_add(t, "\"nan\"", 5);
    } else if (isinf(v)) {
        tsi_text_add(t, v > 0 ? "\"inf\"" : "\"-inf\"", v > 0 ? 5 : 6);
    } else if (fabs(v) < 1e9 && v == (double)(int64_t)v && (v != 0 || !signbit(v))) {
        const size_t n = whole_text(end, (uint64_t)fabs(v));

        if (v < 0)
            tsi_text_add(t, "-", 1);
        tsi_text_add(t, end - n, n);
    } else {
        const int n = snprintf(buf, sizeof(buf), "%.*g", digits, v);

        tsi_text_add(t, buf, (size_t)n);
    }
}

void tsi_text_xml(tsi_text *t, const char *s)
{
    for (const unsigned char *p = (const unsigned char *)s; *p;) {
        const int n = sequence(p);

        if (*p == '<')
            tsi_text_add(t, "&lt;", 4);
        else if (*p == '>')
            tsi_text_add(t, "&gt;", 4);
        else if (*p == '&')
            tsi_text_add(t, "&amp;", 5);
        else if (*p == '"')
            tsi_text_add(t, "&quot;", 6);
        else if (*p == '\n')
            tsi_text_add(t, "&#10;", 5);
        else if (n == 0 || (control(p) > 0 && *p != '\t'))
            tsi_text_add(t, REPLACEMENT, 3);
        else
            tsi_text_add(t, (const char *)p, (size_t)n);
        p += n > 0 ? n : 1;
    }
}

void tsi_text_shell(tsi_text *t, const char *s)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
        "_-./+:,=@%";

    if (*s && s[strspn(s, plain)] == '\0') {
        tsi_text_add(t, s, strlen(s));
        return;
    }
    tsi_text_add(t, "'", 1);
    for (; *s; s++)
        if (*s == '\'')
            tsi_text_add(t, "'\\''", 4);
        else
            tsi_text_add(t, s, 1);
    tsi_text_add(t, "'", 1);
}

void tsi_text_reset(tsi_text *t)
{
    t->used = 0;
    if (t->bytes)
        t->bytes[0] = '\0';
}

char *tsi_text_take(tsi_text *t)
{
    char *bytes = t->bytes;

    *t = (tsi_text){0};
    return bytes;
}

void tsi_text_free(tsi_text *t)
{
    free(t->bytes);
    *t = (tsi_text){0};
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "lexer.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

ts_status tsi_syntax_error(const char *label, const char *file, int line, int column,
                           const char *format, ...)
{
    char text[400];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return ts_fail(TS_ERR_VALUE, label, "%s:%d:%d: %s", file, line, column, text);
}

/* Words of Python that end a name; those the language lacks are refused by the parser. */
static const char *const keywords[] = {
    "False",  "None",   "True",    "and",      "as",       "assert", "async",
    "await",  "break",  "class",   "continue", "def",      "del",    "elif",
    "else",   "except", "finally", "for",      "from",     "global", "if",
    "import", "in",     "is",      "lambda",   "nonlocal", "not",    "or",
    "pass",   "raise",  "return",  "try",      "while",    "with",   "yield",
};

static const char *const operators[] = {
    "**=", "//=", "<<=", ">>=", "...", "**", "//", "<<", ">>", "<=", ">=", "==",
    "!=",  "->",  "+=",  "-=",  "*=",  "/=", "%=", "@=", "&=", "|=", "^=", ":=",
    "+",   "-",   "*",   "/",   "%",   "@",  "&",  "|",  "^",  "~",  "<",  ">",
    "(",   ")",   "[",   "]",   ",",   ":",  ".",  "=",  "{",  "}",  ";",
};

#define COUNT(a) (sizeof(a) / sizeof(a)[0])

void tsi_lexer_init(tsi_lexer *lx, const tsi_source *source)
{
    memset(lx, 0, sizeof *lx);
    lx->source = source;
    lx->at = lx->line_start = source->text;
    lx->line = source->line;
    lx->at_line_start = true;
    lx->indent_count = 1;
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static char peek(const tsi_lexer *lx, int ahead)
{
    return lx->source->end - lx->at > ahead ? lx->at[ahead] : '\0';
}

static int column_of(const tsi_lexer *lx, const char *at)
{
    return (int)(at - lx->line_start) + 1;
}

#define FAIL(lx, where, ...)                                                    \
    return tsi_syntax_error("case_language/C3", (lx)->source->file, (lx)->line, \
                            column_of(lx, where), __VA_ARGS__)

static void take(tsi_lexer *lx, tsi_token_kind kind, const char *from)
{
    lx->token = (tsi_token){.kind = kind,
                            .at = from,
                            .n = (size_t)(lx->at - from),
                            .line = lx->line,
                            .column = column_of(lx, from)};
    lx->line_open = kind > T_DEDENT;
}

static void next_line(tsi_lexer *lx)
{
    lx->at++;
    lx->line++;
    lx->line_start = lx->at;
}

/* At the start of a line: skip blank ones, compare the indentation. Sets *made when that
 * gave a token. */
static ts_status indentation(tsi_lexer *lx, bool *made)
{
    *made = false;
    for (;;) {
        while (peek(lx, 0) == ' ')
            lx->at++;
        if (peek(lx, 0) == '#')
            while (lx->at < lx->source->end && *lx->at != '\n')
                lx->at++;
        if (lx->at < lx->source->end && *lx->at == '\n') {
            next_line(lx);
            continue;
        }
        break;
    }
    lx->at_line_start = false;

    const int width = lx->at < lx->source->end ? column_of(lx, lx->at) - 1 : 0;

    if (width > lx->indents[lx->indent_count - 1]) {
        if (lx->indent_count == TSI_MAX_INDENT)
            FAIL(lx, lx->at, "blocks nested deeper than %d", TSI_MAX_INDENT - 1);
        lx->indents[lx->indent_count++] = width;
        take(lx, T_INDENT, lx->at);
        *made = true;
        return TS_OK;
    }
    while (width < lx->indents[lx->indent_count - 1]) {
        lx->indent_count--;
        lx->dedents++;
    }
    if (width != lx->indents[lx->indent_count - 1])
        FAIL(lx, lx->at, "indentation matches no outer block");
    return TS_OK;
}

static ts_status number(tsi_lexer *lx)
{
    const char *from = lx->at;
    tsi_token_kind kind = T_INT;

    if (peek(lx, 0) == '0' && (peek(lx, 1) == 'x' || peek(lx, 1) == 'X')) {
        lx->at += 2;
        while (is_digit(peek(lx, 0)) || (peek(lx, 0) >= 'a' && peek(lx, 0) <= 'f') ||
               (peek(lx, 0) >= 'A' && peek(lx, 0) <= 'F'))
            lx->at++;
        if (lx->at - from == 2)
            FAIL(lx, from, "expected digits after '0x'");
    } else {
        while (is_digit(peek(lx, 0)))
            lx->at++;
        if (peek(lx, 0) == '.') {
            kind = T_FLOAT;
            lx->at++;
            while (is_digit(peek(lx, 0)))
                lx->at++;
        }
        if (peek(lx, 0) == 'e' || peek(lx, 0) == 'E') {
            const int sign = peek(lx, 1) == '+' || peek(lx, 1) == '-';

            if (!is_digit(peek(lx, 1 + sign)))
                FAIL(lx, from, "expected digits in the exponent of '%.*s'",
                     (int)(lx->at + 1 - from), from);
            kind = T_FLOAT;
            lx->at += 1 + sign;
            while (is_digit(peek(lx, 0)))
                lx->at++;
        }
        if (kind == T_INT && *from == '0' && lx->at - from > 1)
            FAIL(lx, from, "integer '%.20s' has a leading zero", from);
    }
    if (is_letter(peek(lx, 0)) || is_digit(peek(lx, 0)))
        FAIL(lx, lx->at, "number followed by '%c'", *lx->at);
    take(lx, kind, from);
    return TS_OK;
}

static ts_status string(tsi_lexer *lx)
{
    const char *from = lx->at;
    const char quote = *lx->at++;

    if (peek(lx, 0) == quote && peek(lx, 1) == quote)
        FAIL(lx, from, "strings in triple quotes are not part of the language");
    while (peek(lx, 0) != quote) {
        if (lx->at >= lx->source->end || *lx->at == '\n')
            FAIL(lx, from, "string has no end on its line");
        if (*lx->at == '\\') {
            const char c = peek(lx, 1);

            if (c != '\\' && c != '\'' && c != '"' && c != 'n' && c != 't')
                FAIL(lx, lx->at, "unknown escape, expected \\\\ \\' \\\" \\n or \\t");
            lx->at++;
        }
        lx->at++;
    }
    lx->at++;
    take(lx, T_STRING, from);
    return TS_OK;
}

static ts_status operator_(tsi_lexer *lx)
{
    const size_t left = (size_t)(lx->source->end - lx->at);

    for (size_t i = 0; i < COUNT(operators); i++) {
        if (*operators[i] != *lx->at)
            continue;

        const size_t n = strlen(operators[i]);

        if (n <= left && memcmp(lx->at, operators[i], n) == 0) {
            const char *from = lx->at;

            if (strchr("([{", *from) != NULL)
                lx->brackets++;
            else if (strchr(")]}", *from) != NULL && lx->brackets > 0)
                lx->brackets--;
            lx->at += n;
            take(lx, T_OP, from);
            return TS_OK;
        }
    }
    if ((unsigned char)*lx->at >= 0x80)
        FAIL(lx, lx->at, "letters beyond ASCII stand in strings and comments only");
    FAIL(lx, lx->at, "unexpected character '%c'", *lx->at);
}

static void name(tsi_lexer *lx)
{
    const char *from = lx->at;

    while (is_letter(peek(lx, 0)) || is_digit(peek(lx, 0)))
        lx->at++;
    take(lx, T_NAME, from);
    for (size_t i = 0; i < COUNT(keywords); i++)
        if (*keywords[i] == *from && strlen(keywords[i]) == lx->token.n &&
            memcmp(keywords[i], from, lx->token.n) == 0)
            lx->token.kind = T_KEYWORD;
}

ts_status tsi_lexer_next(tsi_lexer *lx)
{
    if (lx->at_line_start && lx->brackets == 0) {
        bool made;

        TS_TRY(indentation(lx, &made));
        if (made)
            return TS_OK;
    }
    if (lx->dedents > 0) {
        lx->dedents--;
        take(lx, T_DEDENT, lx->at);
        return TS_OK;
    }
    for (;;) {
        while (peek(lx, 0) == ' ')
            lx->at++;
        if (peek(lx, 0) == '#')
            while (lx->at < lx->source->end && *lx->at != '\n')
                lx->at++;
        if (lx->at < lx->source->end && *lx->at == '\n' && lx->brackets > 0) {
            next_line(lx);
            continue;
        }
        break;
    }
    if (lx->at >= lx->source->end) {
        if (lx->brackets > 0)
            FAIL(lx, lx->at, "the program ends inside brackets");
        if (lx->line_open) { /* a last line without a newline ends all the same */
            lx->at_line_start = true;
            take(lx, T_NEWLINE, lx->at);
            return TS_OK;
        }
        if (!lx->ended) {
            lx->ended = lx->at_line_start = true;
            return tsi_lexer_next(lx);
        }
        take(lx, T_END, lx->at);
        return TS_OK;
    }

    const char c = *lx->at;

    if (c == '\n') {
        take(lx, T_NEWLINE, lx->at);
        next_line(lx);
        lx->at_line_start = true;
        return TS_OK;
    }
    if (c == '\t')
        FAIL(lx, lx->at, "tab, expected spaces");
    if (c == '"' || c == '\'')
        return string(lx);
    if (is_digit(c) || (c == '.' && is_digit(peek(lx, 1))))
        return number(lx);
    if (is_letter(c)) {
        name(lx);
        if ((peek(lx, 0) == '"' || peek(lx, 0) == '\'') && lx->token.kind == T_NAME)
            FAIL(lx, lx->token.at, "prefixed strings are not part of the language");
        return TS_OK;
    }
    return operator_(lx);
}

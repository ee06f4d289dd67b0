/* SPDX-License-Identifier: Apache-2.0 */
/* Atoms: literals, names, what stands in brackets. */
#include "parser.h"

#include <errno.h>
#include <stdlib.h>

#include "module.h"

#define TSI_WORDS_NAMES
#include "words_language.h"

/* Dotted names that only lead on to others. */
static const char *const namespaces[] = {"torch.nn", "torch.nn.functional",
                                         "torch.autograd", "torch.linalg"};
bool tsi_in_list(const char *const *names, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (names[i][0] == name[0] && strcmp(names[i], name) == 0)
            return true;
    return false;
}

bool tsi_is_reserved(const char *name)
{
    return tsi_in_list(modules, COUNT(modules), name) ||
           tsi_in_list(bare, COUNT(bare), name) || strcmp(name, "Function") == 0 ||
           strcmp(name, "once_differentiable") == 0 ||
           (strstr(name, "Error") != NULL &&
            ts_status_from_name(name) != TS_STATUS_COUNT);
}

static ts_status constant(tsi_parser *p, const tsi_token *at, tsi_value v, tsi_node **out)
{
    TS_TRY(tsi_parse_node(p, N_CONST, at, out));
    (*out)->value = v;
    return TS_OK;
}

/* `negative`: a minus sign stood before, so that 2**63 is in range. */
static ts_status integer(tsi_parser *p, bool negative, tsi_node **out)
{
    const tsi_token t = p->lx.token;
    char text[72];
    uint64_t u = 0;

    if (t.n >= sizeof text)
        FAIL_TOKEN(p, "integer of %zu digits does not fit in 64 bits", t.n);
    memcpy(text, t.at, t.n);
    text[t.n] = '\0';
    errno = 0;
    u = strtoull(text, NULL, 0);
    if (strncmp(text, "0x", 2) != 0 && strncmp(text, "0X", 2) != 0)
        u = strtoull(text, NULL, 10);
    if (errno == ERANGE || u > (uint64_t)INT64_MAX + negative)
        FAIL_TOKEN(p, "integer %s%s does not fit in 64 bits", negative ? "-" : "", text);
    TS_TRY(tsi_next(p));
    if (negative && u > INT64_MAX &&
        (tsi_at(p, "**") || tsi_at(p, "[") || tsi_at(p, ".") || tsi_at(p, "(")))
        return tsi_parse_fail(p, t.line, t.column, "integer %s does not fit in 64 bits",
                              text);
    return constant(p, &t, (tsi_value){.kind = V_INT, .i = (int64_t)u}, out);
}

static ts_status floating(tsi_parser *p, tsi_node **out)
{
    const tsi_token t = p->lx.token;
    char text[400];

    if (t.n >= sizeof text)
        FAIL_TOKEN(p, "number longer than %zu characters", sizeof text - 1);
    memcpy(text, t.at, t.n);
    text[t.n] = '\0';
    TS_TRY(tsi_next(p));
    return constant(p, &t, (tsi_value){.kind = V_FLOAT, .f = strtod(text, NULL)}, out);
}

static ts_status string(tsi_parser *p, tsi_node **out)
{
    const tsi_token t = p->lx.token;
    char *s = tsi_pool_strndup(p->pool, t.at + 1, t.n - 2);
    char *to = s;

    if (s == NULL)
        NO_MEMORY(p);
    for (const char *from = s; *from != '\0'; from++) {
        if (*from == '\\') {
            from++;
            *to++ = *from == 'n' ? '\n' : *from == 't' ? '\t' : *from;
        } else {
            *to++ = *from;
        }
    }
    *to = '\0';
    TS_TRY(tsi_next(p));
    if (p->lx.token.kind == T_STRING)
        return tsi_parse_expected(p, "an operator between two strings");
    return constant(p, &t, (tsi_value){.kind = V_STR, .s = s}, out);
}

/* Words of the module accel that mean something without one, too. */
static bool asks_for_accel(const char *name)
{
    static const char *const anywhere[] = {"accel.is_available", "accel.device_count"};

    return strncmp(name, "accel.", 6) == 0 &&
           !tsi_in_list(anywhere, COUNT(anywhere), name);
}

static ts_status callee_value(tsi_parser *p, const tsi_token *at, const char *name,
                              size_t n, tsi_node **out)
{
    const tsi_callee *c = tsi_callee_find(p->names, name, n);

    if (c == NULL)
        NO_MEMORY(p);
    if (c->native == NATIVE_EXPECT_UNTOUCHED)
        p->program->looks_untouched = true;
    if (asks_for_accel(c->name))
        p->program->uses_accel = true;
    if (c->constant != NULL)
        return constant(p, at, c->constant->value, out);
    return constant(p, at,
                    (tsi_value){.kind = c->word ? V_NATIVE
                                        : c->op ? V_OP
                                                : V_MISSING,
                                .callee = c},
                    out);
}

/* torch.nn.functional.gelu is F.gelu, torch.autograd.grad is autograd.grad. */
static void shorten(char *path)
{
    static const char *const from[] = {"torch.nn.functional.", "torch.autograd."};
    static const char *const to[] = {"F.", "autograd."};

    for (size_t i = 0; i < COUNT(from); i++) {
        const size_t n = strlen(from[i]);

        if (strncmp(path, from[i], n) == 0) {
            const size_t m = strlen(to[i]);

            memcpy(path, to[i], m);
            memmove(path + m, path + n, strlen(path + n) + 1);
            return;
        }
    }
}

/* A name that starts with a module's: as far as it names one thing. */
static ts_status module_path(tsi_parser *p, const tsi_token *at, tsi_node **out)
{
    char path[128];
    size_t n = at->n;
    ts_dtype dtype;

    memcpy(path, at->at, n);
    path[n] = '\0';
    if (!tsi_at(p, "."))
        return tsi_parse_expected(p, "'.' after a module's name");
    for (;;) {
        const tsi_token *t = &p->lx.token;

        TS_TRY(tsi_next(p));
        if (t->kind != T_NAME)
            return tsi_parse_expected(p, "a name after '.'");
        if (n + 1 + t->n >= sizeof path)
            FAIL_TOKEN(p, "name longer than %zu characters", sizeof path - 1);
        path[n] = '.';
        memcpy(path + n + 1, t->at, t->n);
        n += 1 + t->n;
        path[n] = '\0';
        shorten(path);
        n = strlen(path);
        TS_TRY(tsi_next(p));
        if (strncmp(path, "torch.", 6) == 0 &&
            (dtype = ts_dtype_from_name(path + 6)) != TS_DTYPE_NONE)
            return constant(p, at, (tsi_value){.kind = V_DTYPE, .dtype = dtype}, out);
        if (!tsi_at(p, "."))
            break;
        if (tsi_in_list(namespaces, COUNT(namespaces), path))
            continue;

        const tsi_callee *c = tsi_callee_find(p->names, path, n);

        if (c == NULL)
            NO_MEMORY(p);
        if (c->word || c->op || c->constant)
            break;
    }
    return callee_value(p, at, path, n, out);
}

ts_status tsi_parse_name(tsi_parser *p, tsi_node **out)
{
    const tsi_token t = p->lx.token;
    const char *name = tsi_intern(p->names, t.at, t.n);

    if (name == NULL)
        NO_MEMORY(p);
    TS_TRY(tsi_next(p));
    if (tsi_in_list(modules, COUNT(modules), name))
        return module_path(p, &t, out);
    if (tsi_in_list(bare, COUNT(bare), name))
        return callee_value(p, &t, name, t.n, out);
    if (tsi_is_reserved(name)) {
        if (strcmp(name, "Function") == 0)
            return tsi_parse_fail(p, t.line, t.column,
                                  "Function stands in 'class F(Function)' only");
        if (strcmp(name, "once_differentiable") == 0)
            return tsi_parse_fail(p, t.line, t.column,
                                  "once_differentiable is a decorator of backward only");
        return constant(
            p, &t, (tsi_value){.kind = V_ERROR, .error = ts_status_from_name(name)}, out);
    }
    TS_TRY(tsi_parse_node(p, N_NAME, &t, out));
    (*out)->name = name;
    if (!tsi_parse_push(p, &p->scope->pending, *out))
        NO_MEMORY(p);
    return TS_OK;
}

static ts_status bracketed(tsi_parser *p, tsi_node_kind kind, const char *close,
                           tsi_node **out)
{
    const tsi_token open = p->lx.token;
    tsi_list items = {0};
    bool comma = false;

    TS_TRY(tsi_next(p));
    while (!tsi_at(p, close)) {
        tsi_node *item;

        TS_TRY(tsi_parse_expression(p, &item));
        if (!tsi_parse_push(p, &items, item))
            NO_MEMORY(p);
        TS_TRY(tsi_accept(p, ",", &comma));
        if (!comma)
            break;
    }
    if (!tsi_at(p, close))
        return tsi_parse_expected(p, *close == ')' ? "',' or ')'" : "',' or ']'");
    TS_TRY(tsi_next(p));
    if (kind == N_TUPLE && items.n == 1 && !comma) {
        *out = items.v[0];
        return TS_OK;
    }
    TS_TRY(tsi_parse_node(p, kind, &open, out));
    (*out)->list = (tsi_node **)items.v;
    (*out)->count = items.n;
    return TS_OK;
}

ts_status tsi_parse_atom(tsi_parser *p, bool negative, tsi_node **out)
{
    static const struct {
        const char *name;
        tsi_value value;
    } words[] = {{"None", {.kind = V_NONE}},
                 {"True", {.kind = V_BOOL, .b = true}},
                 {"False", {.kind = V_BOOL, .b = false}},
                 {"...", {.kind = V_ELLIPSIS}}};
    const tsi_token t = p->lx.token;

    switch (t.kind) {
    case T_INT:
        return integer(p, negative, out);
    case T_FLOAT:
        return floating(p, out);
    case T_STRING:
        return string(p, out);
    case T_NAME:
        return tsi_parse_name(p, out);
    default:
        break;
    }
    if (tsi_at(p, "("))
        return bracketed(p, N_TUPLE, ")", out);
    if (tsi_at(p, "["))
        return bracketed(p, N_LIST, "]", out);
    for (size_t i = 0; i < COUNT(words); i++)
        if (tsi_at(p, words[i].name)) {
            TS_TRY(tsi_next(p));
            return constant(p, &t, words[i].value, out);
        }
    if (t.kind == T_KEYWORD)
        FAIL_TOKEN(p, "expected an expression, '%.*s' is not part of one here", (int)t.n,
                   t.at);
    return tsi_parse_expected(p, "an expression");
}

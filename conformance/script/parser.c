/* SPDX-License-Identifier: Apache-2.0 */
/* Parsing: tokens, scopes and limits; see parse_*.c for the constructs. */
#include "parser.h"

#include <stdarg.h>
#include <stdio.h>

static const char *const token_names[] = {"the end of the program",
                                          "the end of the line",
                                          "an indented block",
                                          "the end of the block",
                                          "a name",
                                          "a keyword",
                                          "an integer",
                                          "a number",
                                          "a string",
                                          "an operator"};

ts_status tsi_parse_fail(const tsi_parser *p, int line, int column, const char *format,
                         ...)
{
    char text[300];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return tsi_syntax_error("case_language/C3", p->lx.source->file, line, column, "%s",
                            text);
}

ts_status tsi_parse_expected(const tsi_parser *p, const char *what)
{
    const tsi_token *t = &p->lx.token;

    if (t->kind <= T_DEDENT)
        FAIL_TOKEN(p, "expected %s, found %s", what, token_names[t->kind]);
    FAIL_TOKEN(p, "expected %s, found '%.*s'", what, t->n > 40 ? 40 : (int)t->n, t->at);
}

bool tsi_at(const tsi_parser *p, const char *text)
{
    const tsi_token *t = &p->lx.token;

    return (t->kind == T_OP || t->kind == T_KEYWORD) && *text == *t->at &&
           strlen(text) == t->n && memcmp(text, t->at, t->n) == 0;
}

ts_status tsi_next(tsi_parser *p)
{
    return tsi_lexer_next(&p->lx);
}

ts_status tsi_accept(tsi_parser *p, const char *text, bool *found)
{
    *found = tsi_at(p, text);
    return *found ? tsi_next(p) : TS_OK;
}

ts_status tsi_parse_expect(tsi_parser *p, const char *text)
{
    char what[16];

    if (tsi_at(p, text))
        return tsi_next(p);
    snprintf(what, sizeof what, "'%s'", text);
    return tsi_parse_expected(p, what);
}

bool tsi_parse_push(tsi_parser *p, tsi_list *l, void *item)
{
    if (l->n == l->capacity) {
        const int capacity = l->capacity ? 2 * l->capacity : 8;
        void **v =
            tsi_pool_grow(p->pool, l->v, (size_t)l->n, (size_t)capacity, sizeof *v);

        if (v == NULL)
            return false;
        l->v = v;
        l->capacity = capacity;
    }
    l->v[l->n++] = item;
    return true;
}

ts_status tsi_parse_node(tsi_parser *p, tsi_node_kind kind, const tsi_token *at,
                         tsi_node **out)
{
    if (++p->nodes > TSI_MAX_NODES)
        return tsi_parse_fail(p, at->line, at->column, "program has more than %d nodes",
                              TSI_MAX_NODES);
    *out = tsi_pool_alloc(p->pool, sizeof **out);
    if (*out == NULL)
        NO_MEMORY(p);
    (*out)->kind = (uint8_t)kind;
    (*out)->line = at->line;
    (*out)->column = at->column;
    return TS_OK;
}

ts_status tsi_parse_enter(tsi_parser *p)
{
    if (++p->depth > TSI_MAX_DEPTH)
        FAIL_TOKEN(p, "nested deeper than %d", TSI_MAX_DEPTH);
    return TS_OK;
}

/* --- scopes */

int tsi_scope_find(const tsi_scope *s, const char *name)
{
    for (int i = 0; i < s->n; i++)
        if (s->names[i] == name)
            return i;
    return -1;
}

ts_status tsi_scope_bind(tsi_parser *p, tsi_scope *s, const char *name, int line,
                         int column, int *slot)
{
    if (tsi_is_reserved(name))
        return tsi_parse_fail(p, line, column, "'%s' is the language's own name", name);
    if (strncmp(name, "__", 2) == 0)
        return tsi_parse_fail(p, line, column, "name '%s' starts with '__'", name);
    *slot = tsi_scope_find(s, name);
    if (*slot >= 0)
        return TS_OK;
    if (s->n == s->capacity) {
        const int capacity = s->capacity ? 2 * s->capacity : 8;
        const char **v =
            tsi_pool_grow(p->pool, s->names, (size_t)s->n, (size_t)capacity, sizeof *v);

        if (v == NULL)
            NO_MEMORY(p);
        s->names = v;
        s->capacity = capacity;
    }
    *slot = s->n;
    s->names[s->n++] = name;
    return TS_OK;
}

ts_status tsi_scope_resolve(tsi_parser *p, tsi_scope *s)
{
    for (int i = 0; i < s->pending.n; i++) {
        tsi_node *n = s->pending.v[i];

        if (n->kind != N_NAME)
            continue; /* it turned out to be a target */
        n->slot = tsi_scope_find(s, n->name);
        if (n->slot >= 0)
            n->kind = s->function ? N_LOCAL : N_GLOBAL;
        else if (!s->function)
            FAIL_NODE(p, n, "name '%s' is never assigned", n->name);
        else if (!tsi_parse_push(p, &p->globals.pending, n))
            NO_MEMORY(p);
    }
    return TS_OK;
}

ts_status tsi_parse(tsi_pool *pool, tsi_names *names, const tsi_source *source,
                    tsi_program **out, const char *const **ops, int *nops)
{
    tsi_parser p = {.pool = pool, .names = names};
    tsi_node **place;

    p.scope = &p.globals;
    p.program = tsi_pool_alloc(pool, sizeof *p.program);
    tsi_lexer_init(&p.lx, source);
    if (p.program == NULL)
        NO_MEMORY(&p);
    place = &p.program->body;
    TS_TRY(tsi_next(&p));
    while (p.lx.token.kind != T_END) {
        TS_TRY(tsi_parse_statement(&p, place));
        place = &(*place)->next;
    }
    TS_TRY(tsi_scope_resolve(&p, &p.globals));
    p.program->globals = p.globals.names;
    p.program->nglobals = p.globals.n;
    *out = p.program;
    *ops = (const char *const *)p.ops.v;
    *nops = p.ops.n;
    return TS_OK;
}

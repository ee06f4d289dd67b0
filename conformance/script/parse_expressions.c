/* SPDX-License-Identifier: Apache-2.0 */
/* Expressions: calls, attributes, subscripts, and operators by their precedence. */
#include "parser.h"

#include <stdio.h>

/* --- calls, attributes, subscripts */

static ts_status note_op(tsi_parser *p, const tsi_callee *c)
{
    if (c == NULL || c->op == NULL)
        return TS_OK;
    for (int i = 0; i < p->ops.n; i++)
        if (strcmp(p->ops.v[i], c->op->name) == 0)
            return TS_OK;
    if (!tsi_parse_push(p, &p->ops, (void *)(uintptr_t)c->op->name))
        NO_MEMORY(p);
    return TS_OK;
}

/* name=value, when a name and '=' follow; then *keyword is set and only the value is
 * left. */
static ts_status argument_name(tsi_parser *p, const char **keyword)
{
    const tsi_lexer before = p->lx;

    *keyword = NULL;
    if (p->lx.token.kind != T_NAME)
        return TS_OK;
    TS_TRY(tsi_next(p));
    if (!tsi_at(p, "=")) {
        p->lx = before;
        return TS_OK;
    }
    *keyword = tsi_intern(p->names, before.token.at, before.token.n);
    if (*keyword == NULL)
        NO_MEMORY(p);
    if (strcmp(*keyword, "create_graph") == 0)
        p->program->keeps_graphs = true;
    return tsi_next(p);
}

static bool names_accel(const tsi_node *n)
{
    const char *s = n->kind == N_CONST && n->value.kind == V_STR ? n->value.s : "";

    return strncmp(s, "accel", 5) == 0 && (s[5] == '\0' || s[5] == ':');
}

/* A call that puts something on an accelerator. autocast's settings of one can be read and
 * set anywhere. */
static bool goes_to_accel(const tsi_node *callee, const tsi_node *argument)
{
    const char *name = callee->kind == N_CONST && (callee->value.kind == V_NATIVE ||
                                                   callee->value.kind == V_OP)
                           ? callee->value.callee->name
                           : "";

    return names_accel(argument) && strncmp(name, "amp.", 4) != 0 &&
           strstr(name, "autocast") == NULL && strncmp(name, "expect", 6) != 0;
}

static ts_status call(tsi_parser *p, tsi_node *callee, tsi_node **out)
{
    const tsi_token open = p->lx.token;
    tsi_list items = {0}, keywords = {0};
    bool comma;

    TS_TRY(tsi_next(p));
    while (!tsi_at(p, ")")) {
        const tsi_token at = p->lx.token;
        const char *keyword;
        bool star;
        tsi_node *item;

        if (tsi_at(p, "**"))
            FAIL_TOKEN(p, "'**' arguments are not part of the language");
        TS_TRY(tsi_accept(p, "*", &star));
        if (star)
            keyword = NULL;
        else
            TS_TRY(argument_name(p, &keyword));
        TS_TRY(tsi_parse_expression(p, &item));
        if (goes_to_accel(callee, item))
            p->program->uses_accel = true;
        if (star) {
            tsi_node *s;

            TS_TRY(tsi_parse_node(p, N_STAR, &at, &s));
            s->a = item;
            item = s;
        }
        if (keyword == NULL && keywords.n > 0)
            return tsi_parse_fail(p, at.line, at.column,
                                  "a positional argument after a keyword argument");
        for (int i = 0; i < keywords.n; i++)
            if (keywords.v[i] == keyword)
                return tsi_parse_fail(p, at.line, at.column,
                                      "keyword argument '%s' stands twice", keyword);
        if (items.n == TSI_MAX_CALL_ARGS)
            return tsi_parse_fail(p, at.line, at.column, "more than %d arguments",
                                  TSI_MAX_CALL_ARGS);
        if (!tsi_parse_push(p, &items, item) ||
            (keyword != NULL &&
             !tsi_parse_push(p, &keywords, (void *)(uintptr_t)keyword)))
            NO_MEMORY(p);
        TS_TRY(tsi_accept(p, ",", &comma));
        if (!comma)
            break;
    }
    if (!tsi_at(p, ")"))
        return tsi_parse_expected(p, "',' or ')'");
    TS_TRY(tsi_next(p));
    TS_TRY(tsi_parse_node(p, N_CALL, &open, out));
    (*out)->line = callee->line;
    (*out)->column = callee->column;
    (*out)->a = callee;
    (*out)->list = (tsi_node **)items.v;
    (*out)->count = items.n;
    (*out)->names = (const char **)keywords.v;
    (*out)->keywords = (uint16_t)keywords.n;
    if (callee->kind == N_ATTR)
        return note_op(p, callee->callee);
    if (callee->kind == N_CONST && callee->value.kind == V_OP)
        return note_op(p, callee->value.callee);
    return TS_OK;
}

static ts_status attribute(tsi_parser *p, tsi_node *of, tsi_node **out)
{
    char full[128];

    TS_TRY(tsi_next(p));

    const tsi_token t = p->lx.token;

    if (t.kind != T_NAME)
        return tsi_parse_expected(p, "a name after '.'");
    if (t.n + sizeof "Tensor." > sizeof full)
        FAIL_TOKEN(p, "name longer than %zu characters", sizeof full - sizeof "Tensor.");
    TS_TRY(tsi_parse_node(p, N_ATTR, &t, out));
    (*out)->a = of;
    (*out)->name = tsi_intern(p->names, t.at, t.n);
    snprintf(full, sizeof full, "Tensor.%.*s", (int)t.n, t.at);
    (*out)->callee = tsi_callee_find(p->names, full, strlen(full));
    if ((*out)->name == NULL || (*out)->callee == NULL)
        NO_MEMORY(p);
    if (strcmp((*out)->name, "record_stream") == 0)
        p->program->uses_accel = true;
    if (strncmp((*out)->name, "__", 2) == 0 && (*out)->callee->op == NULL)
        FAIL_TOKEN(p, "name '%s' starts with '__'", (*out)->name);
    return tsi_next(p);
}

static ts_status subscript(tsi_parser *p, tsi_node *of, tsi_node **out)
{
    const tsi_token open = p->lx.token;
    tsi_node *index;

    TS_TRY(tsi_next(p));
    TS_TRY(tsi_parse_list(p, true, "an index", &index));
    TS_TRY(tsi_parse_expect(p, "]"));
    TS_TRY(tsi_parse_node(p, N_INDEX, &open, out));
    (*out)->line = of->line;
    (*out)->column = of->column;
    (*out)->a = of;
    (*out)->b = index;
    return TS_OK;
}

static ts_status postfix(tsi_parser *p, bool negative, tsi_node **out)
{
    TS_TRY(tsi_parse_atom(p, negative, out));
    for (int links = 0;; links++) {
        if (links == TSI_MAX_DEPTH)
            FAIL_TOKEN(p, "nested deeper than %d", TSI_MAX_DEPTH);
        if (tsi_at(p, "("))
            TS_TRY(call(p, *out, out));
        else if (tsi_at(p, "["))
            TS_TRY(subscript(p, *out, out));
        else if (tsi_at(p, "."))
            TS_TRY(attribute(p, *out, out));
        else
            return TS_OK;
    }
}

/* --- operators */

static ts_status unary(tsi_parser *p, tsi_node **out);

static ts_status power(tsi_parser *p, bool negative, tsi_node **out)
{
    const tsi_token at = p->lx.token;
    tsi_node *base;
    bool found;

    TS_TRY(postfix(p, negative, &base));
    *out = base;
    TS_TRY(tsi_accept(p, "**", &found));
    if (!found)
        return TS_OK;
    TS_TRY(tsi_parse_node(p, N_BINARY, &at, out));
    (*out)->op = OP_POW;
    (*out)->a = base;
    return unary(p, &(*out)->b);
}

static ts_status unary_inner(tsi_parser *p, tsi_node **out)
{
    static const struct {
        const char *text;
        tsi_operator op;
    } ops[] = {{"-", OP_NEG}, {"+", OP_POS}, {"~", OP_INVERT}};
    const tsi_token at = p->lx.token;

    for (size_t i = 0; i < COUNT(ops); i++) {
        tsi_node *operand;

        if (!tsi_at(p, ops[i].text))
            continue;
        TS_TRY(tsi_next(p));

        const bool number = p->lx.token.kind == T_INT || p->lx.token.kind == T_FLOAT;

        if (ops[i].op == OP_NEG && number) { /* a signed literal is one token */
            TS_TRY(power(p, true, &operand));
            if (operand->kind == N_CONST) {
                if (operand->value.kind == V_INT)
                    operand->value.i = (int64_t)(0 - (uint64_t)operand->value.i);
                else
                    operand->value.f = -operand->value.f;
                operand->line = at.line;
                operand->column = at.column;
                *out = operand;
                return TS_OK;
            }
        } else {
            TS_TRY(unary(p, &operand));
        }
        TS_TRY(tsi_parse_node(p, N_UNARY, &at, out));
        (*out)->op = (uint8_t)ops[i].op;
        (*out)->a = operand;
        return TS_OK;
    }
    return power(p, false, out);
}

static ts_status unary(tsi_parser *p, tsi_node **out)
{
    TS_TRY(tsi_parse_enter(p));

    const ts_status s = unary_inner(p, out);

    p->depth--;
    return s;
}

static const struct {
    const char *text;
    tsi_operator op;
    int precedence;
} binaries[] = {
    {"|", OP_OR, 1},      {"^", OP_XOR, 2},       {"&", OP_AND, 3}, {"<<", OP_LSHIFT, 4},
    {">>", OP_RSHIFT, 4}, {"+", OP_ADD, 5},       {"-", OP_SUB, 5}, {"*", OP_MUL, 6},
    {"/", OP_DIV, 6},     {"//", OP_FLOORDIV, 6}, {"%", OP_MOD, 6}, {"@", OP_MATMUL, 6},
};

static ts_status binary(tsi_parser *p, int least, tsi_node **out)
{
    const tsi_token at = p->lx.token;

    TS_TRY(unary(p, out));
    for (int links = 0;; links++) {
        size_t i = 0;
        tsi_node *n;

        while (i < COUNT(binaries) && !tsi_at(p, binaries[i].text))
            i++;
        if (i == COUNT(binaries) || binaries[i].precedence < least)
            return TS_OK;
        if (links == TSI_MAX_DEPTH)
            FAIL_TOKEN(p, "nested deeper than %d", TSI_MAX_DEPTH);
        TS_TRY(tsi_next(p));
        TS_TRY(tsi_parse_node(p, N_BINARY, &at, &n));
        n->op = (uint8_t)binaries[i].op;
        n->a = *out;
        TS_TRY(binary(p, binaries[i].precedence + 1, &n->b));
        *out = n;
    }
}

static ts_status compare_operator(tsi_parser *p, tsi_operator *op, bool *found)
{
    static const struct {
        const char *text;
        tsi_operator op;
    } ops[] = {{"==", OP_EQ}, {"!=", OP_NE}, {"<=", OP_LE},
               {">=", OP_GE}, {"<", OP_LT},  {">", OP_GT}};

    *found = false;
    for (size_t i = 0; i < COUNT(ops); i++)
        if (tsi_at(p, ops[i].text)) {
            *op = ops[i].op;
            *found = true;
            return tsi_next(p);
        }
    if (tsi_at(p, "in"))
        FAIL_TOKEN(p, "'in' is part of 'for' only");
    if (!tsi_at(p, "is"))
        return TS_OK;
    *found = true;
    *op = OP_IS;
    TS_TRY(tsi_next(p));
    if (tsi_at(p, "not")) {
        *op = OP_IS_NOT;
        return tsi_next(p);
    }
    return TS_OK;
}

static ts_status comparison(tsi_parser *p, tsi_node **out)
{
    const tsi_token at = p->lx.token;
    tsi_operator op;
    bool found;
    tsi_node *n;

    TS_TRY(binary(p, 1, out));
    /* in `for a in …` the word belongs to the statement */
    if (tsi_at(p, "in"))
        return TS_OK;
    TS_TRY(compare_operator(p, &op, &found));
    if (!found)
        return TS_OK;
    TS_TRY(tsi_parse_node(p, N_COMPARE, &at, &n));
    n->op = (uint8_t)op;
    n->a = *out;
    TS_TRY(binary(p, 1, &n->b));
    *out = n;

    const tsi_token more = p->lx.token;

    TS_TRY(compare_operator(p, &op, &found));
    if (found)
        return tsi_parse_fail(p, more.line, more.column,
                              "chained comparisons are not part of the language");
    return TS_OK;
}

static ts_status negation(tsi_parser *p, tsi_node **out)
{
    const tsi_token at = p->lx.token;
    bool found;
    tsi_node *n;

    TS_TRY(tsi_accept(p, "not", &found));
    if (!found)
        return comparison(p, out);
    TS_TRY(tsi_parse_enter(p));
    TS_TRY(tsi_parse_node(p, N_NOT, &at, &n));
    TS_TRY(negation(p, &n->a));
    p->depth--;
    *out = n;
    return TS_OK;
}

static ts_status logical(tsi_parser *p, tsi_node_kind kind, tsi_node **out)
{
    const tsi_token at = p->lx.token;
    bool found;

    TS_TRY(kind == N_OR ? logical(p, N_AND, out) : negation(p, out));
    for (int links = 0;; links++) {
        tsi_node *n;

        TS_TRY(tsi_accept(p, kind == N_OR ? "or" : "and", &found));
        if (!found)
            return TS_OK;
        if (links == TSI_MAX_DEPTH)
            FAIL_TOKEN(p, "nested deeper than %d", TSI_MAX_DEPTH);
        TS_TRY(tsi_parse_node(p, kind, &at, &n));
        n->a = *out;
        TS_TRY(kind == N_OR ? logical(p, N_AND, &n->b) : negation(p, &n->b));
        *out = n;
    }
}

ts_status tsi_parse_expression(tsi_parser *p, tsi_node **out)
{
    TS_TRY(logical(p, N_OR, out));
    if (tsi_at(p, "if"))
        FAIL_TOKEN(p, "'a if b else c' is not part of the language");
    return TS_OK;
}

/* a:b:c or an expression, inside a subscript. */
static ts_status index_item(tsi_parser *p, tsi_node **out)
{
    const tsi_token at = p->lx.token;
    tsi_node *part = NULL, *n;
    bool colon;

    if (!tsi_at(p, ":"))
        TS_TRY(tsi_parse_expression(p, &part));
    *out = part;
    TS_TRY(tsi_accept(p, ":", &colon));
    if (!colon)
        return TS_OK;
    TS_TRY(tsi_parse_node(p, N_SLICE, &at, &n));
    n->a = part;
    if (!tsi_at(p, ":") && !tsi_at(p, ",") && !tsi_at(p, "]"))
        TS_TRY(tsi_parse_expression(p, &n->b));
    TS_TRY(tsi_accept(p, ":", &colon));
    if (colon && !tsi_at(p, ",") && !tsi_at(p, "]"))
        TS_TRY(tsi_parse_expression(p, &n->c));
    *out = n;
    return TS_OK;
}

/* One expression, or several with commas: a tuple. */
ts_status tsi_parse_list(tsi_parser *p, bool index, const char *what, tsi_node **out)
{
    const tsi_token at = p->lx.token;
    tsi_list items = {0};
    bool comma = false;

    if (tsi_at(p, "]") || at.kind == T_NEWLINE || at.kind == T_END)
        return tsi_parse_expected(p, what);
    for (;;) {
        tsi_node *item;

        TS_TRY(index ? index_item(p, &item) : tsi_parse_expression(p, &item));
        if (!tsi_parse_push(p, &items, item))
            NO_MEMORY(p);
        TS_TRY(tsi_accept(p, ",", &comma));
        if (!comma || tsi_at(p, "]") || tsi_at(p, "=") || p->lx.token.kind == T_NEWLINE ||
            p->lx.token.kind == T_END)
            break;
    }
    if (items.n == 1 && !comma) {
        *out = items.v[0];
        return TS_OK;
    }
    TS_TRY(tsi_parse_node(p, N_TUPLE, &at, out));
    (*out)->list = (tsi_node **)items.v;
    (*out)->count = items.n;
    return TS_OK;
}

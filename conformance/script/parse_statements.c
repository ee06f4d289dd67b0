/* SPDX-License-Identifier: Apache-2.0 */
/* Statements and blocks. */
#include "parser.h"

#define TSI_WORDS_SETTABLE
#include "words_language.h"

static ts_status block(tsi_parser *p, tsi_node **out);

/* Make an expression a place to assign to. */
static ts_status target(tsi_parser *p, tsi_node *n, bool single)
{
    switch (n->kind) {
    case N_NAME:
        TS_TRY(tsi_scope_bind(p, p->scope, n->name, n->line, n->column, &n->slot));
        n->kind = p->scope->function ? N_LOCAL : N_GLOBAL;
        return TS_OK;
    case N_LOCAL:
    case N_GLOBAL:
    case N_INDEX:
        return TS_OK;
    case N_ATTR:
        if (!tsi_in_list(settable, COUNT(settable), n->name) &&
            !((n->a->kind == N_NAME || n->a->kind == N_LOCAL) &&
              strcmp(n->a->name, "ctx") == 0))
            FAIL_NODE(p, n, "attribute '%s' cannot be assigned", n->name);
        return TS_OK;
    case N_TUPLE:
    case N_LIST:
        if (single)
            break;
        for (int i = 0; i < n->count; i++)
            TS_TRY(target(p, n->list[i], false));
        return TS_OK;
    default:
        break;
    }
    if (n->kind == N_CONST && n->value.kind >= V_OP && n->value.kind <= V_MISSING)
        FAIL_NODE(p, n, "'%s' is the language's own name", n->value.callee->name);
    FAIL_NODE(p, n, "this cannot be assigned to");
}

static ts_status augmented(tsi_parser *p, tsi_operator *op, bool *found)
{
    static const struct {
        const char *text;
        tsi_operator op;
    } ops[] = {{"+=", OP_ADD},       {"-=", OP_SUB}, {"*=", OP_MUL},  {"/=", OP_DIV},
               {"//=", OP_FLOORDIV}, {"%=", OP_MOD}, {"**=", OP_POW}, {"@=", OP_MATMUL},
               {"&=", OP_AND},       {"|=", OP_OR},  {"^=", OP_XOR},  {"<<=", OP_LSHIFT},
               {">>=", OP_RSHIFT}};

    *found = false;
    for (size_t i = 0; i < COUNT(ops); i++)
        if (tsi_at(p, ops[i].text)) {
            *op = ops[i].op;
            *found = true;
            return tsi_next(p);
        }
    return TS_OK;
}

static ts_status end_of_line(tsi_parser *p)
{
    if (p->lx.token.kind == T_END)
        return TS_OK;
    if (tsi_at(p, ";"))
        FAIL_TOKEN(p, "one statement a line: ';' is not part of the language");
    if (p->lx.token.kind != T_NEWLINE)
        return tsi_parse_expected(p, "an operator or the end of the line");
    return tsi_next(p);
}

static ts_status simple(tsi_parser *p, tsi_node **out)
{
    const tsi_token at = p->lx.token;
    tsi_node *left;
    tsi_operator op = OP_ADD;
    bool found;

    TS_TRY(tsi_parse_list(p, false, "a statement", &left));
    if (tsi_at(p, ":"))
        FAIL_TOKEN(p, "annotations are not part of the language");
    TS_TRY(augmented(p, &op, &found));
    if (found) {
        TS_TRY(target(p, left, true));
        TS_TRY(tsi_parse_node(p, S_AUGMENT, &at, out));
        (*out)->op = (uint8_t)op;
        (*out)->a = left;
        TS_TRY(tsi_parse_list(p, false, "an expression", &(*out)->b));
        return end_of_line(p);
    }
    TS_TRY(tsi_accept(p, "=", &found));
    if (!found) {
        if (left->kind != N_CALL)
            FAIL_NODE(p, left, "an expression alone must be a call");
        TS_TRY(tsi_parse_node(p, S_EXPR, &at, out));
        (*out)->a = left;
        return end_of_line(p);
    }
    TS_TRY(target(p, left, false));
    TS_TRY(tsi_parse_node(p, S_ASSIGN, &at, out));
    (*out)->a = left;
    TS_TRY(tsi_parse_list(p, false, "an expression", &(*out)->b));
    if (tsi_at(p, "="))
        FAIL_TOKEN(p, "one target at a time: 'a = b = c' is not part of the language");
    return end_of_line(p);
}

static ts_status parameters(tsi_parser *p, tsi_scope *s, tsi_function *f)
{
    tsi_list names = {0}, defaults = {0};
    bool comma, given = false;

    TS_TRY(tsi_parse_expect(p, "("));
    while (!tsi_at(p, ")")) {
        const tsi_token *t = &p->lx.token;
        bool equals;
        tsi_node *value = NULL;
        int slot;

        if (f->varargs)
            FAIL_TOKEN(p, "'*name' is the last parameter");
        if (tsi_at(p, "**"))
            FAIL_TOKEN(p, "'**' parameters are not part of the language");
        TS_TRY(tsi_accept(p, "*", &f->varargs));
        if (t->kind != T_NAME)
            return tsi_parse_expected(p, "a parameter's name");

        const char *name = tsi_intern(p->names, t->at, t->n);

        if (name == NULL)
            NO_MEMORY(p);
        if (tsi_scope_find(s, name) >= 0)
            FAIL_TOKEN(p, "parameter '%s' stands twice", name);
        TS_TRY(tsi_scope_bind(p, s, name, t->line, t->column, &slot));
        TS_TRY(tsi_next(p));
        TS_TRY(tsi_accept(p, "=", &equals));
        if (equals) {
            TS_TRY(tsi_parse_expression(p, &value)); /* in the outer scope */
            given = true;
        } else if (given && !f->varargs) {
            FAIL_TOKEN(p, "parameter '%s' without a default after one that has it", name);
        }
        if (!tsi_parse_push(p, &names, (void *)(uintptr_t)name) ||
            !tsi_parse_push(p, &defaults, value))
            NO_MEMORY(p);
        TS_TRY(tsi_accept(p, ",", &comma));
        if (!comma)
            break;
    }
    f->params = (const char **)names.v;
    f->defaults = (tsi_node **)defaults.v;
    f->nparams = names.n;
    if (f->nparams > TSI_MAX_CALL_ARGS)
        FAIL_TOKEN(p, "more than %d parameters", TSI_MAX_CALL_ARGS);
    return tsi_parse_expect(p, ")");
}

/* After 'def'. The name is bound in the scope outside unless `method`. */
static ts_status definition(tsi_parser *p, const tsi_token *at, bool method,
                            tsi_node **out)
{
    tsi_scope s = {.function = true}, *outer = p->scope;
    tsi_function *f = tsi_pool_alloc(p->pool, sizeof *f);

    if (f == NULL)
        NO_MEMORY(p);
    if (outer->function)
        return tsi_parse_fail(p, at->line, at->column,
                              "'def' inside a function is not part of the language");
    if (p->lx.token.kind != T_NAME)
        return tsi_parse_expected(p, "the function's name");
    f->name = tsi_intern(p->names, p->lx.token.at, p->lx.token.n);
    if (f->name == NULL)
        NO_MEMORY(p);
    TS_TRY(tsi_parse_node(p, S_DEF, at, out));
    if (!method)
        TS_TRY(tsi_scope_bind(p, outer, f->name, p->lx.token.line, p->lx.token.column,
                              &(*out)->slot));
    f->index = p->program->nfunctions++;
    TS_TRY(tsi_next(p));
    TS_TRY(parameters(p, &s, f));
    if (tsi_at(p, "->"))
        FAIL_TOKEN(p, "annotations are not part of the language");
    p->scope = &s;
    TS_TRY(block(p, &(*out)->c));
    TS_TRY(tsi_scope_resolve(p, &s));
    p->scope = outer;
    f->nlocals = s.n;
    (*out)->function = f;
    (*out)->name = f->name;
    return TS_OK;
}

static bool is_name(const tsi_parser *p, const char *name)
{
    return p->lx.token.kind == T_NAME && p->lx.token.n == strlen(name) &&
           memcmp(p->lx.token.at, name, p->lx.token.n) == 0;
}

static ts_status decorator(tsi_parser *p, const char *name, const char *what)
{
    if (!tsi_at(p, "@"))
        return tsi_parse_expected(p, what);
    TS_TRY(tsi_next(p));
    if (!is_name(p, name))
        return tsi_parse_expected(p, what);
    TS_TRY(tsi_next(p));
    return end_of_line(p);
}

static ts_status method(tsi_parser *p, tsi_node *class_)
{
    const tsi_token at = p->lx.token;
    tsi_node *def, **place = NULL;
    bool once;

    TS_TRY(decorator(p, "staticmethod", "'@staticmethod'"));
    once = tsi_at(p, "@");
    if (once)
        TS_TRY(decorator(p, "once_differentiable", "'@once_differentiable'"));
    TS_TRY(tsi_parse_expect(p, "def"));
    if (is_name(p, "backward"))
        place = &class_->b;
    else if (once)
        return tsi_parse_expected(
            p, "'backward', the one method that is '@once_differentiable'");
    else if (is_name(p, "forward"))
        place = &class_->a;
    else if (is_name(p, "setup_context"))
        place = &class_->c;
    else
        return tsi_parse_expected(p, "'forward', 'setup_context' or 'backward'");
    if (*place != NULL)
        FAIL_TOKEN(p, "method stands twice");
    TS_TRY(definition(p, &at, true, &def));
    def->function->once = once;
    *place = def;
    return TS_OK;
}

static ts_status class_(tsi_parser *p, const tsi_token *at, tsi_node **out)
{
    char base[64] = "";
    size_t n = 0;

    if (p->scope->function)
        return tsi_parse_fail(p, at->line, at->column,
                              "'class' inside a function is not part of the language");
    if (p->lx.token.kind != T_NAME)
        return tsi_parse_expected(p, "the class's name");
    TS_TRY(tsi_parse_node(p, S_CLASS, at, out));
    (*out)->name = tsi_intern(p->names, p->lx.token.at, p->lx.token.n);
    if ((*out)->name == NULL)
        NO_MEMORY(p);
    TS_TRY(tsi_scope_bind(p, p->scope, (*out)->name, p->lx.token.line, p->lx.token.column,
                          &(*out)->slot));
    TS_TRY(tsi_next(p));
    TS_TRY(tsi_parse_expect(p, "("));

    const tsi_token t = p->lx.token;

    while (p->lx.token.kind == T_NAME || tsi_at(p, ".")) {
        if (n + p->lx.token.n >= sizeof base)
            break;
        memcpy(base + n, p->lx.token.at, p->lx.token.n);
        n += p->lx.token.n;
        TS_TRY(tsi_next(p));
    }
    if (strcmp(base, "Function") != 0 && strcmp(base, "autograd.Function") != 0 &&
        strcmp(base, "torch.autograd.Function") != 0)
        return tsi_parse_fail(p, t.line, t.column,
                              "expected 'Function' as the base class");
    TS_TRY(tsi_parse_expect(p, ")"));
    TS_TRY(tsi_parse_expect(p, ":"));
    if (p->lx.token.kind != T_NEWLINE)
        return tsi_parse_expected(p, "the end of the line");
    TS_TRY(tsi_next(p));
    if (p->lx.token.kind != T_INDENT)
        return tsi_parse_expected(p, "an indented block");
    TS_TRY(tsi_next(p));
    while (p->lx.token.kind != T_DEDENT)
        TS_TRY(method(p, *out));
    TS_TRY(tsi_next(p));
    if ((*out)->a == NULL)
        return tsi_parse_fail(p, at->line, at->column, "class '%s' has no forward",
                              (*out)->name);
    return TS_OK;
}

static ts_status if_(tsi_parser *p, const tsi_token *at, tsi_node **out)
{
    const tsi_token here = p->lx.token;

    TS_TRY(tsi_parse_enter(p));
    TS_TRY(tsi_parse_node(p, S_IF, at, out));
    TS_TRY(tsi_parse_expression(p, &(*out)->a));
    TS_TRY(block(p, &(*out)->c));
    if (tsi_at(p, "elif")) {
        TS_TRY(tsi_next(p));
        TS_TRY(if_(p, &here, &(*out)->b));
    } else if (tsi_at(p, "else")) {
        TS_TRY(tsi_next(p));
        TS_TRY(block(p, &(*out)->b));
    }
    p->depth--;
    return TS_OK;
}

static ts_status for_(tsi_parser *p, const tsi_token *at, tsi_node **out)
{
    tsi_node *range;

    TS_TRY(tsi_parse_node(p, S_FOR, at, out));
    if (p->lx.token.kind != T_NAME)
        return tsi_parse_expected(p, "a name after 'for'");
    TS_TRY(tsi_parse_name(p, &(*out)->a));
    TS_TRY(target(p, (*out)->a, true));
    TS_TRY(tsi_parse_expect(p, "in"));
    TS_TRY(tsi_parse_expression(p, &range));
    if (range->kind != N_CALL || range->a->kind != N_CONST ||
        range->a->value.kind != V_NATIVE ||
        range->a->value.callee->native != NATIVE_RANGE)
        FAIL_NODE(p, range, "expected range(…) after 'in'");
    (*out)->b = range;
    TS_TRY(block(p, &(*out)->c));
    if (tsi_at(p, "else"))
        FAIL_TOKEN(p, "'else' of a loop is not part of the language");
    return TS_OK;
}

/* with a as b, c: … nests. */
static ts_status with(tsi_parser *p, const tsi_token *at, tsi_node **out)
{
    bool found;

    TS_TRY(tsi_parse_node(p, S_WITH, at, out));
    TS_TRY(tsi_parse_expression(p, &(*out)->a));
    if ((*out)->a->kind != N_CALL)
        FAIL_NODE(p, (*out)->a, "expected a call after 'with'");
    TS_TRY(tsi_accept(p, "as", &found));
    if (found) {
        if (p->lx.token.kind != T_NAME)
            return tsi_parse_expected(p, "a name after 'as'");
        TS_TRY(tsi_parse_name(p, &(*out)->b));
        TS_TRY(target(p, (*out)->b, true));
    }
    TS_TRY(tsi_accept(p, ",", &found));
    if (!found)
        return block(p, &(*out)->c);
    TS_TRY(tsi_parse_enter(p));
    TS_TRY(with(p, at, &(*out)->c));
    p->depth--;
    return TS_OK;
}

static ts_status del(tsi_parser *p, const tsi_token *at, tsi_node **out)
{
    TS_TRY(tsi_parse_node(p, S_DEL, at, out));
    if (p->lx.token.kind != T_NAME)
        return tsi_parse_expected(p, "a name after 'del'");
    TS_TRY(tsi_parse_name(p, &(*out)->a));
    TS_TRY(target(p, (*out)->a, true));
    return end_of_line(p);
}

ts_status tsi_parse_statement(tsi_parser *p, tsi_node **out)
{
    const tsi_token at = p->lx.token;

    if (at.kind == T_INDENT)
        FAIL_TOKEN(p, "unexpected indentation");
    if (at.kind != T_KEYWORD || tsi_at(p, "None") || tsi_at(p, "True") ||
        tsi_at(p, "False") || tsi_at(p, "not"))
        return simple(p, out);
    if (tsi_at(p, "pass")) {
        TS_TRY(tsi_next(p));
        TS_TRY(tsi_parse_node(p, S_PASS, &at, out));
        return end_of_line(p);
    }
    if (tsi_at(p, "return")) {
        if (!p->scope->function)
            FAIL_TOKEN(p, "'return' outside a function");
        TS_TRY(tsi_next(p));
        TS_TRY(tsi_parse_node(p, S_RETURN, &at, out));
        if (p->lx.token.kind != T_NEWLINE && p->lx.token.kind != T_END)
            TS_TRY(tsi_parse_list(p, false, "an expression", &(*out)->a));
        return end_of_line(p);
    }

    static const struct {
        const char *word;
        ts_status (*parse)(tsi_parser *, const tsi_token *, tsi_node **);
    } words[] = {
        {"if", if_}, {"for", for_}, {"with", with}, {"del", del}, {"class", class_}};

    for (size_t i = 0; i < COUNT(words); i++)
        if (tsi_at(p, words[i].word)) {
            TS_TRY(tsi_next(p));
            return words[i].parse(p, &at, out);
        }
    if (tsi_at(p, "def")) {
        TS_TRY(tsi_next(p));
        return definition(p, &at, false, out);
    }
    FAIL_TOKEN(p, "'%.*s' is not part of the language%s", (int)at.n, at.at,
               tsi_at(p, "else") || tsi_at(p, "elif") ? " without its 'if'" : "");
}

static ts_status block(tsi_parser *p, tsi_node **out)
{
    tsi_node **place = out;

    TS_TRY(tsi_parse_expect(p, ":"));
    if (p->lx.token.kind != T_NEWLINE) { /* if a: b = c */
        if (p->lx.token.kind == T_KEYWORD && !tsi_at(p, "pass") && !tsi_at(p, "return") &&
            !tsi_at(p, "del"))
            return tsi_parse_expected(p, "a simple statement or the end of the line");
        return tsi_parse_statement(p, out);
    }
    TS_TRY(tsi_next(p));
    if (p->lx.token.kind != T_INDENT)
        return tsi_parse_expected(p, "an indented block");
    TS_TRY(tsi_parse_enter(p));
    TS_TRY(tsi_next(p));
    while (p->lx.token.kind != T_DEDENT) {
        TS_TRY(tsi_parse_statement(p, place));
        place = &(*place)->next;
    }
    p->depth--;
    return tsi_next(p);
}

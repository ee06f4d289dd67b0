/* SPDX-License-Identifier: Apache-2.0 */
/* Recursive descent over the subset of Python that spec/areas/case_language.md lists. */
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lexer.h"
#include "module.h"
#include "names.h"

/* Pointers that are collected while parsing; memory comes from the pool. */
typedef struct list {
    void **v;
    int n, capacity;
} list;

typedef struct scope {
    const char **names;
    int n, capacity;
    list pending; /* N_NAME nodes whose meaning is known when the scope ends */
    bool function;
} scope;

typedef struct parser {
    tsi_lexer lx;
    tsi_pool *pool;
    tsi_names *names;
    tsi_program *program;
    scope globals, *scope;
    list ops; /* names of called ops */
    int nodes, depth;
} parser;

static const char *const modules[] = {"torch", "F",        "autograd", "func",
                                      "dist",  "fc",       "optim",    "amp",
                                      "accel", "profiler", "library"};
/* Dotted names that only lead on to others. */
static const char *const namespaces[] = {"torch.nn", "torch.nn.functional",
                                         "torch.autograd"};
static const char *const bare[] = {"normal",
                                   "uniform",
                                   "integers",
                                   "bools",
                                   "permutation",
                                   "distinct",
                                   "data",
                                   "expect",
                                   "expect_equal",
                                   "expect_view_of",
                                   "expect_copy_of",
                                   "expect_same",
                                   "expect_strides",
                                   "expect_any",
                                   "expect_untouched",
                                   "expect_warns",
                                   "expect_error",
                                   "expect_close",
                                   "range",
                                   "len",
                                   "min",
                                   "max",
                                   "int",
                                   "float",
                                   "bool",
                                   "abs"};
static const struct {
    const char *name;
    ts_dtype dtype;
} dtype_aliases[] = {
    {"double", TS_FLOAT64}, {"float", TS_FLOAT32}, {"half", TS_FLOAT16},
    {"long", TS_INT64},     {"int", TS_INT32},     {"short", TS_INT16},
};

#define COUNT(a) (sizeof(a) / sizeof(a)[0])

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

static ts_status fail_at(const parser *p, int line, int column, const char *format, ...)
    TS_PRINTF(4, 5);

static ts_status fail_at(const parser *p, int line, int column, const char *format, ...)
{
    char text[300];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return tsi_syntax_error("case_language/C3", p->lx.source->file, line, column, "%s",
                            text);
}

#define FAIL_NODE(p, node, ...) \
    return fail_at(p, (node)->line, (node)->column, __VA_ARGS__)
#define FAIL_TOKEN(p, ...) \
    return fail_at(p, (p)->lx.token.line, (p)->lx.token.column, __VA_ARGS__)
#define NO_MEMORY(p)                                            \
    return fail_at(p, (p)->lx.token.line, (p)->lx.token.column, \
                   "the file needs more memory than a file may")

static ts_status expected(const parser *p, const char *what)
{
    const tsi_token *t = &p->lx.token;

    if (t->kind <= T_DEDENT)
        FAIL_TOKEN(p, "expected %s, found %s", what, token_names[t->kind]);
    FAIL_TOKEN(p, "expected %s, found '%.*s'", what, t->n > 40 ? 40 : (int)t->n, t->at);
}

static bool is(const parser *p, const char *text)
{
    const tsi_token *t = &p->lx.token;

    return (t->kind == T_OP || t->kind == T_KEYWORD) && *text == *t->at &&
           strlen(text) == t->n && memcmp(text, t->at, t->n) == 0;
}

static ts_status next(parser *p)
{
    return tsi_lexer_next(&p->lx);
}

static ts_status accept(parser *p, const char *text, bool *found)
{
    *found = is(p, text);
    return *found ? next(p) : TS_OK;
}

static ts_status expect(parser *p, const char *text)
{
    char what[16];

    if (is(p, text))
        return next(p);
    snprintf(what, sizeof what, "'%s'", text);
    return expected(p, what);
}

static bool push(parser *p, list *l, void *item)
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

static ts_status new_node(parser *p, tsi_node_kind kind, const tsi_token *at,
                          tsi_node **out)
{
    if (++p->nodes > TSI_MAX_NODES)
        return fail_at(p, at->line, at->column, "program has more than %d nodes",
                       TSI_MAX_NODES);
    *out = tsi_pool_alloc(p->pool, sizeof **out);
    if (*out == NULL)
        NO_MEMORY(p);
    (*out)->kind = (uint8_t)kind;
    (*out)->line = at->line;
    (*out)->column = at->column;
    return TS_OK;
}

static ts_status enter(parser *p)
{
    if (++p->depth > TSI_MAX_DEPTH)
        FAIL_TOKEN(p, "nested deeper than %d", TSI_MAX_DEPTH);
    return TS_OK;
}

static bool in_list(const char *const *names, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

static bool is_reserved(const char *name)
{
    return in_list(modules, COUNT(modules), name) || in_list(bare, COUNT(bare), name) ||
           strcmp(name, "Function") == 0 || strcmp(name, "once_differentiable") == 0 ||
           (strstr(name, "Error") != NULL &&
            ts_status_from_name(name) != TS_STATUS_COUNT);
}

/* --- scopes ---------------------------------------------------------------------------
 */

static int find(const scope *s, const char *name)
{
    for (int i = 0; i < s->n; i++)
        if (s->names[i] == name)
            return i;
    return -1;
}

static ts_status bind_name(parser *p, scope *s, const char *name, int line, int column,
                           int *slot)
{
    if (is_reserved(name))
        return fail_at(p, line, column, "'%s' is the language's own name", name);
    if (strncmp(name, "__", 2) == 0)
        return fail_at(p, line, column, "name '%s' starts with '__'", name);
    *slot = find(s, name);
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

static ts_status resolve(parser *p, scope *s)
{
    for (int i = 0; i < s->pending.n; i++) {
        tsi_node *n = s->pending.v[i];

        if (n->kind != N_NAME)
            continue; /* it turned out to be a target */
        n->slot = find(s, n->name);
        if (n->slot >= 0)
            n->kind = s->function ? N_LOCAL : N_GLOBAL;
        else if (!s->function)
            FAIL_NODE(p, n, "name '%s' is never assigned", n->name);
        else if (!push(p, &p->globals.pending, n))
            NO_MEMORY(p);
    }
    return TS_OK;
}

/* --- atoms ----------------------------------------------------------------------------
 */

static ts_status expression(parser *p, tsi_node **out);
static ts_status expression_list(parser *p, bool index, const char *what, tsi_node **out);
static ts_status unary(parser *p, tsi_node **out);

static ts_status constant(parser *p, const tsi_token *at, tsi_value v, tsi_node **out)
{
    TS_TRY(new_node(p, N_CONST, at, out));
    (*out)->value = v;
    return TS_OK;
}

/* `negative`: a minus sign stood before, so that 2**63 is in range. */
static ts_status integer(parser *p, bool negative, tsi_node **out)
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
    TS_TRY(next(p));
    if (negative && u > INT64_MAX &&
        (is(p, "**") || is(p, "[") || is(p, ".") || is(p, "(")))
        return fail_at(p, t.line, t.column, "integer %s does not fit in 64 bits", text);
    return constant(p, &t, (tsi_value){.kind = V_INT, .i = (int64_t)u}, out);
}

static ts_status floating(parser *p, tsi_node **out)
{
    const tsi_token t = p->lx.token;
    char text[400];

    if (t.n >= sizeof text)
        FAIL_TOKEN(p, "number longer than %zu characters", sizeof text - 1);
    memcpy(text, t.at, t.n);
    text[t.n] = '\0';
    TS_TRY(next(p));
    return constant(p, &t, (tsi_value){.kind = V_FLOAT, .f = strtod(text, NULL)}, out);
}

static ts_status string(parser *p, tsi_node **out)
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
    TS_TRY(next(p));
    if (p->lx.token.kind == T_STRING)
        return expected(p, "an operator between two strings");
    return constant(p, &t, (tsi_value){.kind = V_STR, .s = s}, out);
}

static ts_status callee_value(parser *p, const tsi_token *at, const char *name, size_t n,
                              tsi_node **out)
{
    const tsi_callee *c = tsi_callee_find(p->names, name, n);

    if (c == NULL)
        NO_MEMORY(p);
    if (c->native == NATIVE_EXPECT_UNTOUCHED)
        p->program->looks_untouched = true;
    if (c->constant != NULL)
        return constant(p, at, (tsi_value){.kind = V_INT, .i = c->constant->value}, out);
    return constant(p, at,
                    (tsi_value){.kind = c->native || c->module ? V_NATIVE
                                        : c->op                ? V_OP
                                                               : V_MISSING,
                                .callee = c},
                    out);
}

/* torch.<name> that is a value, not a function. */
static bool torch_constant(const char *name, tsi_value *v)
{
    static const struct {
        const char *name;
        ts_memory_format format;
    } formats[] = {{"contiguous_format", TS_CONTIGUOUS_FORMAT},
                   {"preserve_format", TS_PRESERVE_FORMAT},
                   {"channels_last", TS_CHANNELS_LAST}};
    const ts_dtype dtype = ts_dtype_from_name(name);

    *v = (tsi_value){.kind = V_DTYPE, .dtype = dtype};
    if (dtype != TS_DTYPE_NONE)
        return true;
    for (size_t i = 0; i < COUNT(dtype_aliases); i++)
        if (strcmp(dtype_aliases[i].name, name) == 0) {
            v->dtype = dtype_aliases[i].dtype;
            return true;
        }
    for (size_t i = 0; i < COUNT(formats); i++)
        if (strcmp(formats[i].name, name) == 0) {
            *v = (tsi_value){.kind = V_FORMAT, .format = formats[i].format};
            return true;
        }
    v->kind = V_FLOAT;
    if (strcmp(name, "inf") == 0)
        v->f = INFINITY;
    else if (strcmp(name, "nan") == 0)
        v->f = NAN;
    else if (strcmp(name, "pi") == 0)
        v->f = 3.14159265358979323846;
    else
        return false;
    return true;
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
static ts_status module_path(parser *p, const tsi_token *at, tsi_node **out)
{
    char path[128];
    size_t n = at->n;
    tsi_value v;

    memcpy(path, at->at, n);
    path[n] = '\0';
    if (!is(p, "."))
        return expected(p, "'.' after a module's name");
    for (;;) {
        const tsi_token *t = &p->lx.token;

        TS_TRY(next(p));
        if (t->kind != T_NAME)
            return expected(p, "a name after '.'");
        if (n + 1 + t->n >= sizeof path)
            FAIL_TOKEN(p, "name longer than %zu characters", sizeof path - 1);
        path[n] = '.';
        memcpy(path + n + 1, t->at, t->n);
        n += 1 + t->n;
        path[n] = '\0';
        shorten(path);
        n = strlen(path);
        TS_TRY(next(p));
        if (strncmp(path, "torch.", 6) == 0 && torch_constant(path + 6, &v))
            return constant(p, at, v, out);
        if (!is(p, "."))
            break;
        if (in_list(namespaces, COUNT(namespaces), path))
            continue;

        const tsi_callee *c = tsi_callee_find(p->names, path, n);

        if (c == NULL)
            NO_MEMORY(p);
        if (c->native || c->op || c->module || c->constant)
            break;
    }
    return callee_value(p, at, path, n, out);
}

static ts_status name_atom(parser *p, tsi_node **out)
{
    const tsi_token t = p->lx.token;
    const char *name = tsi_intern(p->names, t.at, t.n);

    if (name == NULL)
        NO_MEMORY(p);
    TS_TRY(next(p));
    if (in_list(modules, COUNT(modules), name))
        return module_path(p, &t, out);
    if (in_list(bare, COUNT(bare), name))
        return callee_value(p, &t, name, t.n, out);
    if (is_reserved(name)) {
        if (strcmp(name, "Function") == 0)
            return fail_at(p, t.line, t.column,
                           "Function stands in 'class F(Function)' only");
        if (strcmp(name, "once_differentiable") == 0)
            return fail_at(p, t.line, t.column,
                           "once_differentiable is a decorator of backward only");
        return constant(
            p, &t, (tsi_value){.kind = V_ERROR, .error = ts_status_from_name(name)}, out);
    }
    TS_TRY(new_node(p, N_NAME, &t, out));
    (*out)->name = name;
    if (!push(p, &p->scope->pending, *out))
        NO_MEMORY(p);
    return TS_OK;
}

static ts_status bracketed(parser *p, tsi_node_kind kind, const char *close,
                           tsi_node **out)
{
    const tsi_token open = p->lx.token;
    list items = {0};
    bool comma = false;

    TS_TRY(next(p));
    while (!is(p, close)) {
        tsi_node *item;

        TS_TRY(expression(p, &item));
        if (!push(p, &items, item))
            NO_MEMORY(p);
        TS_TRY(accept(p, ",", &comma));
        if (!comma)
            break;
    }
    if (!is(p, close))
        return expected(p, *close == ')' ? "',' or ')'" : "',' or ']'");
    TS_TRY(next(p));
    if (kind == N_TUPLE && items.n == 1 && !comma) {
        *out = items.v[0];
        return TS_OK;
    }
    TS_TRY(new_node(p, kind, &open, out));
    (*out)->list = (tsi_node **)items.v;
    (*out)->count = items.n;
    return TS_OK;
}

static ts_status atom(parser *p, bool negative, tsi_node **out)
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
        return name_atom(p, out);
    default:
        break;
    }
    if (is(p, "("))
        return bracketed(p, N_TUPLE, ")", out);
    if (is(p, "["))
        return bracketed(p, N_LIST, "]", out);
    for (size_t i = 0; i < COUNT(words); i++)
        if (is(p, words[i].name)) {
            TS_TRY(next(p));
            return constant(p, &t, words[i].value, out);
        }
    if (t.kind == T_KEYWORD)
        FAIL_TOKEN(p, "expected an expression, '%.*s' is not part of one here", (int)t.n,
                   t.at);
    return expected(p, "an expression");
}

/* --- calls, attributes, subscripts ----------------------------------------------------
 */

static ts_status note_op(parser *p, const tsi_callee *c)
{
    if (c == NULL || c->op == NULL)
        return TS_OK;
    for (int i = 0; i < p->ops.n; i++)
        if (strcmp(p->ops.v[i], c->op->name) == 0)
            return TS_OK;
    if (!push(p, &p->ops, (void *)(uintptr_t)c->op->name))
        NO_MEMORY(p);
    return TS_OK;
}

/* name=value, when a name and '=' follow; then *keyword is set and only the value is
 * left. */
static ts_status argument_name(parser *p, const char **keyword)
{
    const tsi_lexer before = p->lx;

    *keyword = NULL;
    if (p->lx.token.kind != T_NAME)
        return TS_OK;
    TS_TRY(next(p));
    if (!is(p, "=")) {
        p->lx = before;
        return TS_OK;
    }
    *keyword = tsi_intern(p->names, before.token.at, before.token.n);
    if (*keyword == NULL)
        NO_MEMORY(p);
    if (strcmp(*keyword, "create_graph") == 0)
        p->program->keeps_graphs = true;
    return next(p);
}

static ts_status call(parser *p, tsi_node *callee, tsi_node **out)
{
    const tsi_token open = p->lx.token;
    list items = {0}, keywords = {0};
    bool comma;

    TS_TRY(next(p));
    while (!is(p, ")")) {
        const tsi_token at = p->lx.token;
        const char *keyword;
        bool star;
        tsi_node *item;

        if (is(p, "**"))
            FAIL_TOKEN(p, "'**' arguments are not part of the language");
        TS_TRY(accept(p, "*", &star));
        if (star)
            keyword = NULL;
        else
            TS_TRY(argument_name(p, &keyword));
        TS_TRY(expression(p, &item));
        if (star) {
            tsi_node *s;

            TS_TRY(new_node(p, N_STAR, &at, &s));
            s->a = item;
            item = s;
        }
        if (keyword == NULL && keywords.n > 0)
            return fail_at(p, at.line, at.column,
                           "a positional argument after a keyword argument");
        for (int i = 0; i < keywords.n; i++)
            if (keywords.v[i] == keyword)
                return fail_at(p, at.line, at.column,
                               "keyword argument '%s' stands twice", keyword);
        if (items.n == TSI_MAX_CALL_ARGS)
            return fail_at(p, at.line, at.column, "more than %d arguments",
                           TSI_MAX_CALL_ARGS);
        if (!push(p, &items, item) ||
            (keyword != NULL && !push(p, &keywords, (void *)(uintptr_t)keyword)))
            NO_MEMORY(p);
        TS_TRY(accept(p, ",", &comma));
        if (!comma)
            break;
    }
    if (!is(p, ")"))
        return expected(p, "',' or ')'");
    TS_TRY(next(p));
    TS_TRY(new_node(p, N_CALL, &open, out));
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

static ts_status attribute(parser *p, tsi_node *of, tsi_node **out)
{
    char full[128];

    TS_TRY(next(p));

    const tsi_token t = p->lx.token;

    if (t.kind != T_NAME)
        return expected(p, "a name after '.'");
    if (t.n + sizeof "Tensor." > sizeof full)
        FAIL_TOKEN(p, "name longer than %zu characters", sizeof full - sizeof "Tensor.");
    TS_TRY(new_node(p, N_ATTR, &t, out));
    (*out)->a = of;
    (*out)->name = tsi_intern(p->names, t.at, t.n);
    snprintf(full, sizeof full, "Tensor.%.*s", (int)t.n, t.at);
    (*out)->callee = tsi_callee_find(p->names, full, strlen(full));
    if ((*out)->name == NULL || (*out)->callee == NULL)
        NO_MEMORY(p);
    if (strncmp((*out)->name, "__", 2) == 0)
        FAIL_TOKEN(p, "name '%s' starts with '__'", (*out)->name);
    return next(p);
}

static ts_status subscript(parser *p, tsi_node *of, tsi_node **out)
{
    const tsi_token open = p->lx.token;
    tsi_node *index;

    TS_TRY(next(p));
    TS_TRY(expression_list(p, true, "an index", &index));
    TS_TRY(expect(p, "]"));
    TS_TRY(new_node(p, N_INDEX, &open, out));
    (*out)->line = of->line;
    (*out)->column = of->column;
    (*out)->a = of;
    (*out)->b = index;
    return TS_OK;
}

static ts_status postfix(parser *p, bool negative, tsi_node **out)
{
    TS_TRY(atom(p, negative, out));
    for (int links = 0;; links++) {
        if (links == TSI_MAX_DEPTH)
            FAIL_TOKEN(p, "nested deeper than %d", TSI_MAX_DEPTH);
        if (is(p, "("))
            TS_TRY(call(p, *out, out));
        else if (is(p, "["))
            TS_TRY(subscript(p, *out, out));
        else if (is(p, "."))
            TS_TRY(attribute(p, *out, out));
        else
            return TS_OK;
    }
}

/* --- operators ------------------------------------------------------------------------
 */

static ts_status power(parser *p, bool negative, tsi_node **out)
{
    const tsi_token at = p->lx.token;
    tsi_node *base;
    bool found;

    TS_TRY(postfix(p, negative, &base));
    *out = base;
    TS_TRY(accept(p, "**", &found));
    if (!found)
        return TS_OK;
    TS_TRY(new_node(p, N_BINARY, &at, out));
    (*out)->op = OP_POW;
    (*out)->a = base;
    return unary(p, &(*out)->b);
}

static ts_status unary_inner(parser *p, tsi_node **out)
{
    static const struct {
        const char *text;
        tsi_operator op;
    } ops[] = {{"-", OP_NEG}, {"+", OP_POS}, {"~", OP_INVERT}};
    const tsi_token at = p->lx.token;

    for (size_t i = 0; i < COUNT(ops); i++) {
        tsi_node *operand;

        if (!is(p, ops[i].text))
            continue;
        TS_TRY(next(p));

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
        TS_TRY(new_node(p, N_UNARY, &at, out));
        (*out)->op = (uint8_t)ops[i].op;
        (*out)->a = operand;
        return TS_OK;
    }
    return power(p, false, out);
}

static ts_status unary(parser *p, tsi_node **out)
{
    TS_TRY(enter(p));

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

static ts_status binary(parser *p, int least, tsi_node **out)
{
    const tsi_token at = p->lx.token;

    TS_TRY(unary(p, out));
    for (int links = 0;; links++) {
        size_t i = 0;
        tsi_node *n;

        while (i < COUNT(binaries) && !is(p, binaries[i].text))
            i++;
        if (i == COUNT(binaries) || binaries[i].precedence < least)
            return TS_OK;
        if (links == TSI_MAX_DEPTH)
            FAIL_TOKEN(p, "nested deeper than %d", TSI_MAX_DEPTH);
        TS_TRY(next(p));
        TS_TRY(new_node(p, N_BINARY, &at, &n));
        n->op = (uint8_t)binaries[i].op;
        n->a = *out;
        TS_TRY(binary(p, binaries[i].precedence + 1, &n->b));
        *out = n;
    }
}

static ts_status compare_operator(parser *p, tsi_operator *op, bool *found)
{
    static const struct {
        const char *text;
        tsi_operator op;
    } ops[] = {{"==", OP_EQ}, {"!=", OP_NE}, {"<=", OP_LE},
               {">=", OP_GE}, {"<", OP_LT},  {">", OP_GT}};

    *found = false;
    for (size_t i = 0; i < COUNT(ops); i++)
        if (is(p, ops[i].text)) {
            *op = ops[i].op;
            *found = true;
            return next(p);
        }
    if (is(p, "in"))
        FAIL_TOKEN(p, "'in' is part of 'for' only");
    if (!is(p, "is"))
        return TS_OK;
    *found = true;
    *op = OP_IS;
    TS_TRY(next(p));
    if (is(p, "not")) {
        *op = OP_IS_NOT;
        return next(p);
    }
    return TS_OK;
}

static ts_status comparison(parser *p, tsi_node **out)
{
    const tsi_token at = p->lx.token;
    tsi_operator op;
    bool found;
    tsi_node *n;

    TS_TRY(binary(p, 1, out));
    /* in `for a in …` the word belongs to the statement */
    if (is(p, "in"))
        return TS_OK;
    TS_TRY(compare_operator(p, &op, &found));
    if (!found)
        return TS_OK;
    TS_TRY(new_node(p, N_COMPARE, &at, &n));
    n->op = (uint8_t)op;
    n->a = *out;
    TS_TRY(binary(p, 1, &n->b));
    *out = n;

    const tsi_token more = p->lx.token;

    TS_TRY(compare_operator(p, &op, &found));
    if (found)
        return fail_at(p, more.line, more.column,
                       "chained comparisons are not part of the language");
    return TS_OK;
}

static ts_status negation(parser *p, tsi_node **out)
{
    const tsi_token at = p->lx.token;
    bool found;
    tsi_node *n;

    TS_TRY(accept(p, "not", &found));
    if (!found)
        return comparison(p, out);
    TS_TRY(enter(p));
    TS_TRY(new_node(p, N_NOT, &at, &n));
    TS_TRY(negation(p, &n->a));
    p->depth--;
    *out = n;
    return TS_OK;
}

static ts_status logical(parser *p, tsi_node_kind kind, tsi_node **out)
{
    const tsi_token at = p->lx.token;
    bool found;

    TS_TRY(kind == N_OR ? logical(p, N_AND, out) : negation(p, out));
    for (int links = 0;; links++) {
        tsi_node *n;

        TS_TRY(accept(p, kind == N_OR ? "or" : "and", &found));
        if (!found)
            return TS_OK;
        if (links == TSI_MAX_DEPTH)
            FAIL_TOKEN(p, "nested deeper than %d", TSI_MAX_DEPTH);
        TS_TRY(new_node(p, kind, &at, &n));
        n->a = *out;
        TS_TRY(kind == N_OR ? logical(p, N_AND, &n->b) : negation(p, &n->b));
        *out = n;
    }
}

static ts_status expression(parser *p, tsi_node **out)
{
    TS_TRY(logical(p, N_OR, out));
    if (is(p, "if"))
        FAIL_TOKEN(p, "'a if b else c' is not part of the language");
    return TS_OK;
}

/* a:b:c or an expression, inside a subscript. */
static ts_status index_item(parser *p, tsi_node **out)
{
    const tsi_token at = p->lx.token;
    tsi_node *part = NULL, *n;
    bool colon;

    if (!is(p, ":"))
        TS_TRY(expression(p, &part));
    *out = part;
    TS_TRY(accept(p, ":", &colon));
    if (!colon)
        return TS_OK;
    TS_TRY(new_node(p, N_SLICE, &at, &n));
    n->a = part;
    if (!is(p, ":") && !is(p, ",") && !is(p, "]"))
        TS_TRY(expression(p, &n->b));
    TS_TRY(accept(p, ":", &colon));
    if (colon && !is(p, ",") && !is(p, "]"))
        TS_TRY(expression(p, &n->c));
    *out = n;
    return TS_OK;
}

/* One expression, or several with commas: a tuple. */
static ts_status expression_list(parser *p, bool index, const char *what, tsi_node **out)
{
    const tsi_token at = p->lx.token;
    list items = {0};
    bool comma = false;

    if (is(p, "]") || at.kind == T_NEWLINE || at.kind == T_END)
        return expected(p, what);
    for (;;) {
        tsi_node *item;

        TS_TRY(index ? index_item(p, &item) : expression(p, &item));
        if (!push(p, &items, item))
            NO_MEMORY(p);
        TS_TRY(accept(p, ",", &comma));
        if (!comma || is(p, "]") || is(p, "=") || p->lx.token.kind == T_NEWLINE ||
            p->lx.token.kind == T_END)
            break;
    }
    if (items.n == 1 && !comma) {
        *out = items.v[0];
        return TS_OK;
    }
    TS_TRY(new_node(p, N_TUPLE, &at, out));
    (*out)->list = (tsi_node **)items.v;
    (*out)->count = items.n;
    return TS_OK;
}

/* --- statements -----------------------------------------------------------------------
 */

static ts_status block(parser *p, tsi_node **out);

/* Make an expression a place to assign to. */
static ts_status target(parser *p, tsi_node *n, bool single)
{
    static const char *const settable[] = {"grad", "data", "requires_grad"};

    switch (n->kind) {
    case N_NAME:
        TS_TRY(bind_name(p, p->scope, n->name, n->line, n->column, &n->slot));
        n->kind = p->scope->function ? N_LOCAL : N_GLOBAL;
        return TS_OK;
    case N_LOCAL:
    case N_GLOBAL:
    case N_INDEX:
        return TS_OK;
    case N_ATTR:
        if (!in_list(settable, COUNT(settable), n->name) &&
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

static ts_status augmented(parser *p, tsi_operator *op, bool *found)
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
        if (is(p, ops[i].text)) {
            *op = ops[i].op;
            *found = true;
            return next(p);
        }
    return TS_OK;
}

static ts_status end_of_line(parser *p)
{
    if (p->lx.token.kind == T_END)
        return TS_OK;
    if (is(p, ";"))
        FAIL_TOKEN(p, "one statement a line: ';' is not part of the language");
    if (p->lx.token.kind != T_NEWLINE)
        return expected(p, "an operator or the end of the line");
    return next(p);
}

static ts_status simple(parser *p, tsi_node **out)
{
    const tsi_token at = p->lx.token;
    tsi_node *left;
    tsi_operator op;
    bool found;

    TS_TRY(expression_list(p, false, "a statement", &left));
    if (is(p, ":"))
        FAIL_TOKEN(p, "annotations are not part of the language");
    TS_TRY(augmented(p, &op, &found));
    if (found) {
        TS_TRY(target(p, left, true));
        TS_TRY(new_node(p, S_AUGMENT, &at, out));
        (*out)->op = (uint8_t)op;
        (*out)->a = left;
        TS_TRY(expression_list(p, false, "an expression", &(*out)->b));
        return end_of_line(p);
    }
    TS_TRY(accept(p, "=", &found));
    if (!found) {
        if (left->kind != N_CALL)
            FAIL_NODE(p, left, "an expression alone must be a call");
        TS_TRY(new_node(p, S_EXPR, &at, out));
        (*out)->a = left;
        return end_of_line(p);
    }
    TS_TRY(target(p, left, false));
    TS_TRY(new_node(p, S_ASSIGN, &at, out));
    (*out)->a = left;
    TS_TRY(expression_list(p, false, "an expression", &(*out)->b));
    if (is(p, "="))
        FAIL_TOKEN(p, "one target at a time: 'a = b = c' is not part of the language");
    return end_of_line(p);
}

static ts_status parameters(parser *p, scope *s, tsi_function *f)
{
    list names = {0}, defaults = {0};
    bool comma, given = false;

    TS_TRY(expect(p, "("));
    while (!is(p, ")")) {
        const tsi_token *t = &p->lx.token;
        bool equals;
        tsi_node *value = NULL;
        int slot;

        if (f->varargs)
            FAIL_TOKEN(p, "'*name' is the last parameter");
        if (is(p, "**"))
            FAIL_TOKEN(p, "'**' parameters are not part of the language");
        TS_TRY(accept(p, "*", &f->varargs));
        if (t->kind != T_NAME)
            return expected(p, "a parameter's name");

        const char *name = tsi_intern(p->names, t->at, t->n);

        if (name == NULL)
            NO_MEMORY(p);
        if (find(s, name) >= 0)
            FAIL_TOKEN(p, "parameter '%s' stands twice", name);
        TS_TRY(bind_name(p, s, name, t->line, t->column, &slot));
        TS_TRY(next(p));
        TS_TRY(accept(p, "=", &equals));
        if (equals) {
            TS_TRY(expression(p, &value)); /* in the outer scope */
            given = true;
        } else if (given && !f->varargs) {
            FAIL_TOKEN(p, "parameter '%s' without a default after one that has it", name);
        }
        if (!push(p, &names, (void *)(uintptr_t)name) || !push(p, &defaults, value))
            NO_MEMORY(p);
        TS_TRY(accept(p, ",", &comma));
        if (!comma)
            break;
    }
    f->params = (const char **)names.v;
    f->defaults = (tsi_node **)defaults.v;
    f->nparams = names.n;
    if (f->nparams > TSI_MAX_CALL_ARGS)
        FAIL_TOKEN(p, "more than %d parameters", TSI_MAX_CALL_ARGS);
    return expect(p, ")");
}

/* After 'def'. The name is bound in the scope outside unless `method`. */
static ts_status definition(parser *p, const tsi_token *at, bool method, tsi_node **out)
{
    scope s = {.function = true}, *outer = p->scope;
    tsi_function *f = tsi_pool_alloc(p->pool, sizeof *f);

    if (f == NULL)
        NO_MEMORY(p);
    if (outer->function)
        return fail_at(p, at->line, at->column,
                       "'def' inside a function is not part of the language");
    if (p->lx.token.kind != T_NAME)
        return expected(p, "the function's name");
    f->name = tsi_intern(p->names, p->lx.token.at, p->lx.token.n);
    if (f->name == NULL)
        NO_MEMORY(p);
    TS_TRY(new_node(p, S_DEF, at, out));
    if (!method)
        TS_TRY(bind_name(p, outer, f->name, p->lx.token.line, p->lx.token.column,
                         &(*out)->slot));
    f->index = p->program->nfunctions++;
    TS_TRY(next(p));
    TS_TRY(parameters(p, &s, f));
    if (is(p, "->"))
        FAIL_TOKEN(p, "annotations are not part of the language");
    p->scope = &s;
    TS_TRY(block(p, &(*out)->c));
    TS_TRY(resolve(p, &s));
    p->scope = outer;
    f->nlocals = s.n;
    (*out)->function = f;
    (*out)->name = f->name;
    return TS_OK;
}

static bool is_name(const parser *p, const char *name)
{
    return p->lx.token.kind == T_NAME && p->lx.token.n == strlen(name) &&
           memcmp(p->lx.token.at, name, p->lx.token.n) == 0;
}

static ts_status decorator(parser *p, const char *name, const char *what)
{
    if (!is(p, "@"))
        return expected(p, what);
    TS_TRY(next(p));
    if (!is_name(p, name))
        return expected(p, what);
    TS_TRY(next(p));
    return end_of_line(p);
}

static ts_status method(parser *p, tsi_node *class_)
{
    const tsi_token at = p->lx.token;
    tsi_node *def, **place = NULL;
    bool once;

    TS_TRY(decorator(p, "staticmethod", "'@staticmethod'"));
    once = is(p, "@");
    if (once)
        TS_TRY(decorator(p, "once_differentiable", "'@once_differentiable'"));
    TS_TRY(expect(p, "def"));
    if (is_name(p, "backward"))
        place = &class_->b;
    else if (once)
        return expected(p, "'backward', the one method that is '@once_differentiable'");
    else if (is_name(p, "forward"))
        place = &class_->a;
    else if (is_name(p, "setup_context"))
        place = &class_->c;
    else
        return expected(p, "'forward', 'setup_context' or 'backward'");
    if (*place != NULL)
        FAIL_TOKEN(p, "method stands twice");
    TS_TRY(definition(p, &at, true, &def));
    def->function->once = once;
    *place = def;
    return TS_OK;
}

static ts_status class_(parser *p, const tsi_token *at, tsi_node **out)
{
    char base[64] = "";
    size_t n = 0;

    if (p->scope->function)
        return fail_at(p, at->line, at->column,
                       "'class' inside a function is not part of the language");
    if (p->lx.token.kind != T_NAME)
        return expected(p, "the class's name");
    TS_TRY(new_node(p, S_CLASS, at, out));
    (*out)->name = tsi_intern(p->names, p->lx.token.at, p->lx.token.n);
    if ((*out)->name == NULL)
        NO_MEMORY(p);
    TS_TRY(bind_name(p, p->scope, (*out)->name, p->lx.token.line, p->lx.token.column,
                     &(*out)->slot));
    TS_TRY(next(p));
    TS_TRY(expect(p, "("));

    const tsi_token t = p->lx.token;

    while (p->lx.token.kind == T_NAME || is(p, ".")) {
        if (n + p->lx.token.n >= sizeof base)
            break;
        memcpy(base + n, p->lx.token.at, p->lx.token.n);
        n += p->lx.token.n;
        TS_TRY(next(p));
    }
    if (strcmp(base, "Function") != 0 && strcmp(base, "autograd.Function") != 0 &&
        strcmp(base, "torch.autograd.Function") != 0)
        return fail_at(p, t.line, t.column, "expected 'Function' as the base class");
    TS_TRY(expect(p, ")"));
    TS_TRY(expect(p, ":"));
    if (p->lx.token.kind != T_NEWLINE)
        return expected(p, "the end of the line");
    TS_TRY(next(p));
    if (p->lx.token.kind != T_INDENT)
        return expected(p, "an indented block");
    TS_TRY(next(p));
    while (p->lx.token.kind != T_DEDENT)
        TS_TRY(method(p, *out));
    TS_TRY(next(p));
    if ((*out)->a == NULL)
        return fail_at(p, at->line, at->column, "class '%s' has no forward",
                       (*out)->name);
    return TS_OK;
}

static ts_status if_(parser *p, const tsi_token *at, tsi_node **out)
{
    const tsi_token here = p->lx.token;

    TS_TRY(enter(p));
    TS_TRY(new_node(p, S_IF, at, out));
    TS_TRY(expression(p, &(*out)->a));
    TS_TRY(block(p, &(*out)->c));
    if (is(p, "elif")) {
        TS_TRY(next(p));
        TS_TRY(if_(p, &here, &(*out)->b));
    } else if (is(p, "else")) {
        TS_TRY(next(p));
        TS_TRY(block(p, &(*out)->b));
    }
    p->depth--;
    return TS_OK;
}

static ts_status for_(parser *p, const tsi_token *at, tsi_node **out)
{
    tsi_node *range;

    TS_TRY(new_node(p, S_FOR, at, out));
    if (p->lx.token.kind != T_NAME)
        return expected(p, "a name after 'for'");
    TS_TRY(name_atom(p, &(*out)->a));
    TS_TRY(target(p, (*out)->a, true));
    TS_TRY(expect(p, "in"));
    TS_TRY(expression(p, &range));
    if (range->kind != N_CALL || range->a->kind != N_CONST ||
        range->a->value.kind != V_NATIVE ||
        range->a->value.callee->native != NATIVE_RANGE)
        FAIL_NODE(p, range, "expected range(…) after 'in'");
    (*out)->b = range;
    TS_TRY(block(p, &(*out)->c));
    if (is(p, "else"))
        FAIL_TOKEN(p, "'else' of a loop is not part of the language");
    return TS_OK;
}

/* with a as b, c: … nests. */
static ts_status with(parser *p, const tsi_token *at, tsi_node **out)
{
    bool found;

    TS_TRY(new_node(p, S_WITH, at, out));
    TS_TRY(expression(p, &(*out)->a));
    if ((*out)->a->kind != N_CALL)
        FAIL_NODE(p, (*out)->a, "expected a call after 'with'");
    TS_TRY(accept(p, "as", &found));
    if (found) {
        if (p->lx.token.kind != T_NAME)
            return expected(p, "a name after 'as'");
        TS_TRY(name_atom(p, &(*out)->b));
        TS_TRY(target(p, (*out)->b, true));
    }
    TS_TRY(accept(p, ",", &found));
    if (!found)
        return block(p, &(*out)->c);
    TS_TRY(enter(p));
    TS_TRY(with(p, at, &(*out)->c));
    p->depth--;
    return TS_OK;
}

static ts_status del(parser *p, const tsi_token *at, tsi_node **out)
{
    TS_TRY(new_node(p, S_DEL, at, out));
    if (p->lx.token.kind != T_NAME)
        return expected(p, "a name after 'del'");
    TS_TRY(name_atom(p, &(*out)->a));
    TS_TRY(target(p, (*out)->a, true));
    return end_of_line(p);
}

static ts_status statement(parser *p, tsi_node **out)
{
    const tsi_token at = p->lx.token;

    if (at.kind == T_INDENT)
        FAIL_TOKEN(p, "unexpected indentation");
    if (at.kind != T_KEYWORD || is(p, "None") || is(p, "True") || is(p, "False") ||
        is(p, "not"))
        return simple(p, out);
    if (is(p, "pass")) {
        TS_TRY(next(p));
        TS_TRY(new_node(p, S_PASS, &at, out));
        return end_of_line(p);
    }
    if (is(p, "return")) {
        if (!p->scope->function)
            FAIL_TOKEN(p, "'return' outside a function");
        TS_TRY(next(p));
        TS_TRY(new_node(p, S_RETURN, &at, out));
        if (p->lx.token.kind != T_NEWLINE && p->lx.token.kind != T_END)
            TS_TRY(expression_list(p, false, "an expression", &(*out)->a));
        return end_of_line(p);
    }

    static const struct {
        const char *word;
        ts_status (*parse)(parser *, const tsi_token *, tsi_node **);
    } words[] = {
        {"if", if_}, {"for", for_}, {"with", with}, {"del", del}, {"class", class_}};

    for (size_t i = 0; i < COUNT(words); i++)
        if (is(p, words[i].word)) {
            TS_TRY(next(p));
            return words[i].parse(p, &at, out);
        }
    if (is(p, "def")) {
        TS_TRY(next(p));
        return definition(p, &at, false, out);
    }
    FAIL_TOKEN(p, "'%.*s' is not part of the language%s", (int)at.n, at.at,
               is(p, "else") || is(p, "elif") ? " without its 'if'" : "");
}

static ts_status block(parser *p, tsi_node **out)
{
    tsi_node **place = out;

    TS_TRY(expect(p, ":"));
    if (p->lx.token.kind != T_NEWLINE) { /* if a: b = c */
        if (p->lx.token.kind == T_KEYWORD && !is(p, "pass") && !is(p, "return") &&
            !is(p, "del"))
            return expected(p, "a simple statement or the end of the line");
        return statement(p, out);
    }
    TS_TRY(next(p));
    if (p->lx.token.kind != T_INDENT)
        return expected(p, "an indented block");
    TS_TRY(enter(p));
    TS_TRY(next(p));
    while (p->lx.token.kind != T_DEDENT) {
        TS_TRY(statement(p, place));
        place = &(*place)->next;
    }
    p->depth--;
    return next(p);
}

ts_status tsi_parse(tsi_pool *pool, tsi_names *names, const tsi_source *source,
                    tsi_program **out, const char *const **ops, int *nops)
{
    parser p = {.pool = pool, .names = names};
    tsi_node **place;

    p.scope = &p.globals;
    p.program = tsi_pool_alloc(pool, sizeof *p.program);
    tsi_lexer_init(&p.lx, source);
    if (p.program == NULL)
        NO_MEMORY(&p);
    place = &p.program->body;
    TS_TRY(next(&p));
    while (p.lx.token.kind != T_END) {
        TS_TRY(statement(&p, place));
        place = &(*place)->next;
    }
    TS_TRY(resolve(&p, &p.globals));
    p.program->globals = p.globals.names;
    p.program->nglobals = p.globals.n;
    *out = p.program;
    *ops = (const char *const *)p.ops.v;
    *nops = p.ops.n;
    return TS_OK;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* A program as lists that any language reads (pipe/S4). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "interp.h"

static const char *const operators[OP_COUNT] = {
    [OP_ADD] = "+",         [OP_SUB] = "-", [OP_MUL] = "*",  [OP_DIV] = "/",
    [OP_FLOORDIV] = "//",   [OP_MOD] = "%", [OP_POW] = "**", [OP_MATMUL] = "@",
    [OP_AND] = "&",         [OP_OR] = "|",  [OP_XOR] = "^",  [OP_LSHIFT] = "<<",
    [OP_RSHIFT] = ">>",     [OP_EQ] = "==", [OP_NE] = "!=",  [OP_LT] = "<",
    [OP_LE] = "<=",         [OP_GT] = ">",  [OP_GE] = ">=",  [OP_IS] = "is",
    [OP_IS_NOT] = "is not", [OP_NEG] = "-", [OP_POS] = "+",  [OP_INVERT] = "~",
};

static json_t *node(const tsi_node *n);
static json_t *block(const tsi_node *body);

bool tsi_is_literal(const tsi_node *n)
{
    if (n->kind == N_CONST)
        return n->value.kind < V_DEF;
    if (n->kind == N_UNARY)
        return tsi_is_literal(n->a);
    if (n->kind != N_TUPLE && n->kind != N_LIST)
        return false;
    for (int i = 0; i < n->count; i++)
        if (!tsi_is_literal(n->list[i]))
            return false;
    return true;
}

static json_t *nodes(tsi_node *const *list, int count)
{
    json_t *out = json_array();

    for (int i = 0; i < count; i++)
        json_array_append_new(out, node(list[i]));
    return out;
}

static json_t *constant(const tsi_value *v)
{
    char text[96];

    switch (v->kind) {
    case V_NONE:
        return json_pack("[s,n]", "const");
    case V_BOOL:
        return json_pack("[s,b]", "const", v->b);
    case V_INT:
        return json_pack("[s,I]", "const", (json_int_t)v->i);
    case V_FLOAT:
        if (isfinite(v->f))
            return json_pack("[s,f]", "const", v->f);
        return json_pack("[s,{s:s}]", "const", "float",
                         isnan(v->f) ? "nan"
                         : v->f > 0  ? "inf"
                                     : "-inf");
    case V_STR:
        return json_pack("[s,s]", "const", v->s);
    case V_ELLIPSIS:
        return json_pack("[s]", "ellipsis");
    case V_DTYPE:
        return json_pack("[s,s]", "dtype", ts_dtype_name(v->dtype));
    case V_FORMAT:
        tsi_text(v, text, sizeof text);
        return json_pack("[s,s]", "format",
                         strchr(text, '.') ? strchr(text, '.') + 1 : text);
    case V_ERROR:
        return json_pack("[s,s]", "error", ts_status_name(v->error));
    default:
        return json_pack("[s,s]", "function", v->callee->name);
    }
}

static json_t *call(const tsi_node *n)
{
    const int positional = n->count - n->keywords;
    json_t *keywords = json_object();

    for (int i = 0; i < n->keywords; i++)
        json_object_set_new(keywords, n->names[i], node(n->list[positional + i]));
    return json_pack("[s,o,o,o]", "call", node(n->a), nodes(n->list, positional),
                     keywords);
}

static json_t *node(const tsi_node *n)
{
    if (n == NULL)
        return json_null();
    switch (n->kind) {
    case N_CONST:
        return constant(&n->value);
    case N_GLOBAL:
    case N_LOCAL:
    case N_NAME:
        return json_pack("[s,s]", "name", n->name);
    case N_ATTR:
        return json_pack("[s,o,s]", "attribute", node(n->a), n->name);
    case N_CALL:
        return call(n);
    case N_STAR:
        return json_pack("[s,o]", "star", node(n->a));
    case N_INDEX:
        return json_pack("[s,o,o]", "index", node(n->a), node(n->b));
    case N_SLICE:
        return json_pack("[s,o,o,o]", "slice", node(n->a), node(n->b), node(n->c));
    case N_TUPLE:
        return json_pack("[s,o]", "tuple", nodes(n->list, n->count));
    case N_LIST:
        return json_pack("[s,o]", "list", nodes(n->list, n->count));
    case N_BINARY:
    case N_COMPARE:
        return json_pack("[s,s,o,o]", n->kind == N_BINARY ? "binary" : "compare",
                         operators[n->op], node(n->a), node(n->b));
    case N_UNARY:
        return json_pack("[s,s,o]", "unary", operators[n->op], node(n->a));
    case N_AND:
    case N_OR:
        return json_pack("[s,o,o]", n->kind == N_AND ? "and" : "or", node(n->a),
                         node(n->b));
    default:
        return json_pack("[s,o]", "not", node(n->a));
    }
}

static json_t *function(const tsi_node *n)
{
    const tsi_function *f = n->function;
    json_t *params = json_array();

    for (int i = 0; i < f->nparams; i++)
        json_array_append_new(params, json_string(f->params[i]));
    return json_pack("[i,s,s,o,o,b,o]", n->line, "def", f->name, params,
                     nodes(f->defaults, f->nparams), f->varargs, block(n->c));
}

static json_t *statement(const tsi_node *n)
{
    switch (n->kind) {
    case S_ASSIGN:
        return json_pack("[i,s,o,o]", n->line, "assign", node(n->a), node(n->b));
    case S_AUGMENT:
        return json_pack("[i,s,s,o,o]", n->line, "augment", operators[n->op], node(n->a),
                         node(n->b));
    case S_EXPR:
        return json_pack("[i,s,o]", n->line, "expression", node(n->a));
    case S_DEF:
        return function(n);
    case S_CLASS:
        return json_pack("[i,s,s,o,o,o]", n->line, "class", n->name, function(n->a),
                         n->b != NULL ? function(n->b) : json_null(),
                         n->c != NULL ? function(n->c) : json_null());
    case S_RETURN:
        return json_pack("[i,s,o]", n->line, "return", node(n->a));
    case S_IF:
        return json_pack("[i,s,o,o,o]", n->line, "if", node(n->a), block(n->c),
                         block(n->b));
    case S_FOR:
        return json_pack("[i,s,o,o,o]", n->line, "for", node(n->a), node(n->b),
                         block(n->c));
    case S_WITH:
        return json_pack("[i,s,o,o,o]", n->line, "with", node(n->a), node(n->b),
                         block(n->c));
    case S_DEL:
        return json_pack("[i,s,o]", n->line, "del", node(n->a));
    default:
        return json_pack("[i,s]", n->line, "pass");
    }
}

static json_t *block(const tsi_node *body)
{
    json_t *out = json_array();

    for (; body != NULL; body = body->next)
        json_array_append_new(out, statement(body));
    return out;
}

json_t *tsi_case_tree(const tsi_case *c)
{
    return block(c->ast->body);
}

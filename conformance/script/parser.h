/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files of the parser share. A parse function finds its construct at the token
 * under way, and leaves the token after it; on error *out means nothing.
 */
#ifndef TSI_PARSER_H
#define TSI_PARSER_H

#include <string.h>

#include "lexer.h"
#include "names.h"

/* Pointers that are collected while parsing; memory comes from the pool. */
typedef struct tsi_list {
    void **v;
    int n, capacity;
} tsi_list;

typedef struct tsi_scope {
    const char **names;
    int n, capacity;
    tsi_list pending; /* N_NAME nodes whose meaning is known when the scope ends */
    bool function;
} tsi_scope;

typedef struct tsi_parser {
    tsi_lexer lx;
    tsi_pool *pool;
    tsi_names *names;
    tsi_program *program;
    tsi_scope globals, *scope;
    tsi_list ops; /* names of called ops */
    int nodes, depth;
} tsi_parser;

#define COUNT(a) (sizeof(a) / sizeof(a)[0])

#define FAIL_NODE(p, node, ...) \
    return tsi_parse_fail(p, (node)->line, (node)->column, __VA_ARGS__)
#define FAIL_TOKEN(p, ...) \
    return tsi_parse_fail(p, (p)->lx.token.line, (p)->lx.token.column, __VA_ARGS__)
#define NO_MEMORY(p) FAIL_TOKEN(p, "the file needs more memory than a file may")

/* --- tokens, nodes, limits (parser.c) */

/* case_language/C3 at a place of the file. */
ts_status tsi_parse_fail(const tsi_parser *p, int line, int column, const char *format,
                         ...) TS_PRINTF(4, 5);
/* "expected <what>, found <the token under way>". */
ts_status tsi_parse_expected(const tsi_parser *p, const char *what);
/* Whether the token under way is this operator or keyword. */
bool tsi_at(const tsi_parser *p, const char *text);
ts_status tsi_next(tsi_parser *p);
/* Pass that token where it stands; *found: it did. */
ts_status tsi_accept(tsi_parser *p, const char *text, bool *found);
ts_status tsi_parse_expect(tsi_parser *p, const char *text);
bool tsi_parse_push(tsi_parser *p, tsi_list *l, void *item);
ts_status tsi_parse_node(tsi_parser *p, tsi_node_kind kind, const tsi_token *at,
                         tsi_node **out);
/* One level deeper; the caller takes it back from p->depth. */
ts_status tsi_parse_enter(tsi_parser *p);

/* --- scopes (parser.c) */

int tsi_scope_find(const tsi_scope *s, const char *name); /* its slot, or -1 */
ts_status tsi_scope_bind(tsi_parser *p, tsi_scope *s, const char *name, int line,
                         int column, int *slot);
/* Give the names that were read their slots, now that all are bound. */
ts_status tsi_scope_resolve(tsi_parser *p, tsi_scope *s);

/* --- atoms (parse_atoms.c) */

bool tsi_in_list(const char *const *names, size_t count, const char *name);
bool tsi_is_reserved(const char *name);
/* A name as an expression, or as what a statement binds. */
ts_status tsi_parse_name(tsi_parser *p, tsi_node **out);
/* `negative`: a minus sign stood before, so that 2**63 is in range. */
ts_status tsi_parse_atom(tsi_parser *p, bool negative, tsi_node **out);

/* --- expressions (parse_expressions.c) */

ts_status tsi_parse_expression(tsi_parser *p, tsi_node **out);
/* One expression, or several with commas: a tuple. `index`: of a subscript. */
ts_status tsi_parse_list(tsi_parser *p, bool index, const char *what, tsi_node **out);

/* --- statements (parse_statements.c) */

ts_status tsi_parse_statement(tsi_parser *p, tsi_node **out);

#endif

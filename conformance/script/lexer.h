/* SPDX-License-Identifier: Apache-2.0 */
/* Tokens of the case language, indentation included. */
#ifndef TSI_LEXER_H
#define TSI_LEXER_H

#include "ast.h"

typedef enum tsi_token_kind {
    T_END,
    T_NEWLINE,
    T_INDENT,
    T_DEDENT,
    T_NAME,
    T_KEYWORD,
    T_INT,
    T_FLOAT,
    T_STRING,
    T_OP
} tsi_token_kind;

typedef struct tsi_token {
    tsi_token_kind kind;
    const char *at;
    size_t n;
    int line, column; /* column in bytes, from 1 */
} tsi_token;

#define TSI_MAX_INDENT 64

typedef struct tsi_lexer {
    const tsi_source *source;
    const char *at, *line_start;
    int line;
    int brackets; /* open ones: newlines inside do not count */
    bool at_line_start, line_open, ended;
    int indents[TSI_MAX_INDENT], indent_count, dedents;
    tsi_token token; /* the current one */
} tsi_lexer;

void tsi_lexer_init(tsi_lexer *lx, const tsi_source *source);
ts_status tsi_lexer_next(tsi_lexer *lx); /* the next token into lx->token */

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The rules of the spec's pages, as the build's generator read them into rules.json. */
#ifndef TSI_RULES_H
#define TSI_RULES_H

#include "touchstone/dtype.h"

typedef struct ts_rule {
    const char *label; /* "softmax/S1" */
    const char *page;  /* "softmax" */
    const char *level; /* "L2" */
    const char *scope; /* the scope ids it serves, separated by spaces */
    const char *error; /* a refusal's exception class; NULL for S and G rules */
    const char *file;  /* "ops/softmax.md" */
    int line;
    const char *text;
} ts_rule;

typedef struct ts_page {
    const char *name, *title, *level, *scope;
} ts_page;

/* How an op's result is rounded, and how far off it may lie and still count as accurate. */
typedef struct ts_op_limit {
    const char *op, *bound;     /* bound: the class of its error, as its page says it */
    double ulp[TS_DTYPE_COUNT]; /* 0: no limit */
} ts_op_limit;

/* Read at the first question, from TOUCHSTONE_RULES or beside the program; where there is
 * none, a line on stderr says so and there are no rules. */
int ts_rule_count(void);
const ts_rule *ts_rule_at(int index);           /* NULL past the end */
const ts_rule *ts_rule_find(const char *label); /* NULL when unknown */
int ts_page_count(void);
const ts_page *ts_page_at(int index); /* NULL past the end */
int ts_op_limit_count(void);
const ts_op_limit *ts_op_limit_at(int index); /* NULL past the end */

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The rules of the spec's pages, as the build's generator read them. */
#ifndef TOUCHSTONE_RULES_H
#define TOUCHSTONE_RULES_H

#include "touchstone/status.h"

#ifdef __cplusplus
extern "C" {
#endif

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

TS_API int ts_rule_count(void);
TS_API const ts_rule *ts_rule_at(int index);           /* NULL past the end */
TS_API const ts_rule *ts_rule_find(const char *label); /* NULL when unknown */
TS_API int ts_page_count(void);
TS_API const ts_page *ts_page_at(int index); /* NULL past the end */

#ifdef __cplusplus
}
#endif
#endif

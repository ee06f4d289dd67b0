/* SPDX-License-Identifier: Apache-2.0 */
/* The op table: parts that the pages' generated files enter, put in order once. */
#include <pthread.h>
#include <stdlib.h>

#include "core/table.h"

static const tsi_page_part *const *parts;
static int part_count;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static const ts_op **ops;
static ts_binding *bindings;
static int op_count, binding_count;

void tsi_table_enter(const tsi_page_part *const *pages, int n)
{
    parts = pages;
    part_count = n;
}

static int by_name(const void *a, const void *b)
{
    return strcmp((*(const ts_op *const *)a)->name, (*(const ts_op *const *)b)->name);
}

static int by_binding(const void *a, const void *b)
{
    return strcmp(((const ts_binding *)a)->name, ((const ts_binding *)b)->name);
}

static void build(void)
{
    int nops = 0, nbindings = 0;

    for (int p = 0; p < part_count; p++) {
        nops += parts[p]->nops;
        nbindings += parts[p]->nbindings;
    }
    ops = malloc(((size_t)nops + 1) * sizeof *ops);
    bindings = malloc(((size_t)nbindings + 1) * sizeof *bindings);
    if (!ops || !bindings) /* a table without ops says so at the first look-up */
        return;
    for (int p = 0; p < part_count; p++) {
        for (int i = 0; i < parts[p]->nops; i++)
            ops[op_count++] = &parts[p]->ops[i];
        memcpy(bindings + binding_count, parts[p]->bindings,
               (size_t)parts[p]->nbindings * sizeof *bindings);
        binding_count += parts[p]->nbindings;
    }
    qsort(ops, (size_t)op_count, sizeof *ops, by_name);
    qsort(bindings, (size_t)binding_count, sizeof *bindings, by_binding);
    for (int i = 0; i < op_count; i++)
        ((ts_op *)(uintptr_t)ops[i])->index = i; /* the rows are the table's own */
}

static void table(void)
{
    (void)pthread_once(&once, build);
}

static int op_of_name(const void *key, const void *row)
{
    return strcmp(key, (*(const ts_op *const *)row)->name);
}

const ts_op *ts_op_find(const char *name)
{
    const ts_op *const *found;

    table();
    found = bsearch(name, ops, (size_t)op_count, sizeof *ops, op_of_name);
    return found ? *found : NULL;
}

const ts_op *ts_op_at(int index)
{
    table();
    return index >= 0 && index < op_count ? ops[index] : NULL;
}

int ts_op_count(void)
{
    table();
    return op_count;
}

static int binding_of_name(const void *key, const void *row)
{
    return strcmp(key, ((const ts_binding *)row)->name);
}

const ts_binding *ts_binding_find(const char *name)
{
    table();
    return bsearch(name, bindings, (size_t)binding_count, sizeof *bindings,
                   binding_of_name);
}

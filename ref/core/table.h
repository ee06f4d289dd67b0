/* SPDX-License-Identifier: Apache-2.0 */
/* What a page's generated file says of its ops, and the start of a typed call. */
#ifndef TSI_TABLE_H
#define TSI_TABLE_H

#include "core/core.h"

typedef struct tsi_page_part {
    const char *page;
    ts_op *ops;
    int nops;
    const ts_binding *bindings;
    int nbindings;
} tsi_page_part;

/* All pages' parts, before main; the array stays the caller's. */
void tsi_table_enter(const tsi_page_part *const *pages, int n);

/* A function that runs before main: where a room or a table enters itself. */
#define TSI_BEFORE_MAIN(name) __attribute__((constructor)) static void name(void)

/* The list that the call made, in memory of its own. */
ts_status tsi_give_list(ts_frame *f, ts_tensors *out);

/* Form and counts (no results: a list, whose length the api function says); the arrays
 * are there, the arguments the caller's to fill in. */
static inline void tsi_frame_begin(ts_frame *f, const ts_op *op, ts_form form, int nargs,
                                   int nresults)
{
    f->op = op;
    f->form = form;
    f->nargs = nargs;
    f->nresults = nresults;
    f->compute = TS_DTYPE_NONE;
    f->flags = 0;
    f->list = NULL;
    for (int i = 0; i < nresults; i++)
        f->results[i] = f->out[i] = NULL;
}

/*
 * A frame on the stack, with room for exactly ARGS arguments and RESULTS results. The
 * typed calls' own; everyone else opens frames of the arena.
 */
#define TSI_FRAME(f, op, form, ARGS, RESULTS)  \
    ts_value f##_args[(ARGS) + 1];             \
    ts_tensor *f##_results[2 * (RESULTS) + 1]; \
    ts_meta f##_meta[(RESULTS) + 1];           \
    ts_frame f;                                \
                                               \
    f.args = f##_args;                         \
    f.results = f##_results;                   \
    f.out = f##_results + (RESULTS);           \
    f.meta = f##_meta;                         \
    tsi_frame_begin(&f, op, form, ARGS, RESULTS)

#endif

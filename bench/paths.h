/* SPDX-License-Identifier: Apache-2.0 */
/* The calls that the eager clock times, one row each. Only the public headers are used. */
#ifndef BENCH_PATHS_H
#define BENCH_PATHS_H

#include "touchstone/touchstone.h"

typedef struct paths_state {
    int64_t n;
    ts_tensor *a, *b, *out, *leaf, *seed; /* n float32 each; seed: a gradient */
    char *from, *to;
    double sink;
} paths_state;

typedef struct paths_row {
    const char *key;  /* on the command line */
    const char *name; /* in tables */
    const char *formula;
    ts_status (*run)(paths_state *s);
    int bytes;        /* an element's, read and written */
    const char *peer; /* key of the row that its ratio is against, or NULL */
    double floor;
    bool profiled, no_kernel; /* under a profiler; with a kernel that does nothing */
} paths_row;

extern const paths_row paths[];
extern const int paths_count;

const paths_row *paths_find(const char *key); /* NULL when unknown */

ts_status paths_open(const char *backend); /* the library whose kernels are run */
ts_status paths_new(paths_state *s, int64_t n);
ts_status paths_check(paths_state *s); /* every row's results, once */
void paths_free(paths_state *s);

/* Processor time of `times` calls, in ns a call. */
ts_status paths_time(const paths_row *row, paths_state *s, int64_t times, double *ns);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The HTML report: one offline page made of one or more results files
 * (spec/areas/results.md). */
#ifndef TOUCHSTONE_RUNNER_HTML_H
#define TOUCHSTONE_RUNNER_HTML_H

#include "touchstone/status.h"
#include <stddef.h>
#include <stdio.h>

/* One run to show: its results as JSON lines, read from where `file` stands to its end.
 */
typedef struct html_run {
    const char *name; /* shown in the page and in messages: a file's name, or "cuda" */
    FILE *file;       /* stays open */
} html_run;

/*
 * Write the page for `runs[0..count)` to `out`; two or more can be compared in the page.
 * `spec` is a URL or a path, relative to the page, of the HTML spec's folder with a final
 * "/", or NULL: the page holds the rules' text in any case, `spec` only adds links to the
 * pages.
 *
 * Errors  a line that is not a JSON object with what the schema asks for, a run without
 * any line: TS_ERR_VALUE, "name:line:column: what"; reading or writing: TS_ERR_RUNTIME.
 */
ts_status html_write(const html_run *runs, size_t count, const char *spec, FILE *out);

/* The same for named files; `out` is replaced only when the page is complete. */
ts_status html_write_files(const char *const *paths, size_t count, const char *spec,
                           const char *out);

/* The page of benchmarks' results (bench/README.md); errors as above. */
ts_status html_write_perf(const char *const *paths, size_t count, const char *out);

#endif

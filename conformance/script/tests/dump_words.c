/* SPDX-License-Identifier: Apache-2.0 */
/* Answers a line of input each: what a name is, or how "run <program>" ends. */
#include <stdio.h>
#include <string.h>

#include "names.h"

static ts_status accept(void *self, const tsi_expectation *e)
{
    (void)self;
    (void)e;
    return TS_OK;
}

static const char *kind_of(tsi_names *names, const char *name)
{
    const tsi_callee *c = tsi_callee_find(names, name, strlen(name));

    if (strstr(name, "Error") != NULL && ts_status_from_name(name) != TS_STATUS_COUNT)
        return "error";
    if (c == NULL)
        return "no memory";
    return c->word != NULL ? "word" : c->constant != NULL ? "constant" : "nothing";
}

/* The program with its \n as lines, on meta: only the names matter. */
static void run(tsi_interp *in, const char *line)
{
    static const tsi_judge judge = {.expectation = accept};
    const tsi_run_options options = {.device = {TS_META, 0}};
    static char text[4000];
    size_t n = (size_t)snprintf(text, sizeof text, "# case test/a\n");
    tsi_run_result r;
    tsi_cases *cases;

    for (; *line != '\0' && n + 1 < sizeof text; line++) {
        const bool newline = line[0] == '\\' && line[1] == 'n';

        text[n++] = newline ? '\n' : *line;
        line += newline;
    }
    if (tsi_cases_parse("words", text, n, &cases) != TS_OK) {
        puts(ts_error_message());
        return;
    }
    puts(tsi_case_run(in, &cases->cases[0], &options, &judge, &r) == TS_OK ? "ok"
                                                                           : r.message);
    tsi_cases_free(cases);
}

int main(void)
{
    tsi_pool *pool = tsi_pool_new((size_t)16 << 20);
    tsi_names *names = pool != NULL ? tsi_names_new(pool) : NULL;
    static char line[4000];
    tsi_interp *in;

    if (names == NULL || tsi_interp_new(&in) != TS_OK)
        return 1;
    while (fgets(line, sizeof line, stdin) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        if (strncmp(line, "run ", 4) == 0)
            run(in, line + 4);
        else
            puts(kind_of(names, line));
    }
    tsi_interp_free(in);
    tsi_pool_free(pool);
    return 0;
}

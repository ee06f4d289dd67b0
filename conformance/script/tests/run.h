/* SPDX-License-Identifier: Apache-2.0 */
/* Run a program given as text, and keep what its expectations said. */
#ifndef TEST_RUN_H
#define TEST_RUN_H

#include <criterion/criterion.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "script.h"

typedef struct outcome {
    ts_status status; /* of parsing, else of the run */
    int line, passed, failed, asked, faults;
    char message[1200]; /* of the error, or the first failure's reason */
    char names[400];    /* of all expectations, with a space after each */
} outcome;

static ts_status keep(void *self, const tsi_expectation *e)
{
    outcome *o = self;
    const size_t n = strlen(o->names);

    if (n + strlen(e->name) + 2 < sizeof o->names)
        sprintf(o->names + n, "%s ", e->name);
    if (e->kind == TSI_EXPECT_INPUTS || e->kind == TSI_EXPECT_GAPS)
        o->faults++;
    if (!e->decided)
        o->asked++;
    else if (e->passed)
        o->passed++;
    else if (o->failed++ == 0)
        snprintf(o->message, sizeof o->message, "%s line %d: %s", e->name, e->line,
                 e->reason);
    return TS_OK;
}

static ts_status backend_fail(ts_status status, const char *label, const char *format,
                              ...)
{
    (void)format;
    return ts_fail(status, label, "a kernel refuses");
}

/* The reference's kernels; other than NULL, `extra` goes before them. */
static void install(const ts_kernel_entry *extra, size_t count)
{
    const ts_host host = {sizeof host, TS_BACKEND_ABI, backend_fail};
    ts_backend reference = {0}, faulty = {.size = sizeof faulty,
                                          .abi = TS_BACKEND_ABI,
                                          .name = "faulty",
                                          .version = "0",
                                          .kernels = extra,
                                          .kernel_count = count};
    void *module = dlopen(getenv("TOUCHSTONE_REFERENCE"), RTLD_NOW);
    ts_backend_open_fn open;

    cr_assert_not_null(module, "%s", dlerror());
    *(void **)&open = dlsym(module, "ts_backend_open");
    cr_assert_not_null(*(void **)&open);
    cr_assert_eq(open(&host, &reference), TS_OK);
    cr_assert_eq(ts_backend_install(TS_CPU, extra != NULL ? &faulty : &reference,
                                    extra != NULL ? &reference : NULL),
                 TS_OK);
}

static outcome run_with(const char *program, const tsi_run_options *options)
{
    static char text[20000];
    const tsi_judge judge = {.expectation = keep, .self = NULL};
    tsi_judge mine = judge;
    outcome o = {0};
    tsi_cases *cases;
    tsi_interp *in;
    tsi_run_result r;

    mine.self = &o;
    snprintf(text, sizeof text, "# case test/a\n%s", program);
    o.status = tsi_cases_parse("t", text, strlen(text), &cases);
    if (o.status != TS_OK) {
        snprintf(o.message, sizeof o.message, "%s", ts_error_message());
        return o;
    }
    cr_assert_eq(tsi_interp_new(&in), TS_OK);
    for (int again = 0; again < 2;
         again++) { /* an interpreter is as good the second time */
        memset(&o, 0, sizeof o);
        o.status = tsi_case_run(in, &cases->cases[0], options, &mine, &r);
        o.line = r.line;
        if (o.status != TS_OK)
            snprintf(o.message, sizeof o.message, "%s", r.message);

        const ts_live live = ts_live_now();

        cr_expect(live.tensors == 0 && live.storages == 0 && live.bytes == 0 &&
                      live.nodes == 0,
                  "still alive: %d tensors, %d storages, %d nodes", (int)live.tensors,
                  (int)live.storages, (int)live.nodes);
    }
    tsi_interp_free(in);
    tsi_cases_free(cases);
    return o;
}

static outcome run(const char *program)
{
    const tsi_run_options options = {.device = {TS_CPU, 0}, .watch_inputs = true};

    return run_with(program, &options);
}

/* Every expectation of the program holds, and there are `count` of them. */
#define HOLDS(count, program)                                                       \
    do {                                                                            \
        const outcome o_ = run(program);                                            \
        cr_expect_eq(o_.status, TS_OK, "%s line %d: %s", ts_status_name(o_.status), \
                     o_.line, o_.message);                                          \
        cr_expect_eq(o_.failed, 0, "%s", o_.message);                               \
        cr_expect_eq(o_.passed, count, "%d expectations passed", o_.passed);        \
    } while (0)

/* The program ends with this error at this line of the file. */
#define ENDS(want, at, fragment, program)                                               \
    do {                                                                                \
        const outcome o_ = run(program);                                                \
        cr_expect_eq(o_.status, want, "%s: %s", ts_status_name(o_.status), o_.message); \
        cr_expect_eq(o_.line, at, "line %d: %s", o_.line, o_.message);                  \
        cr_expect(strstr(o_.message, fragment) != NULL, "message is %s", o_.message);   \
    } while (0)

#endif

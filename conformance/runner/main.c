/* SPDX-License-Identifier: Apache-2.0 */
/* The program: verbs and their options. Exit status 0 good, 1 failures, 2 usage or
 * set-up. */
#include <argp.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runner/html.h"
#include "runner/interrupt.h"
#include "runner/judge.h"

#ifndef TOUCHSTONE_VERSION
#define TOUCHSTONE_VERSION "0"
#endif

enum {
    KEY_BACKEND = 256,
    KEY_LEVEL,
    KEY_FILTER,
    KEY_ONLY,
    KEY_VARIANT,
    KEY_SHARD,
    KEY_JSON,
    KEY_JSON_FLAG,
    KEY_JUNIT,
    KEY_TAP,
    KEY_HTML,
    KEY_TIMEOUT,
    KEY_EXPECTED,
    KEY_MIN,
    KEY_GOLDEN,
    KEY_CHECK,
    KEY_PERF,
    KEY_SPEC,
    KEY_DEVICE,
    KEY_ASSIST,
    KEY_QUALITY,
    KEY_GRAPH,
    KEY_MEMORY,
    KEY_PARANOID,
    KEY_SLOWEST,
    KEY_WRITE
};

typedef struct arguments {
    tsi_options options;
    bool json, check, perf, write;
    const char *output, *spec;
    char **words;
    int nwords;
} arguments;

static const struct argp_option run_options[] = {
    {"backend", KEY_BACKEND, "NAME|PATH.so|pipe:COMMAND", 0,
     "what to judge (default: reference)", 0},
    {"device", KEY_DEVICE, "cpu|accel", 0, "device under test (default: cpu)", 0},
    {"assist", KEY_ASSIST, NULL, 0, "the reference runs ops that the backend lacks", 0},
    {"graph", KEY_GRAPH, NULL, 0,
     "capture and replay every second run on accel, and compare it with the first", 0},
    {"level", KEY_LEVEL, "L1", 0, "only cases of this level", 0},
    {"filter", KEY_FILTER, "REGEX", 0, "only cases whose id matches", 0},
    {"only", KEY_ONLY, "OP", 0, "judge this op alone; the reference runs the others", 0},
    {"variant", KEY_VARIANT, "LAYOUT", 0, "only this layout of the inputs", 0},
    {"shard", KEY_SHARD, "I/N", 0, "the Ith of N shares of the cases", 0},
    {"jobs", 'j', "N", 0, "worker processes (default: one a processor)", 0},
    {"quality", KEY_QUALITY, "strict", OPTION_ARG_OPTIONAL,
     "measure every kernel's results in ulps; strict: fail beyond a page's limit", 0},
    {"timeout", KEY_TIMEOUT, "SECONDS", 0, "limit of a case (default: 10)", 0},
    {"memory", KEY_MEMORY, "SIZE", 0,
     "memory of a worker, and of a peer: 512M, 4G, or none (default: 8G, and four times "
     "what the largest case asks for; none for a backend with a device of its own)",
     0},
    {"paranoid", KEY_PARANOID, "K", 0,
     "look closely at one case in K, chosen by its id, in all its runs: nobody may touch "
     "64 KiB on either side of a buffer, which lies against the one or the other by "
     "turns; "
     "and what a run leaves behind (memory, threads, descriptors, processes) is counted. "
     "1: every case, 0: none (default: 2)",
     0},
    {"slowest", KEY_SLOWEST, "N", 0, "tell at the end which N cases took longest", 0},
    {"expected-failures", KEY_EXPECTED, "FILE", 0, "list of known failures", 0},
    {"min-cases", KEY_MIN, "N", 0, "fail when fewer are there (default: as promised)", 0},
    {"golden", KEY_GOLDEN, "DIR", 0, "where the golden data is", 0},
    {"json", KEY_JSON, "FILE", 0, "write JSON lines ('-': to stdout)", 1},
    {"junit", KEY_JUNIT, "FILE", 0, "write JUnit XML", 1},
    {"tap", KEY_TAP, "FILE", 0, "write TAP 13 ('-': to stdout)", 1},
    {"html", KEY_HTML, "FILE", 0, "write the report page", 1},
    {0},
};

static const struct argp_option list_options[] = {
    {"level", KEY_LEVEL, "L1", 0, "only cases of this level", 0},
    {"filter", KEY_FILTER, "REGEX", 0, "only cases whose id matches", 0},
    {"only", KEY_ONLY, "OP", 0, "only cases that use this op", 0},
    {"variant", KEY_VARIANT, "LAYOUT", 0, "only cases that have this layout", 0},
    {"shard", KEY_SHARD, "I/N", 0, "the Ith of N shares of the cases", 0},
    {"golden", KEY_GOLDEN, "DIR", 0, "where the golden data is", 0},
    {"json", KEY_JSON_FLAG, NULL, 0, "one JSON object a line", 0},
    {0},
};

static const struct argp_option show_options[] = {
    {"golden", KEY_GOLDEN, "DIR", 0, "where the golden data is", 0},
    {0},
};

static const struct argp_option coverage_options[] = {
    {"golden", KEY_GOLDEN, "DIR", 0, "where the golden data is", 0},
    {"json", KEY_JSON_FLAG, NULL, 0, "one JSON object", 0},
    {"check", KEY_CHECK, NULL, 0,
     "fail on a rule without a case (or a TEST that cites it) and a case without a rule",
     0},
    {0},
};

static const struct argp_option report_options[] = {
    {"output", 'o', "FILE", 0, "the page (default: report.html)", 0},
    {"spec", KEY_SPEC, "URL", 0, "where the HTML spec lies, for links", 0},
    {"perf", KEY_PERF, NULL, 0, "the files are benchmarks' results (bench/README.md)", 0},
    {0},
};

static const struct argp_option zoo_options[] = {
    {"golden", KEY_GOLDEN, "DIR", 0, "where the golden data is", 0},
    {"jobs", 'j', "N", 0, "worker processes (default: one a processor)", 0},
    {"timeout", KEY_TIMEOUT, "SECONDS", 0, "limit of a case (default: 2)", 0},
    {"json", KEY_JSON_FLAG, NULL, 0, "one JSON object a line", 0},
    {0},
};

static const struct argp_option sensitivity_options[] = {
    {"golden", KEY_GOLDEN, "DIR", 0, "where the golden data is", 0},
    {"jobs", 'j', "N", 0, "worker processes (default: one a processor)", 0},
    {"write", KEY_WRITE, NULL, 0, "store it beside the pages", 0},
    {0},
};

static double positive(const char *text, const char *what, struct argp_state *state)
{
    char *end;
    const double v = strtod(text, &end);

    if (end == text || *end != '\0' || !(v > 0) || v > 1e9)
        argp_error(state, "%s: '%s' is no positive number", what, text);
    return v;
}

static int count(const char *text, const char *what, struct argp_state *state)
{
    const double v = positive(text, what, state);

    if (v != (int)v)
        argp_error(state, "%s: '%s' is no whole number", what, text);
    return (int)v;
}

/* Digits from *text on, as far as an int holds. */
static bool read_count(const char **text, int *out)
{
    const char *p = *text;
    int64_t v = 0;

    for (; *p >= '0' && *p <= '9' && v <= INT_MAX; p++)
        v = 10 * v + (*p - '0');
    if (p == *text || v > INT_MAX)
        return false;
    *text = p;
    *out = (int)v;
    return true;
}

static void read_shard(tsi_options *o, const char *text, struct argp_state *state)
{
    const char *p = text;

    if (!read_count(&p, &o->shard) || *p++ != '/' || !read_count(&p, &o->shards) ||
        *p != '\0' || o->shard < 1 || o->shards < o->shard)
        argp_error(state, "--shard: '%s' is not I/N with 1 <= I <= N <= %d", text,
                   INT_MAX);
}

static int64_t read_memory(const char *text, struct argp_state *state)
{
    static const char units[] = "KMGT";
    const char *p = text, *unit;
    int v;

    if (strcmp(text, "none") == 0)
        return TSI_NO_LIMIT;
    if (!read_count(&p, &v) || !*p || !(unit = strchr(units, *p)) || p[1] || v == 0) {
        argp_error(state, "--memory: '%s' is no size such as 512M or 4G, nor none", text);
        return 0;
    }
    return (int64_t)v << 10 * (unit - units + 1);
}

static error_t parse(int key, char *text, struct argp_state *state)
{
    arguments *a = state->input;
    tsi_options *o = &a->options;

    switch (key) {
    case KEY_BACKEND:
        o->backend = text;
        if (strcmp(text, "cuda") == 0 || strcmp(text, "cuda-sim") == 0)
            o->device = TS_ACCEL; /* they have no other */
        break;
    case KEY_GRAPH:
        o->graph = true;
        o->device = TS_ACCEL;
        break;
    case KEY_DEVICE:
        o->device = strcmp(text, "accel") == 0 ? TS_ACCEL : TS_CPU;
        if (o->device == TS_CPU && strcmp(text, "cpu") != 0)
            argp_error(state, "--device: '%s' is neither cpu nor accel", text);
        break;
    case KEY_QUALITY:
        o->quality = true;
        o->strict = text != NULL;
        if (text && strcmp(text, "strict") != 0)
            argp_error(state, "--quality: '%s' is not strict", text);
        break;
    case KEY_ASSIST:
        o->assist = true;
        break;
    case KEY_LEVEL:
        o->level = text;
        break;
    case KEY_FILTER:
        o->filter = text;
        break;
    case KEY_GOLDEN:
        o->golden = text;
        break;
    case KEY_SHARD:
        read_shard(o, text, state);
        break;
    case 'j':
        o->jobs = count(text, "--jobs", state);
        break;
    case KEY_TIMEOUT:
        o->timeout = positive(text, "--timeout", state);
        break;
    case KEY_EXPECTED:
        o->expected_failures = text;
        break;
    case KEY_MEMORY:
        o->memory = read_memory(text, state);
        break;
    case KEY_PARANOID: {
        const char *p = text;

        if (!read_count(&p, &o->paranoid) || *p)
            argp_error(state, "--paranoid: '%s' is no whole number", text);
        break;
    }
    case KEY_SLOWEST:
        o->slowest = count(text, "--slowest", state);
        break;
    case KEY_MIN:
        o->min_cases = count(text, "--min-cases", state);
        break;
    case KEY_JSON:
        o->json = text;
        break;
    case KEY_JUNIT:
        o->junit = text;
        break;
    case KEY_TAP:
        o->tap = text;
        break;
    case KEY_HTML:
        o->html = text;
        break;
    case KEY_JSON_FLAG:
        a->json = true;
        break;
    case KEY_PERF:
        a->perf = true;
        break;
    case KEY_WRITE:
        a->write = true;
        break;
    case KEY_CHECK:
        a->check = true;
        break;
    case 'o':
        a->output = text;
        break;
    case KEY_SPEC:
        a->spec = text;
        break;
    case KEY_ONLY:
        o->only = text;
        if (!ts_op_find(text))
            argp_error(state, "--only: '%s' is no op", text);
        break;
    case KEY_VARIANT:
        o->variant = tsi_variant_from_name(text);
        if (o->variant == TSI_VARIANT_COUNT)
            argp_error(state, "--variant: '%s' is no layout", text);
        break;
    case ARGP_KEY_ARGS:
        a->words = state->argv + state->next;
        a->nwords = state->argc - state->next;
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static int verb_run(arguments *a)
{
    a->options.files = a->words;
    a->options.nfiles = a->nwords;
    if (tsi_pipe_command(a->options.backend) &&
        (a->options.only || a->options.assist || a->options.device != TS_CPU)) {
        tsi_complain("--only and --device are for libraries, not for a pipe: a peer runs "
                     "whole programs, and knows its device");
        return 2;
    }
    return tsi_verb_run(&a->options);
}

static int verb_list(arguments *a)
{
    a->options.files = a->words;
    a->options.nfiles = a->nwords;
    return tsi_verb_list(&a->options, a->json);
}

static int verb_show(arguments *a)
{
    if (a->nwords < 1) {
        tsi_complain("show: which case? Give an id; `touchstone list` has them");
        return 2;
    }
    a->options.files = a->words + 1;
    a->options.nfiles = a->nwords - 1;
    return tsi_verb_show(&a->options, a->words[0]);
}

static int verb_coverage(arguments *a)
{
    return tsi_verb_coverage(&a->options, a->json, a->check, a->nwords, a->words);
}

static int verb_report(arguments *a)
{
    const char *out = a->output ? a->output : "report.html";

    if (a->nwords < 1) {
        tsi_complain(
            "report: give the results files that `touchstone run --json FILE` wrote");
        return 2;
    }
    tsi_interrupt_end();
    if ((a->perf ? html_write_perf((const char *const *)a->words, (size_t)a->nwords, out)
                 : html_write_files((const char *const *)a->words, (size_t)a->nwords,
                                    a->spec, out)) != TS_OK) {
        tsi_complain("%s", ts_error_message());
        return 2;
    }
    return 0;
}

static int verb_zoo(arguments *a)
{
    return tsi_verb_zoo(&a->options, a->json, a->nwords, a->words);
}

static int verb_sensitivity(arguments *a)
{
    return tsi_verb_sensitivity(&a->options, a->write, a->nwords, a->words);
}

static const struct verb {
    const char *name, *args, *doc;
    const struct argp_option *options;
    int (*go)(arguments *a);
    double timeout;
} verbs[] = {
    {"run", "[FILE.cases…]",
     "Judge a backend by the golden cases, or by the given files.", run_options, verb_run,
     10},
    {"list", "[FILE.cases…]", "List the cases.", list_options, verb_list, 0},
    {"show", "ID [FILE.cases…]",
     "Show a case: its program, the rules it serves, the answers that PyTorch gave.",
     show_options, verb_show, 0},
    {"report", "RESULTS.json…", "Make the report page of one or more results files.",
     report_options, verb_report, 0},
    {"coverage", "[TEST…]",
     "Show which rules, ops and dtypes the cases cover, by scope id.", coverage_options,
     verb_coverage, 0},
    {"zoo", "[MEMBER…]", "Judge the faulty backends; every one must be found out.",
     zoo_options, verb_zoo, 2},
    {"sensitivity", "[PAGE…]",
     "Hold what is stored of the cases that no kernel decides to a measurement.",
     sensitivity_options, verb_sensitivity, 10},
};

static void usage(FILE *f)
{
    fprintf(
        f,
        "Usage: touchstone VERB [OPTION…] [ARGUMENT…]\n"
        "Judge an implementation of PyTorch's operators by what PyTorch answered.\n\n");
    for (size_t i = 0; i < sizeof(verbs) / sizeof(*verbs); i++)
        fprintf(f, "  %-11s %-17s %s\n", verbs[i].name, verbs[i].args, verbs[i].doc);
    fprintf(f, "\n`touchstone VERB --help` lists a verb's options. Exit status: 0 good, "
               "1 failures, "
               "2 usage or set-up.\n");
}

static int run_verb(const struct verb *v, char **argv, int argc)
{
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    arguments a = {.options = {.program = argv[0],
                               .variant = TSI_VARIANT_COUNT,
                               .jobs = processors > 0 ? (int)processors : 1,
                               .timeout = v->timeout,
                               .paranoid = TSI_PARANOID,
                               .min_cases = -1}};
    const struct argp parser = {v->options, parse, v->args, v->doc, NULL, NULL, NULL};
    static char name[64];
    char *program = argv[0];
    int status;

    snprintf(name, sizeof(name), "touchstone %s", v->name);
    argv[1] = name;
    argp_err_exit_status = 2;
    if (argp_parse(&parser, argc - 1, argv + 1, 0, NULL, &a) != 0)
        return 2;
    a.options.program = program;
    status = v->go(&a);
    if (fflush(stdout) != 0 && status == 0) {
        tsi_complain("stdout: %s", strerror(errno));
        status = 2;
    }
    return status;
}

/* A file opened later must not become what we print to. What stands in for a stream that
 * was closed can't be used as one. */
static bool fill_streams(void)
{
    for (int fd = 0; fd < 3; fd++)
        if (fcntl(fd, F_GETFD) < 0 &&
            open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY) != fd)
            return false;
    return true;
}

int main(int argc, char **argv)
{
    if (!fill_streams())
        return 2;
    if (argc < 2) {
        usage(stderr);
        return 2;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "help") == 0) {
        usage(stdout);
        return 0;
    }
    if (strcmp(argv[1], "--version") == 0) {
        puts("touchstone " TOUCHSTONE_VERSION);
        return 0;
    }
    for (size_t i = 0; i < sizeof(verbs) / sizeof(*verbs); i++)
        if (strcmp(argv[1], verbs[i].name) == 0)
            return run_verb(&verbs[i], argv, argc);
    tsi_complain("'%s' is no verb; touchstone --help lists them", argv[1]);
    return 2;
}

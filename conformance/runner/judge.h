/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the runner share: corpus, options, verdicts, results. */
#ifndef TSI_JUDGE_H
#define TSI_JUDGE_H

#include <regex.h>
#include <stdio.h>

#include "compare/compare.h"
#include "compare/safetensors.h"
#include "runner/rules.h"
#include "script/script.h"

/* Print "touchstone: …" to stderr and return false: a set-up error, exit status 2. */
TS_PRINTF(1, 2) bool tsi_complain(const char *format, ...);

/* --- corpus --- */

typedef struct tsi_golden {
    char *path; /* of the .cases file */
    tsi_cases *cases;
    bool named;  /* by the user, who may have edited it */
    bool opened; /* its bytes are those that were written, and what follows is there */
    tsi_safetensors data;
    const tsi_stored *truth, *bound, *bits[TS_DTYPE_COUNT];
} tsi_golden;

/* One case. Its program and answers are there after tsi_item_ready. */
typedef struct tsi_item {
    const tsi_case *c;
    tsi_golden *golden;
    const char *level;
    tsi_expected
        *expected; /* one per record of c; sizes is NULL where it holds no elements */
} tsi_item;

typedef struct tsi_corpus {
    tsi_golden *files;
    int nfiles;
    tsi_item *items;
    int count;
    char torch[32]; /* PyTorch's version, by the files; "" for a user's */
} tsi_corpus;

/* Load the corpus in `dir` (NULL: search), or only `files`, as far as the headers of its
 * cases. Complains and returns false. */
bool tsi_corpus_load(tsi_corpus *out, const char *dir, int nfiles, char *const *files);
/* Hold the files of these items (NULL: of the first `count`) to their checksums. Complains
 * and returns false. */
bool tsi_corpus_open(tsi_corpus *c, const int *items, int count);
/* The same, and read their programs and answers. */
bool tsi_corpus_ready(tsi_corpus *c, const int *items, int count);

typedef struct tsi_why {
    char text[600];
} tsi_why;

/* Read program and answers of one item whose file is open. False: `why` says why not. */
bool tsi_item_ready(tsi_item *item, tsi_why *why);
/* Print which pages of the spec's own corpus are missing; how many. */
int tsi_corpus_complaints(const tsi_corpus *c, FILE *out);
void tsi_corpus_free(tsi_corpus *c);
bool tsi_is_file(const char *path);
/* The whole of a file, ended by '\0'; caller frees. NULL: complained. */
char *tsi_read_text(const char *path);

/* --- verdicts --- */

typedef enum tsi_verdict {
    TSI_PASS,
    TSI_ASSISTED,
    TSI_RUNTIME,
    TSI_XFAIL,
    TSI_SKIP,
    TSI_UNSUPPORTED,
    TSI_NOT_CLAIMED,
    TSI_NOT_RUN, /* the run ended before */
    TSI_XPASS,   /* from here on: failures, XPASS in a whole run only */
    TSI_FAIL,
    TSI_ERROR,
    TSI_TIMEOUT,
    TSI_MISTRUSTED,
    TSI_VERDICT_COUNT
} tsi_verdict;

const char *tsi_verdict_name(tsi_verdict v); /* "NOT-CLAIMED" */
tsi_verdict tsi_verdict_from_name(const char *name, size_t length);
static inline bool tsi_is_failure(tsi_verdict v)
{
    return v >= TSI_FAIL;
}

/* What came of one case. Strings are the result's own. */
typedef struct tsi_result {
    tsi_verdict verdict;
    tsi_variant variant; /* where it failed */
    int executions;
    int line;          /* of the failing expectation, 0: of the case */
    bool meta_ended;   /* the run on meta stopped at an op that needs data */
    int graphs, works; /* of --graph: captured in all layouts */
    bool compared;     /* run a second time */
    double ms;
    char *reason; /* NULL on PASS */
    char *expect; /* JSON list, when details were asked for */
} tsi_result;

/* --- options --- */

#define TSI_NO_LIMIT INT64_MAX
#define TSI_PARANOID 2

typedef struct tsi_options {
    const char *program; /* argv[0] */
    const char *backend; /* name, path, "pipe:COMMAND", or NULL: the reference */
    const char *level, *filter, *only, *golden;
    ts_device_type device; /* under test: TS_CPU or TS_ACCEL */
    bool assist;           /* ops that the backend lacks run on the reference */
    bool graph;            /* second runs are captured and replayed */
    bool corrupt;          /* one run a case, on corrupted kernels: does it notice? */
    bool quality, strict;  /* results are measured too; and fail beyond a page's limit */
    tsi_variant variant;   /* TSI_VARIANT_COUNT: all */
    int shard, shards;     /* 1-based; 0 of 0: whole */
    int jobs;
    double timeout; /* seconds a case */
    int64_t memory; /* bytes a worker; 0: by the cases, or TSI_NO_LIMIT */
    int paranoid;   /* one case in so many is looked at closely; 0: none */
    int slowest;    /* so many are told at the end */
    const char *json, *junit, *tap, *html, *expected_failures;
    int64_t min_cases; /* -1: as promised */
    char *const *files;
    int nfiles;
    bool details; /* results carry their "expect" list */
} tsi_options;

/* Whether it judges the whole corpus: only then do counts and lists have to match. */
bool tsi_options_whole(const tsi_options *o);
/* The one line that runs this case again; caller frees. */
char *tsi_reproduce(const tsi_options *o, const tsi_item *item, tsi_variant variant);

/* Indices of the items that the options select, in order; *count of them. NULL:
 * complained. */
int *tsi_select(tsi_corpus *corpus, const tsi_options *o, int *count);

/* --- graphs --- */

typedef struct tsi_graph_counts {
    int graphs;
    int64_t nodes;
} tsi_graph_counts;

/* `driver` with captures around what it is given, once capture(true) is called. */
ts_status tsi_graph_driver(const ts_driver *driver, const ts_driver **out);
void tsi_graph_capture(bool on);
tsi_graph_counts tsi_graph_take_counts(void); /* since the last time */

/* --- expected failures --- */

typedef struct tsi_list_entry {
    char *pattern, *reason;
    tsi_verdict verdict; /* TSI_VERDICT_COUNT: any failure */
    int line, matched;
} tsi_list_entry;

typedef struct tsi_list {
    const char *path;
    tsi_list_entry *entries;
    int count;
} tsi_list;

#define TSI_LIST_WIDEST 20 /* cases that one pattern may name */

bool tsi_list_read(tsi_list *out, const char *path);
void tsi_list_free(tsi_list *l);
/* The verdict after the list has had its say; notes the match. */
void tsi_list_apply(tsi_list *l, const char *id, tsi_result *r);
/* Print dead and over-broad entries; how many there are. */
int tsi_list_complaints(const tsi_list *l, FILE *out);

/* --- backends --- */

/* The command of "pipe:COMMAND", or NULL. */
const char *tsi_pipe_command(const char *backend);
/* Where a backend was found; caller frees. NULL: complained. */
char *tsi_backend_path(const tsi_options *o, const char *name);

typedef struct tsi_backend_info {
    char name[64], version[32], message[512];
    bool ok, simulated;
} tsi_backend_info;

/*
 * Open `path` in this process and make it the backend of o->device; with o->only its one
 * kernel alone, and the reference for the rest, as with o->assist for what it lacks.
 * message says what was wrong.
 */
void tsi_backend_start(const char *path, const tsi_options *o, const char *reference,
                       tsi_backend_info *info);
/* Whether it has a device of its own, and no simulated one. */
bool tsi_backend_has_device(void);
/* The reference serves the cpu until it is taken back; false: it cannot be had. */
bool tsi_backend_lend(const tsi_options *o);
void tsi_backend_take_back(void);
/* Close it, where it wants to be closed. */
void tsi_backend_stop(void);
/* Whether a run needs the reference beside the backend. */
static inline bool tsi_needs_reference(const tsi_options *o)
{
    return o->only || o->assist || o->quality || o->device == TS_ACCEL;
}
/* Whether the backend claims `op` in `dtype`; *claims: whether it claims anything at all.
 */
bool tsi_backend_claimed(const char *op, ts_dtype dtype, bool *claims);
/* Whether it is the reference, or a changed one: its kernels name the rule by which they refuse. */
bool tsi_backend_is_reference(void);
/* Whether it stands for this level ("L2"), as far as it says. */
bool tsi_backend_stands_for(const char *level);

/* --- running --- */

/* The executions of one case, in this process. */
typedef struct tsi_executor tsi_executor;
struct tsi_pipe; /* runner/pipe.h; NULL: a library is judged */
tsi_executor *tsi_executor_new(const tsi_options *o, struct tsi_pipe *pipe);
void tsi_execute(tsi_executor *x, const tsi_item *item, tsi_result *out);

/* What the reference gives for the expectation `name` of the case, row-major, where it is
 * of the dtype and shape of `like`; caller frees. NULL: nothing came. */
unsigned char *tsi_reference_elements(tsi_interp *in, const tsi_options *o,
                                      const tsi_case *c, tsi_variant variant,
                                      const char *name, const tsi_answer *like);
/* Write to `reason` which elements of `a` are wrong, by the reference's (NULL: add that
 * they are not to be had). */
void tsi_explain_digest(const char *name, const tsi_expected *e, const tsi_answer *a,
                        const unsigned char *reference, char *reason, size_t size);

/* Called in selection order. Returning false ends the run. */
typedef bool (*tsi_result_fn)(void *self, int index, tsi_item *item, tsi_result *r);
typedef void (*tsi_tick_fn)(void *self, int done);

typedef struct tsi_pool_run {
    const tsi_options *options;
    const tsi_corpus *corpus;
    const int *selected;
    int count;
    const char *backend, *reference; /* paths */
    tsi_result_fn result;
    tsi_tick_fn tick; /* about ten times a second; may be NULL */
    void *self;
    tsi_backend_info info; /* filled by the first worker */
    const char *ended; /* why cases were not run, or how the backend closed; or NULL */
    char closing[340];
} tsi_pool_run;

/* Deal the cases to worker processes. False: a set-up error, complained. */
bool tsi_pool_work(tsi_pool_run *run);

#define TSI_MAX_TIMEOUTS 3

/* --- verbs --- */

int tsi_verb_run(tsi_options *o);
int tsi_verb_list(const tsi_options *o, bool json);
int tsi_verb_show(const tsi_options *o, const char *id);
int tsi_verb_coverage(const tsi_options *o, bool json, bool check, int ntests,
                      char *const *tests);
int tsi_verb_sensitivity(const tsi_options *o, bool write, int npages,
                         char *const *pages);
int tsi_verb_zoo(const tsi_options *o, bool json, int count, char *const *names);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* What the files share that run a case and look at what comes of it. */
#ifndef TSI_EXECUTE_H
#define TSI_EXECUTE_H

#include "runner/judge.h"
#include "runner/text.h"

enum { TSI_MOST_TAKEN = 4096 /* expectations in one run */ };

/* Memory of one run, given back all at once. */
typedef struct tsi_chunk {
    struct tsi_chunk *next;
    size_t used, room;
    _Alignas(16) unsigned char bytes[];
} tsi_chunk;

typedef struct tsi_arena {
    tsi_chunk *first;
} tsi_arena;

/* What an expectation saw. */
typedef struct tsi_taken {
    const char *name;
    tsi_expect_kind kind;
    bool decided, passed;
    const tsi_expected *expected; /* NULL: decided by the interpreter */
    bool is_tensor;
    tsi_answer answer;
    double worst;
    int64_t worst_at;
} tsi_taken;

typedef struct tsi_run_record {
    tsi_arena memory;
    tsi_taken *taken;
    int count;
    bool *met; /* by record of the case: an expectation asked for it */
} tsi_run_record;

/* What a run is for: to be judged, to be held against that one, meta's, or to see what it
 * leaves behind (leaks.c). */
typedef enum tsi_mode { TSI_FIRST, TSI_AGAIN, TSI_ON_META, TSI_UNJUDGED } tsi_mode;

struct tsi_executor {
    tsi_interp *interp;
    struct tsi_pipe *pipe; /* NULL: a library is judged */
    const tsi_options *options;
    const tsi_item *item;
    tsi_run_record base, other, *now;
    tsi_mode mode;
    int at; /* next expectation, in AGAIN and ON_META */
    bool failed, repeats, compared;
    int able;         /* expectations of the base run that can fail */
    char hollow[120]; /* why the first that can't cannot */
    int line;
    char reason[1280];
    const tsi_taken *puzzle; /* its digest differs, and that made the case fail */
    tsi_answer input;        /* the first generated tensor, as it was when first seen */
    bool has_input;
    bool numeric, fits[TSI_TRIVIAL_COUNT], misfits[TSI_TRIVIAL_COUNT];
    unsigned char *scratch;
    size_t scratch_size;
    tsi_text text;
    /* Of a case with several ranks this one is rank 0, and these are the others. */
    tsi_executor **peers;
    int npeers, room;
    ts_backend_counts counts; /* of a peer's thread, since the layout began */
};

/* The case fails, at `line` of its file (0: nowhere in particular). The first reason
 * stays. */
TS_PRINTF(3, 4)
void tsi_fault(tsi_executor *x, int line, const char *format, ...);

/* One run of the case (execute.c). */
ts_status tsi_run_once(tsi_executor *x, tsi_variant variant, tsi_mode m,
                       tsi_run_result *r);

/* --- what expectations saw (observe.c) --- */

/* Callbacks of tsi_judge; self is the executor. */
ts_status tsi_observe(void *self, const tsi_expectation *e);
ts_status tsi_observe_data(void *self, const tsi_case *c, const char *key,
                           ts_device device, ts_tensor **out);
/* A digest's elements once they are known: `elements`, which live as long as the run. */
const tsi_expected *tsi_known(tsi_executor *x, const tsi_taken *t,
                              const unsigned char *elements);
void *tsi_arena_take(tsi_arena *a, size_t size);
void tsi_arena_reset(tsi_arena *a);

/* --- runs (ranks.c) --- */

/* What the device has still to tell is the run's too. */
ts_status tsi_settle(ts_status status, tsi_run_result *r);
/* One run on every rank; x->peers are the others. */
ts_status tsi_run_ranks(tsi_executor *x, const tsi_run_options *options,
                        tsi_run_result *result);

/* --- verdicts --- */

/* Calls since the layout began, on every rank (declined.c). */
ts_backend_counts tsi_counted(const tsi_executor *x);
/* The verdict of a run that ended in TS_ERR_UNSUPPORTED. */
tsi_verdict tsi_declined(tsi_executor *x, const tsi_run_result *r);

/* Which trivial answers would have passed this expectation too (trust.c). */
void tsi_weigh(tsi_executor *x, const tsi_expected *e);
/* results/S5, of the program itself: that something in it can fail. */
bool tsi_cannot_fail(tsi_executor *x);
/* results/S5. True: `x->reason` says why this case cannot be trusted. */
bool tsi_mistrusted(tsi_executor *x);

/* The JSON list that a results file has under "expect" (detail.c). */
void tsi_describe_all(tsi_executor *x, bool passed, tsi_result *out);

#endif

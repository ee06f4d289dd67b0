/* SPDX-License-Identifier: Apache-2.0 */
/* The case language: reading .cases files and running one case; see
 * spec/areas/case_language.md. */
#ifndef TSI_SCRIPT_H
#define TSI_SCRIPT_H

#include <jansson.h>
#include <stddef.h>

#include "touchstone/touchstone.h"

/* --- files and cases
 * -------------------------------------------------------------------------- */

/* How generated inputs lie in memory (case_language/S9). */
typedef enum tsi_variant {
    TSI_BASE,
    TSI_OFFSET,
    TSI_STRIDED,
    TSI_TRANSPOSED,
    TSI_EXPANDED,
    TSI_CHANNELS_LAST,
    TSI_VARIANT_COUNT
} tsi_variant;

const char *tsi_variant_name(tsi_variant v);         /* "base", "offset", … */
tsi_variant tsi_variant_from_name(const char *name); /* TSI_VARIANT_COUNT when unknown */

typedef enum tsi_record_class {
    TSI_RECORD_EXACT,  /* elements, bit by bit */
    TSI_RECORD_BOUND,  /* elements, each within its bound of the truth */
    TSI_RECORD_DIGEST, /* elements, bit by bit, of which the file has a digest only */
    TSI_RECORD_VALUE,
    TSI_RECORD_ERROR
} tsi_record_class;

/* What PyTorch answered to one expectation in one variant (case_language/S11). */
typedef struct tsi_record {
    const char *name;
    tsi_record_class class_;
    tsi_variant variant;
    int line;
    /* EXACT, BOUND: what stands from element `at` of the flat tensor on */
    ts_dtype dtype;
    int ndim;
    int64_t numel, at;
    const int64_t *sizes, *strides;
    unsigned char digest[16]; /* DIGEST */
    double used;   /* BOUND: the largest share of it that PyTorch took; 0 where unsaid */
    json_t *value; /* VALUE */
    ts_status error; /* ERROR */
} tsi_record;

struct tsi_program;

typedef struct tsi_case {
    const char *id;   /* "softmax/float16/dim0" */
    const char *page; /* its first part, "softmax" */
    ts_dtype dtype;   /* its second part where that names a dtype, else TS_DTYPE_NONE */
    const char *file; /* as given to tsi_cases_open */
    int line;         /* of "# case" */
    int program_line; /* of the program's first line */
    const char *program;
    int nrules, nneeds, nops, nrecords;
    const char *const *rules; /* "softmax/S1" */
    const char *const *needs; /* op names, as the header lists them */
    const char *const
        *ops; /* op names that the program itself calls by name, once each */
    const char *provenance; /* "user" where the header has none */
    const char *level;      /* NULL where the header has none */
    unsigned variants;      /* 1u << tsi_variant; base always */
    bool trivial;
    int ranks;      /* 1 */
    int64_t memory; /* bytes; 0 where the header has none */
    double timeout; /* seconds; 0 where the header has none */
    const tsi_record *records;
    const struct tsi_program *ast; /* NULL: not read yet, see tsi_case_ready */
    const char *body, *end;        /* program and records as they stand */
    int body_line;
} tsi_case;

typedef struct tsi_cases {
    const char *file;
    const char
        *data_file; /* "softmax.safetensors" from "# data:", or NULL (a user's file) */
    const char *data_sha256; /* 64 hex digits, or NULL */
    const char *text_sha256; /* of hashed … text_end, by "# text:"; or NULL */
    const char *hashed, *text_end;
    const char *torch; /* PyTorch's version, by "# made:"; or NULL */
    int count;
    tsi_case *cases;
    struct tsi_names *names;
    struct tsi_pool *pool; /* owns everything above */
    char *text;            /* where it was read from a file: */
    size_t text_size;
    bool mapped;
} tsi_cases;

/*
 * Read and parse a whole file, or `size` bytes called `file` in messages. Refused as a
 * whole at the first error: TS_ERR_VALUE, and ts_error_message() holds
 * "[case_language/C2] file:line:column: what was expected, what stands there". A file
 * that cannot be read: TS_ERR_RUNTIME. Unless `whole`, a file is read up to the headers of
 * its cases only, and their programs and records by tsi_case_ready.
 */
ts_status tsi_cases_open(const char *path, bool whole, tsi_cases **out);
ts_status tsi_cases_parse(const char *file, const char *text, size_t size,
                          tsi_cases **out);
/* Program and records of case i; costs nothing where they are there already. */
ts_status tsi_case_ready(tsi_cases *cases, int i);
void tsi_cases_free(tsi_cases *cases); /* NULL passes */

/* Whether the header says that it needs `what`, or, of "accel", the program itself. */
bool tsi_case_needs(const tsi_case *c, const char *what);

/* The record of expectation `name` under `variant` (falling back to base), or NULL. */
const tsi_record *tsi_record_find(const tsi_case *c, const char *name,
                                  tsi_variant variant);

/* --- running
 * ---------------------------------------------------------------------------------- */

/* A tensor as a peer describes it (pipe/S5). */
typedef struct tsi_told {
    const json_t *json; /* the object that describes it */
    ts_dtype dtype;
    int ndim;
    int64_t numel, offset, storage;
    const int64_t *sizes, *strides;
    const unsigned char *elements; /* row-major, at any alignment; NULL: not sent */
    const unsigned char *whole;    /* of its storage; NULL: not sent */
    int64_t whole_bytes;
} tsi_told;

/* What a peer answered to one expectation. */
typedef struct tsi_reply {
    json_t *value, *wanted;      /* NULL: not given */
    const tsi_told *told;        /* the tensors in both, and in "base" */
    int ntold;                   /* how many */
    const tsi_told *tensor;      /* where `value` is one */
    const tsi_told *base;        /* of expect_view_of, expect_copy_of */
    bool same, warned, kept;     /* of expect_same, expect_warns, expect_error */
    const char *error, *message; /* of expect_error; error NULL: none came */
} tsi_reply;

typedef enum tsi_expect_kind {
    TSI_EXPECT,       /* expect(t, "name"): the judge decides, by the case's record */
    TSI_EXPECT_EQUAL, /* expect_equal(t, "name"): the judge decides, bit by bit; all other
                         forms of it come decided */
    TSI_EXPECT_VIEW_OF, /* from here on the interpreter has decided */
    TSI_EXPECT_COPY_OF,
    TSI_EXPECT_SAME,
    TSI_EXPECT_STRIDES,
    TSI_EXPECT_ANY,
    TSI_EXPECT_UNTOUCHED,
    TSI_EXPECT_WARNS,
    TSI_EXPECT_ERROR,
    TSI_EXPECT_CLOSE,
    TSI_EXPECT_INPUTS, /* no call in the program: an op wrote to an argument it only reads
                        */
    TSI_EXPECT_GAPS, /* no call in the program: gap elements of a generated input changed
                      */
    TSI_EXPECT_KIND_COUNT
} tsi_expect_kind;

const char *
tsi_expect_kind_name(tsi_expect_kind kind); /* "expect", "expect_equal", …, "inputs" */

/* One expectation, at the moment its call is reached. Everything is borrowed for the
 * callback. */
typedef struct tsi_expectation {
    tsi_expect_kind kind;
    const char
        *name; /* unique in the run: "y", "y.0" in a loop, "error1" where it has none */
    int line;  /* in the file */
    bool decided; /* `passed` and `reason` hold; else compare `tensor` with `record` */
    bool passed;
    const char *reason; /* why it failed, with both values; NULL when it passed */
    const char *hollow; /* why it holds whatever a backend does; NULL: it may fail */
    ts_tensor *tensor;  /* the value under judgement where it is a tensor, else NULL */
    const tsi_told
        *told; /* a peer's answer, in place of `tensor`, where it is compared */
    ts_tensor *first_input; /* the first generated tensor of this run, or NULL */
    const tsi_record
        *record; /* of this name, for this variant or base; NULL where there is none */
} tsi_expectation;

/* What the interpreter asks of the judge. */
typedef struct tsi_judge {
    void *self;
    /* Called at every expectation. A status other than TS_OK ends the run with it. */
    ts_status (*expectation)(void *self, const tsi_expectation *e);
    /* data("key"): a new reference to a stored tensor on `device`. NULL: the call is
     * refused. */
    ts_status (*data)(void *self, const tsi_case *c, const char *key, ts_device device,
                      ts_tensor **out);
    /* What a generator or data() made, before the program sees it; with another status
     * than TS_OK it refused, and t is NULL. May be NULL. */
    ts_status (*input)(void *self, ts_status status, ts_tensor *t);
    /* The pipe door: what a peer answered to the next expectation, judged in place of
     * what this run gave. NULL: this run itself is judged. */
    ts_status (*reply)(void *self, tsi_expect_kind kind, tsi_reply *out);
} tsi_judge;

typedef struct tsi_run_options {
    tsi_variant variant;
    ts_device device;  /* the default device of the run */
    bool watch_inputs; /* compare the arguments of every op call before and after */
    bool labels;     /* every refusal names the rule that a case expects, kernels' too */
    int64_t steps;   /* budget of evaluated nodes; 0: TSI_DEFAULT_STEPS */
    int rank, ranks; /* with ranks above 1, names of expectations end in the rank */
} tsi_run_options;

#define TSI_DEFAULT_STEPS 1000000

typedef struct tsi_run_result {
    ts_status
        status; /* TS_OK: the program ran to its end, whatever its expectations said */
    int line;   /* in the file, where the error arose */
    char message[512];
    char label[64];
} tsi_run_result;

/* An interpreter holds scratch memory for one thread; reuse it for all runs. */
typedef struct tsi_interp tsi_interp;
ts_status tsi_interp_new(tsi_interp **out);
void tsi_interp_free(tsi_interp *in);

/*
 * Run a case once. Returns result->status. At the end, error or not, every tensor, node
 * and storage of the run has been released, and grad mode and default device are as they
 * were before.
 */
ts_status tsi_case_run(tsi_interp *in, const tsi_case *c, const tsi_run_options *options,
                       const tsi_judge *judge, tsi_run_result *result);

/* The program as a tree of lists (pipe/S4): a new reference, NULL when memory is short. */
json_t *tsi_case_tree(const tsi_case *c);

/* --- generators (case_language/S8)
 * ------------------------------------------------------------- */

typedef enum tsi_generator {
    TSI_NORMAL,
    TSI_UNIFORM,
    TSI_INTEGERS,
    TSI_BOOLS,
    TSI_PERMUTATION,
    TSI_DISTINCT,
    TSI_GENERATOR_COUNT
} tsi_generator;

typedef struct tsi_generate_args {
    uint64_t seed;
    double low, high;          /* uniform */
    int64_t int_low, int_high; /* integers */
    const char *mix;           /* NULL: none */
} tsi_generate_args;

const char *tsi_generator_name(tsi_generator g);
/* Write n elements of `dtype`, in row-major order, to `out` (n * element size bytes). */
ts_status tsi_generate(tsi_generator g, const tsi_generate_args *args, ts_dtype dtype,
                       int64_t n, void *out);

/* Strides, offset and storage elements of a generated tensor under a variant. In
 * `expanded` the dim with stride 0 is returned in *expanded, else -1. */
ts_status tsi_layout(tsi_variant v, int ndim, const int64_t *sizes, int64_t *strides,
                     int64_t *offset, int64_t *storage_elements, int *expanded);

/* reached[i] = 1 for every element of t's storage that some index of t reaches. */
void tsi_mark_reached(const ts_tensor *t, unsigned char *reached);

#define TSI_GAP_BYTE 0xA5

#endif

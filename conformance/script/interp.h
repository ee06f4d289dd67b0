/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the interpreter share. Nothing here is seen outside
 * conformance/script. */
#ifndef TSI_INTERP_H
#define TSI_INTERP_H

#include "ast.h"

#define TSI_MAX_LOOPS 16
#define TSI_MAX_CALLS 16
#define TSI_RUN_MEMORY ((size_t)256 << 20)

/* Ops that operators, subscripts and attributes stand for; found once per interpreter. */
typedef enum tsi_known_op {
    K_ADD,
    K_SUB,
    K_MUL,
    K_DIV,
    K_FLOOR_DIVIDE,
    K_REMAINDER,
    K_POW,
    K_MATMUL,
    K_BITWISE_AND,
    K_BITWISE_OR,
    K_BITWISE_XOR,
    K_LEFT_SHIFT,
    K_RIGHT_SHIFT,
    K_EQ,
    K_NE,
    K_LT,
    K_LE,
    K_GT,
    K_GE,
    K_NEG,
    K_BITWISE_NOT,
    K_ABS,
    K_SELECT,
    K_SLICE,
    K_UNSQUEEZE,
    K_EXPAND,
    K_SQUEEZE,
    K_VIEW,
    K_INDEX,
    K_INDEX_PUT,
    K_NEW_FULL,
    K_FILL,
    K_COPY,
    K_PERMUTE,
    K_TRANSPOSE,
    K_TO,
    K_RSUB,
    K_RECIPROCAL,
    K_NUMPY_T,
    K_MT,
    K_ITEM,
    K_COUNT
} tsi_known_op;

/* What is on the heap of a run: everything stays in the pool until the run ends, so that
 * a graph may let go of an object in any order. */
typedef struct tsi_object {
    uint8_t kind;
    int refs, n, capacity;
    tsi_value *v;       /* items; V_METHOD: the receiver; V_HANDLE: the tensor */
    const char **names; /* V_CTX: of items; a result with named fields: the two names */
    const tsi_callee *callee;              /* V_METHOD */
    const tsi_node *node;                  /* V_CTX: the class; V_METHOD: the attribute */
    int64_t number;                        /* V_HANDLE */
    struct tsi_interp *in;                 /* V_CTX, V_HANDLE */
    struct tsi_call *call;                 /* V_CTX: the application under way */
    ts_function_ctx *ctx;                  /* V_CTX: the runtime's, while there is one */
    bool *is_tensor;                       /* V_CTX: by argument of forward */
    const struct tsi_module_class *class_; /* V_OBJECT */
    void *self;                            /* V_OBJECT: what the class keeps */
    struct tsi_object *next;               /* of the run */
} tsi_object;

/* The arguments of a call: the last `keywords` of n have names. */
typedef struct tsi_args {
    int n, keywords;
    const char *const *names;
    tsi_value v[TSI_MAX_CALL_ARGS];
} tsi_args;

typedef struct tsi_generated tsi_generated; /* generated.c */

typedef struct tsi_made {
    ts_storage *storage;
    unsigned char *bytes; /* as they were */
    int64_t size;
    struct tsi_made *next;
} tsi_made;

typedef struct tsi_input {
    ts_tensor *tensor;
    bool gaps;    /* its layout leaves elements that no index reaches */
    bool written; /* by what moves no version counter, a collective */
    struct tsi_input *next;
} tsi_input;

typedef struct tsi_kept {
    ts_tensor *tensor;
    struct tsi_kept *next;
} tsi_kept;

struct tsi_interp {
    tsi_pool *pool;
    const ts_op *known[K_COUNT];
    tsi_generated *generated; /* by earlier runs of the case */

    /* the run */
    const tsi_case *c;
    const tsi_run_options *options;
    const tsi_judge *judge;
    tsi_value *globals, *locals;
    tsi_object *objects;
    int64_t steps;
    int line, error_line;
    const tsi_node *called; /* the call under way */
    bool returning;
    tsi_value result;
    bool *active; /* by function: it is being run */
    int calls;
    int64_t loops[TSI_MAX_LOOPS];
    int nloops;
    int counts[TSI_EXPECT_KIND_COUNT];
    tsi_input *inputs, **inputs_end;
    tsi_made *made;
    tsi_input *given; /* literals and stored tensors, on cpu */
    tsi_kept *leaves;
    const char *hollow;    /* of the expectation under way */
    struct tsi_seen *seen; /* names of expectations of this run */
};

/* --- values (value.c) */

static inline tsi_value tsi_none(void)
{
    return (tsi_value){.kind = V_NONE};
}

static inline tsi_value tsi_int(int64_t i)
{
    return (tsi_value){.kind = V_INT, .i = i};
}

static inline tsi_value tsi_bool(bool b)
{
    return (tsi_value){.kind = V_BOOL, .b = b};
}

static inline tsi_value tsi_tensor_value(ts_tensor *t) /* takes the reference */
{
    return (tsi_value){.kind = V_TENSOR, .t = t};
}

static inline bool tsi_is_number(const tsi_value *v)
{
    return v->kind == V_BOOL || v->kind == V_INT || v->kind == V_FLOAT;
}

static inline bool tsi_is_sequence(const tsi_value *v)
{
    return v->kind == V_TUPLE || v->kind == V_LIST;
}

tsi_value tsi_retain(tsi_value v);
void tsi_release(tsi_value v);
void tsi_release_args(tsi_args *a);
ts_status tsi_object_new(tsi_interp *in, tsi_kind kind, int capacity, tsi_value *out);
ts_status tsi_append(tsi_interp *in, tsi_object *o, tsi_value v); /* takes v */
ts_status tsi_int_tuple(tsi_interp *in, int n, const int64_t *v, tsi_value *out);
double tsi_number(const tsi_value *v);
int64_t tsi_integer(const tsi_value *v); /* of a bool or an int */
ts_scalar tsi_scalar_of(const tsi_value *v);
const char *tsi_kind_name(const tsi_value *v);          /* "int", "Tensor", … */
bool tsi_equal(const tsi_value *a, const tsi_value *b); /* Python's ==, no tensors */
/* The value as text, shortened to fit; returns buf. */
const char *tsi_text(const tsi_value *v, char *buf, size_t n);
void tsi_clear_object(tsi_object *o);

/* --- elements of tensors (value.c) */

/* A tensor on cpu with t's elements: t itself where it is there. New reference. */
ts_status tsi_on_host(tsi_interp *in, ts_tensor *t, ts_tensor **out);
tsi_value tsi_element(const ts_tensor *t, const int64_t *index);
ts_status tsi_item(tsi_interp *in, ts_tensor *t, tsi_value *out);
ts_status tsi_to_list(tsi_interp *in, ts_tensor *t, tsi_value *out);

/* --- evaluation (eval.c, interp.c) */

/* Clean up, and forward the error. */
#define TSI_TRY_OR(cleanup, call)         \
    do {                                  \
        const ts_status status_ = (call); \
        if (status_ != TS_OK) {           \
            cleanup;                      \
            return status_;               \
        }                                 \
    } while (0)

ts_status tsi_eval(tsi_interp *in, const tsi_node *n, tsi_value *out);
ts_status tsi_truth(tsi_interp *in, const tsi_value *v, bool *out);
/* The arguments of call n, evaluated; the caller's to release, on error too. */
ts_status tsi_arguments(tsi_interp *in, const tsi_node *n, tsi_args *args);
ts_status tsi_step(tsi_interp *in); /* one step of the budget */
ts_status tsi_run_body(tsi_interp *in, const tsi_node *body);
ts_status tsi_run_function(tsi_interp *in, const tsi_node *def, const tsi_value *first,
                           const tsi_args *args, tsi_value *out);

/* --- operators (operators.c) */

ts_status tsi_binary(tsi_interp *in, tsi_operator op, const tsi_value *a,
                     const tsi_value *b, tsi_value *out);
ts_status tsi_unary(tsi_interp *in, tsi_operator op, const tsi_value *a, tsi_value *out);
ts_status tsi_compare(tsi_interp *in, tsi_operator op, const tsi_value *a,
                      const tsi_value *b, tsi_value *out);
/* a op= b: in place for tensors and lists. *out is the value to bind. */
ts_status tsi_augment(tsi_interp *in, tsi_operator op, const tsi_value *a,
                      const tsi_value *b, tsi_value *out);

/* --- calls (call.c) */

/* Call anything callable. */
ts_status tsi_call_value(tsi_interp *in, const tsi_value *f, tsi_args *args,
                         tsi_value *out);
ts_status tsi_call_method(tsi_interp *in, const tsi_node *attribute,
                          const tsi_value *self, tsi_args *args, tsi_value *out);
ts_status tsi_call_op(tsi_interp *in, const ts_op *op, ts_form form,
                      const tsi_value *self, const tsi_args *args, tsi_value *out);
const char *tsi_known_name(tsi_known_op k);
/* The same with plain positional arguments, numbers taken for tensors too. */
ts_status tsi_call_known(tsi_interp *in, tsi_known_op k, ts_form form, int n,
                         const tsi_value *args, tsi_value *out);
/* Sort arguments into out[], by parameter; NULL: not given. TypeError (errors/C2). */
ts_status tsi_sort_args(const tsi_signature *s, const tsi_args *args,
                        const tsi_value **out);
ts_status tsi_call_word(tsi_interp *in, const tsi_word *w, const tsi_value *self,
                        tsi_args *args, tsi_value *out);

/* --- attributes, subscripts */

ts_status tsi_get_attribute(tsi_interp *in, const tsi_node *n, const tsi_value *of,
                            tsi_value *out);
ts_status tsi_set_attribute(tsi_interp *in, const tsi_node *n, const tsi_value *of,
                            const tsi_value *value);
ts_status tsi_get_item(tsi_interp *in, const tsi_value *of, const tsi_value *index,
                       tsi_value *out);
ts_status tsi_set_item(tsi_interp *in, const tsi_value *of, const tsi_value *index,
                       const tsi_value *value);
/* It is what the program starts from (on cpu, where nobody counts the bytes). */
ts_status tsi_note_given(tsi_interp *in, ts_tensor *t);
/* t.requires_grad becomes `on`; remembered where gradients may refer to themselves. */
ts_status tsi_mark_leaf(tsi_interp *in, ts_tensor *t, bool on);

/* --- generators, expectations, autograd */

ts_status tsi_call_generator(tsi_interp *in, tsi_native id, const tsi_value *const *v,
                             tsi_value *out);
ts_status tsi_tensor_literal(tsi_interp *in, const tsi_value *const *v, tsi_value *out);
ts_status tsi_call_expectation(tsi_interp *in, tsi_native id, const tsi_args *args,
                               const tsi_value *const *v);
ts_status tsi_expect_warns(tsi_interp *in, tsi_args *args, tsi_value *out);
/* Tell the judge of a fault that no call in the program asks about. */
ts_status tsi_report_fault(tsi_interp *in, tsi_expect_kind kind, const char *reason);
ts_status tsi_check_gaps(tsi_interp *in);
ts_status tsi_rest_of_storage(tsi_interp *in, const ts_tensor *t, int64_t *element);
/* A value that a peer answered; the caller's to release. */
ts_status tsi_replied(tsi_interp *in, const tsi_reply *r, json_t *json, tsi_value *out);
/* Whether expression `n` names nothing but itself. */
bool tsi_is_literal(const tsi_node *n);
/* Whether what a peer says of t's storage is what this run's holds beside t's elements. */
ts_status tsi_rest_replied(tsi_interp *in, const ts_tensor *t, const tsi_told *told,
                           int64_t *element);
/* Nested lists of numbers as a tensor; TS_DTYPE_NONE: the dtype they suggest. */
ts_status tsi_tensor_of(tsi_interp *in, const tsi_value *data, ts_dtype dtype,
                        ts_device device, ts_tensor **out);
/* A device, or the name of one. */
ts_status tsi_device_of(const tsi_value *v, ts_device *out);
/* Whether the judge may read t's storage: a copy from the accelerator spoils a capture. */
bool tsi_may_look(const ts_tensor *t);
/* What t's storage holds now, all of it; NULL on meta. On an accelerator a copy in the run's pool. */
ts_status tsi_storage_now(tsi_interp *in, const ts_tensor *t, const unsigned char **out);
/* Keep the bytes of a storage as made, for expect_untouched. */
ts_status tsi_remember_storage(tsi_interp *in, ts_tensor *t);
ts_status tsi_call_autograd(tsi_interp *in, tsi_native id, const tsi_value *self,
                            const tsi_value *const *v, tsi_value *out);
ts_status tsi_apply_function(tsi_interp *in, const tsi_node *class_, tsi_args *args,
                             tsi_value *out);
ts_status tsi_ctx_method(tsi_interp *in, const tsi_node *attribute, const tsi_value *self,
                         tsi_args *args, tsi_value *out);
/* ctx.saved_tensors */
ts_status tsi_ctx_saved(tsi_interp *in, const tsi_object *ctx, tsi_value *out);

ts_status tsi_no_memory(void);

#endif

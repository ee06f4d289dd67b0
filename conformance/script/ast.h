/* SPDX-License-Identifier: Apache-2.0 */
/* A program as a tree: names are slots, and calls know their op, before anything runs. */
#ifndef TSI_AST_H
#define TSI_AST_H

#include "pool.h"
#include "words.h"

#define TSI_MAX_DEPTH 60
#define TSI_MAX_NODES 20000
#define TSI_MAX_PROGRAM ((size_t)64 << 10)
#define TSI_MAX_CALL_ARGS 80

typedef enum tsi_node_kind {
    N_CONST,   /* value */
    N_GLOBAL,  /* slot, name */
    N_LOCAL,   /* slot, name */
    N_NAME,    /* name, before it is resolved */
    N_ATTR,    /* a.name; method */
    N_CALL,    /* a(list…, keywords names[]) */
    N_STAR,    /* *a, in arguments */
    N_INDEX,   /* a[b] */
    N_SLICE,   /* a:b:c, parts may be NULL */
    N_TUPLE,   /* list */
    N_LIST,    /* list */
    N_BINARY,  /* a op b */
    N_UNARY,   /* op a */
    N_COMPARE, /* a op b */
    N_AND,     /* a and b */
    N_OR,
    N_NOT,
    S_ASSIGN,  /* a = b */
    S_AUGMENT, /* a op= b */
    S_EXPR,    /* a */
    S_DEF,
    S_CLASS,
    S_RETURN, /* a or NULL */
    S_IF,     /* if a: body else: other */
    S_FOR,    /* for a in b: body */
    S_WITH,   /* with a as b: body */
    S_DEL,
    S_PASS
} tsi_node_kind;

typedef enum tsi_operator {
    OP_ADD,
    OP_SUB,
    OP_MUL,
    OP_DIV,
    OP_FLOORDIV,
    OP_MOD,
    OP_POW,
    OP_MATMUL,
    OP_AND,
    OP_OR,
    OP_XOR,
    OP_LSHIFT,
    OP_RSHIFT,
    OP_BINARY_COUNT,
    OP_EQ = OP_BINARY_COUNT,
    OP_NE,
    OP_LT,
    OP_LE,
    OP_GT,
    OP_GE,
    OP_IS,
    OP_IS_NOT,
    OP_NEG,
    OP_POS,
    OP_INVERT,
    OP_COUNT
} tsi_operator;

/* What a dotted name or a method name stands for; one per name and file, found while
 * parsing. */
typedef struct tsi_callee {
    const char *name; /* "torch.add", "Tensor.add_" */
    int native;       /* a `tsi_native`, or 0 */
    int member;       /* of "Tensor.<name>": the tsi_member that <name> is, or 0 */
    const ts_op *op;  /* or NULL */
    ts_form form;
    const tsi_word *word;         /* that is no op, or NULL */
    const tsi_constant *constant; /* or NULL */
} tsi_callee;

typedef struct tsi_node {
    uint8_t kind, op;
    uint16_t keywords; /* N_CALL: the last `keywords` of list have names */
    int line, column;  /* line within the file */
    int slot;          /* names; S_DEF, S_CLASS: where it is bound */
    int count;         /* of list */
    const char *name;
    union {
        const tsi_callee *callee;      /* N_ATTR: of "Tensor.<name>" */
        struct tsi_function *function; /* S_DEF */
    };
    union {
        tsi_value value; /* N_CONST */
        struct {
            struct tsi_node *a,
                *b; /* S_IF: b is the else part; S_CLASS: forward, backward */
        };
    };
    struct tsi_node *c; /* statements: the body; S_CLASS: setup_context */
    struct tsi_node **list;
    union {
        const char **names;    /* N_CALL: of keywords */
        struct tsi_node *next; /* statements */
    };
} tsi_node;

typedef struct tsi_function {
    const char *name;
    int nparams, nlocals;
    bool varargs; /* the last parameter is *name */
    bool once;    /* it is once_differentiable */
    const char **params;
    tsi_node **defaults; /* by parameter; NULL where it has none */
    int index;           /* of this function in the program */
} tsi_function;

typedef struct tsi_program {
    tsi_node *body;
    int nglobals, nfunctions;
    const char **globals;
    bool
        keeps_graphs; /* some call says create_graph: gradients may refer to themselves */
    bool looks_untouched; /* some call is expect_untouched: storages are remembered as
                             made */
    bool uses_accel; /* it says words that mean an accelerator, or puts tensors on one */
} tsi_program;

/* Where text comes from, for messages. */
typedef struct tsi_source {
    const char *file;
    const char *text, *end;
    int line; /* of text's first line */
} tsi_source;

/* What parsing shares between the cases of one file. */
typedef struct tsi_names tsi_names;
tsi_names *tsi_names_new(tsi_pool *pool);
const char *tsi_intern(tsi_names *names, const char *s, size_t n);

/* Parse a program; ops[] gets the names of ops that it calls by name. */
ts_status tsi_parse(tsi_pool *pool, tsi_names *names, const tsi_source *source,
                    tsi_program **out, const char *const **ops, int *nops);

ts_status tsi_syntax_error(const char *label, const char *file, int line, int column,
                           const char *format, ...) TS_PRINTF(5, 6);

#endif

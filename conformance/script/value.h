/* SPDX-License-Identifier: Apache-2.0 */
/* Values of the case language. */
#ifndef TSI_VALUE_H
#define TSI_VALUE_H

#include "script.h"

typedef enum tsi_kind {
    V_UNBOUND, /* a name before its first assignment */
    V_NONE,
    V_ELLIPSIS,
    V_BOOL,
    V_INT,
    V_FLOAT,
    V_STR,
    V_DTYPE,
    V_DEVICE,
    V_FORMAT,
    V_ERROR,   /* an exception class */
    V_GRAD_FN, /* x.grad_fn: its name */
    V_FINFO,   /* torch.finfo(dtype), torch.iinfo(dtype) */
    V_DEF,     /* a function of the program */
    V_CLASS,   /* class F(Function) */
    V_OP,      /* torch.softmax as a value: a binding */
    V_NATIVE,  /* a function of the language's own, `native` of interp.h */
    V_MISSING, /* torch.<name> that this build has not */
    V_MODE,    /* torch.no_grad(): native tells which, `i` the mode to set, aux the one
                  before */
    /* from here on references are counted */
    V_TENSOR,
    V_TUPLE,
    V_LIST,
    V_SLICE,
    V_METHOD, /* x.add_ as a value */
    V_CTX,
    V_HANDLE, /* of a hook */
    V_OBJECT  /* of a module's class */
} tsi_kind;

struct tsi_object;
struct tsi_node;
struct tsi_callee;

typedef struct tsi_value {
    uint8_t kind;
    uint8_t aux; /* V_MODE: the mode before, V_FINFO: 1 for iinfo */
    union {
        bool b;
        int64_t i;
        double f;
        const char *s;
        ts_dtype dtype;
        ts_device device;
        ts_memory_format format;
        ts_status error;
        const struct tsi_node *node;
        const struct tsi_callee *callee; /* V_OP, V_NATIVE, V_MISSING */
        ts_tensor *t;
        struct tsi_object *o; /* V_TUPLE and after */
    };
} tsi_value;

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The words of the language that are no ops: what the stubs of words/ name, as tables.
 * The build makes words_language.h of the interpreter's own, and one words_<module>.h for
 * each module_<module>.c.
 */
#ifndef TSI_WORDS_H
#define TSI_WORDS_H

#include "value.h"
#include "words_language.h"

#define TSI_MAX_PARAMS 8

#define TSI_KIND_BIT(kind) (1u << (kind))
#define TSI_NUMBER_BITS \
    (TSI_KIND_BIT(V_BOOL) | TSI_KIND_BIT(V_INT) | TSI_KIND_BIT(V_FLOAT))

struct tsi_args;

typedef struct tsi_param {
    const char *name;
    unsigned kinds; /* 1u << tsi_kind mask; 0: any */
    bool required;
} tsi_param;

typedef struct tsi_signature {
    const char *name; /* "accel.Stream", "Tensor.size"; of a method "wait_stream" */
    const tsi_param *params;
    int n, positional; /* parameters, and how many of them may stand without a name */
    bool rest;         /* the word sorts its arguments itself */
} tsi_signature;

/* v: the arguments in the order of the parameters, NULL where one was not given. *out is
 * none at the call. */
typedef ts_status (*tsi_word_fn)(tsi_interp *in, const tsi_value *self,
                                 const tsi_value *const *v, tsi_value *out);

/* "accel.synchronize", or "Tensor.record_stream", where self is the tensor (NULL
 * otherwise). */
typedef struct tsi_word {
    tsi_signature s;
    tsi_native native; /* of the interpreter's own, or NATIVE_NONE */
    tsi_word_fn call;  /* of a module */
} tsi_word;

/* "dist.ReduceOp.SUM", "torch.inf": a name for a value. */
typedef struct tsi_constant {
    const char *name;
    tsi_value value;
} tsi_constant;

#endif

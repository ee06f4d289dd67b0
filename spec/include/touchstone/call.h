/* SPDX-License-Identifier: Apache-2.0 */
/* What a kernel is given: one call of one operator, with every check passed and every
 * result allocated. */
#ifndef TOUCHSTONE_CALL_H
#define TOUCHSTONE_CALL_H

#include <stddef.h>

#include "touchstone/value.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum ts_form { TS_FUNCTIONAL, TS_INPLACE, TS_OUT, TS_FORM_COUNT } ts_form;

#define TS_FORM_BIT(form) (1u << (form))

struct ts_host;

/*
 * The call. Read args, write every element of every result, through any strides; in the
 * in-place form results[0] is args[0].tensor, and a result may be an argument in the out
 * form of a pointwise op too. Arguments are as the caller gave them: a dim may count from
 * the end (ts_call_dim). An argument's place is the generated constant TS_<OP>_<ARGUMENT>
 * of touchstone/ops/<page>.h.
 *
 * Members are added at the end. A kernel built for an older version reads the members it
 * knows; one that uses newer members asks TS_HAS(call, member) first.
 */
typedef struct ts_kernel_call {
    size_t size;    /* of this struct, as the runtime was built */
    const char *op; /* "softmax" */
    uint32_t op_id; /* TS_OP_SOFTMAX: FNV-1a of the name, the same in every version */
    ts_form form;
    ts_dtype
        compute; /* of a pointwise op: arguments are cast to it, the result from it */
    int32_t nargs, nresults;
    const ts_value *args;
    ts_tensor *const *results; /* an entry is NULL where make_result is to be called */
    ts_device device;          /* on which the results are */
    void *stream; /* the driver's stream (tsd_stream) to submit to; NULL: its default */
    const struct ts_host *host;
    /* Where the sizes depend on the data (nonzero): make result i, of these sizes and
     * strides (NULL: contiguous), on `device`. */
    ts_status (*make_result)(const struct ts_kernel_call *call, int i, ts_dtype dtype,
                             int ndim, const int64_t *sizes, const int64_t *strides,
                             ts_tensor **out);
    void *runtime; /* the runtime's own */
    /* --- since 2.2 --- */
    /* Of an op that draws: the generator to draw from, the caller's or the thread's
     * default one (generator.h). NULL of any other op. */
    ts_generator *generator;
} ts_kernel_call;

/*
 * A kernel. Returns TS_OK; an error made by host->fail for a check that needs the data,
 * before anything is written; or TS_ERR_UNSUPPORTED when it cannot serve the call.
 */
typedef ts_status (*ts_kernel)(const ts_kernel_call *call);

/* Whether a struct that came through the door is new enough to have `member`. */
#define TS_HAS(p, member) \
    ((p)->size >= (size_t)((const char *)(&(p)->member + 1) - (const char *)(p)))

/* Argument i where it is a tensor, else NULL (None, or another kind). */
static inline ts_tensor *ts_call_tensor(const ts_kernel_call *call, int i)
{
    return call->args[i].kind == TS_ARG_TENSOR ? call->args[i].tensor : NULL;
}

/* The int argument i as a dim of t: from the end when negative. */
static inline int ts_call_dim(const ts_kernel_call *call, int i, const ts_tensor *t)
{
    const int64_t dim = call->args[i].i;

    return (int)(dim < 0 ? dim + (t->ndim > 0 ? t->ndim : 1) : dim);
}

#ifdef __cplusplus
}
#endif
#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Boxed calls: operators by name, typed arguments in a frame, one dispatch point. */
#ifndef TOUCHSTONE_OP_H
#define TOUCHSTONE_OP_H

#include "touchstone/call.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum ts_op_kind {
    TS_PRIMITIVE, /* has kernels */
    TS_VIEW,      /* a new view of its first tensor: metadata only, no kernel */
    TS_COMPOSITE, /* a program over other ops, neither kernel nor derivative */
    TS_OPTIONAL /* a program that a backend may replace by one kernel; has a derivative */
} ts_op_kind;

/* What an autocast region does to an op's floating arguments (spec/areas/amp.md). */
typedef enum ts_autocast_policy {
    TS_AUTOCAST_NONE,
    TS_AUTOCAST_LOWER_PRECISION,
    TS_AUTOCAST_FP32,
    TS_AUTOCAST_FP32_DTYPE, /* dtype=float32 where none is given */
    TS_AUTOCAST_PROMOTE
} ts_autocast_policy;

/* How a batched call arises (func.md); DEFAULT: pointwise where the api function says so,
 * the program of an optional op, else one element of the batch after the other. */
typedef enum ts_vmap_rule {
    TS_VMAP_DEFAULT,
    TS_VMAP_POINTWISE,
    TS_VMAP_REDUCE, /* along the dims that arguments name: the batch dim stands in front */
    TS_VMAP_VIEW,   /* the same of a view */
    TS_VMAP_OWN
} ts_vmap_rule;

/* How a tangent arises; DEFAULT: elementwise where the api function says pointwise, else
 * the derivative of the derivative by its gradient. */
typedef enum ts_jvp_rule {
    TS_JVP_DEFAULT,
    TS_JVP_LINEAR,      /* the op of the tangents, in all its tensors at once */
    TS_JVP_PRODUCT,     /* linear in each: the op with one tangent at a time, summed */
    TS_JVP_ELEMENTWISE, /* the derivative's function, with the tangent for the gradient */
    TS_JVP_OWN
} ts_jvp_rule;

typedef struct ts_param {
    const char *name;
    ts_arg_kind kind;
    bool optional; /* `Type?`: None is legal */
    bool has_default;
    bool keyword_only;
    bool number;         /* a Tensor parameter that takes a Python number too (wrapped) */
    bool varargs;        /* an int[] parameter that takes one int, or several in a row */
    bool entry_optional; /* a Tensor?[] parameter: entries may be None */
    ts_value default_value;
} ts_param;

struct ts_frame;
struct tsi_vjp;
struct tsi_jvp;
struct tsi_level;

/* One row of the generated op table. */
typedef struct ts_op {
    const char *name;   /* "softmax" */
    const char *page;   /* "softmax" */
    const char *schema; /* PyTorch's schema syntax */
    ts_op_kind kind;
    unsigned forms;        /* TS_FORM_BIT mask */
    int nparams, nresults; /* a list of tensors counts as one result */
    const ts_param *params;
    bool list_result;   /* the one result is Tensor[]: its length depends on the call */
    bool scalar_result; /* results[0] is a Python number: a 0-dim cpu tensor */
    bool synchronizing; /* result or control flow depends on data (O-13) */
    bool differentiable;
    bool crosses_devices; /* arguments may live on several devices (copy_, to) */
    bool deterministic;   /* two runs on one device give the same bits */
    bool capturable;      /* may be part of a graph */
    ts_autocast_policy autocast, autocast_cpu; /* on accel, on cpu */
    uint64_t result_differentiable;            /* bit per result */
    unsigned dtypes_cpu;       /* TS_DTYPE_BIT mask: what PyTorch's CPU takes */
    uint64_t required_tensors; /* bit per parameter that is a Tensor, not Tensor? */
    /* Bit k of saves_arg[i]: argument i is kept for backward if argument k wants a
     * gradient; the same for result i in saves_result[i]. NULL: nothing is kept. */
    const uint64_t *saves_arg, *saves_result;
    bool
        scalar_numbers; /* a number given for a tensor is kept as a number, and not freed */
    /* What PyTorch's overloads ask of a call: beside argument i (nparams: out=) the
     * arguments of beside[i] have to be given, those of keywords_beside[i] by keyword if
     * they are. NULL: nothing. */
    const uint64_t *beside, *keywords_beside;
    bool tensors_beside_out;   /* and no numbers in their place */
    const char *family;        /* its name (spec/gen/families.py), or NULL */
    const char *const *labels; /* of the family's checks, by TSI_REFUSES_* */
    ts_status (*api)(
        struct ts_frame *f); /* checks, result metadata; NULL for COMPOSITE */
    ts_status (*program)(struct ts_frame *f); /* COMPOSITE, OPTIONAL */
    ts_status (*vjp)(struct tsi_vjp *v); /* the derivative; NULL where there is none */
    ts_vmap_rule vmap_rule;
    ts_jvp_rule jvp_rule;
    ts_status (*vmap)(struct tsi_level *l, struct ts_frame *f); /* OWN */
    ts_status (*jvp)(struct tsi_jvp *j);                        /* OWN */
    /* The op of the same spoken name whose arguments are others (split by sizes, not by
     * one), or NULL: what a program's call may mean instead. */
    const char *or_else;
    bool factory; /* makes a tensor from sizes: COMPOSITE, but whole to a level */
    uint32_t id;  /* TS_OP_<NAME>: the same in every version */
    int generator; /* of an op that draws: where its generator stands among params; else 0 */
    int index;     /* ts_op_at's, given when the table is put together */
    /* What PyTorch's call takes by name and this project's does not yet; NULL ends it.
     * NULL: nothing. */
    const char *const *unbuilt;
} ts_op;

/* What a result will be, written by the op's api function. */
typedef struct ts_meta {
    ts_dtype dtype;
    ts_device device;
    int ndim;
    bool strided;   /* strides[] is set; else contiguous */
    int64_t offset; /* of a view, in elements of the base storage */
    int64_t sizes[TS_MAX_DIMS];
    int64_t strides[TS_MAX_DIMS];
} ts_meta;

/* What an api function says of its op's results beyond their metadata. */
#define TS_FRAME_POINTWISE 1u  /* out may be an input; another dtype is cast to */
#define TS_FRAME_OUT_CASTS 2u  /* not pointwise, but out may have another dtype */
#define TS_FRAME_OVERLAP_OK 4u /* a written tensor may alias itself (fill_) */
#define TS_FRAME_UNKNOWN 8u    /* sizes depend on data: the kernel makes the results */
#define TS_FRAME_BOUNDS \
    16u /* a view's geometry is the caller's: hold it against the storage */
#define TS_FRAME_QUIET 32u /* an out with elements is resized without the warning */

/*
 * One call under way. Whoever starts it gives it room for exactly its op's arguments and
 * results (ts_frame_open; typed calls use the stack).
 */
typedef struct ts_frame {
    const ts_op *op;
    ts_form form;
    int nargs,
        nresults;    /* nresults of a list_result: 0 until the api function has spoken */
    ts_value *args;  /* op->nparams of them; the default where not given. Only read */
    ts_tensor **out; /* in the OUT form, the caller's tensors, borrowed */
    /* After TS_OK, new references to the results (in place and out: to the tensor
     * written); after an error all NULL. */
    ts_tensor **results;
    ts_meta *meta;    /* one per result */
    ts_dtype compute; /* in which a pointwise kernel computes before its result's cast */
    unsigned flags;   /* TS_FRAME_*, set by the api function */
    void *mark;       /* ts_frame_open's */
    size_t mark_used;
    void *list; /* results and meta of a list_result, which outlive frames opened later */
} ts_frame;

/* The op table. */
TS_API const ts_op *ts_op_find(const char *name); /* NULL when unknown */
TS_API const ts_op *ts_op_at(int index);          /* NULL past the end */
TS_API int ts_op_count(void);

/* What a program calls by name: "torch.add", "Tensor.add_", "F.gelu". */
typedef struct ts_binding {
    const char *name;
    const ts_op *op;
    ts_form form; /* FUNCTIONAL becomes OUT when the call has out= */
} ts_binding;

TS_API const ts_binding *ts_binding_find(const char *name); /* NULL when unknown */

/* A Python number as the 0-dim tensor that promotes as a number (T-12).
 * New reference, on cpu. */
TS_API ts_status ts_wrapped_number(ts_scalar s, ts_tensor **out);

/*
 * Start a frame with the default in every argument, in memory of this thread's arena that
 * ts_frame_close gives back. Frames of a thread are closed in the reverse order of their
 * opening. OutOfMemoryError when there is no memory; then nothing is to be closed.
 */
TS_API ts_status ts_frame_open(ts_frame *f, const ts_op *op, ts_form form);
TS_API void ts_frame_close(ts_frame *f); /* the results stay the caller's */

/* The one dispatch point. */
TS_API ts_status ts_call(ts_frame *f);

/* The device that factories use when none is given. */
TS_API ts_device ts_default_device(void);
TS_API void ts_set_default_device(ts_device device);

#ifdef __cplusplus
}
#endif
#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Boxed calls: operators by name, typed arguments in a frame, one dispatch point. */
#ifndef TOUCHSTONE_OP_H
#define TOUCHSTONE_OP_H

#include "touchstone/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TS_MAX_ARGS 12
#define TS_MAX_RESULTS 4

/* A Python number. */
typedef enum ts_scalar_kind {
    TS_SCALAR_BOOL,
    TS_SCALAR_INT,
    TS_SCALAR_FLOAT
} ts_scalar_kind;

typedef struct ts_scalar {
    ts_scalar_kind kind;
    int64_t i; /* BOOL and INT */
    double f;  /* FLOAT */
} ts_scalar;

TS_API ts_scalar ts_int(int64_t v);
TS_API ts_scalar ts_float(double v);
TS_API ts_scalar ts_bool(bool v);
TS_API double ts_scalar_f64(ts_scalar s);

typedef enum ts_memory_format {
    TS_MEMORY_FORMAT_NONE, /* not given */
    TS_CONTIGUOUS_FORMAT,
    TS_PRESERVE_FORMAT,
    TS_CHANNELS_LAST
} ts_memory_format;

typedef enum ts_arg_kind {
    TS_ARG_NONE,    /* None, or not given where the default is None */
    TS_ARG_TENSOR,  /* Tensor */
    TS_ARG_TENSORS, /* Tensor[] */
    TS_ARG_SCALAR,  /* Scalar: a Python number of any kind */
    TS_ARG_INT,
    TS_ARG_FLOAT,
    TS_ARG_BOOL,
    TS_ARG_INTS, /* int[] */
    TS_ARG_DTYPE,
    TS_ARG_DEVICE,
    TS_ARG_MEMORY_FORMAT,
    TS_ARG_STRING
} ts_arg_kind;

/* One argument. Everything is borrowed from the caller for the length of the call. */
typedef struct ts_value {
    ts_arg_kind kind;
    union {
        ts_tensor *tensor;
        struct {
            ts_tensor *const *v;
            int64_t n;
        } tensors;
        ts_scalar scalar;
        int64_t i;
        double f;
        bool b;
        struct {
            const int64_t *v;
            int64_t n;
        } ints;
        ts_dtype dtype;
        ts_device device;
        ts_memory_format memory_format;
        const char *string;
    };
} ts_value;

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

typedef enum ts_form { TS_FUNCTIONAL, TS_INPLACE, TS_OUT, TS_FORM_COUNT } ts_form;

#define TS_FORM_BIT(form) (1u << (form))

typedef struct ts_param {
    const char *name;
    ts_arg_kind kind;
    bool optional; /* `Type?`: None is legal */
    bool has_default;
    bool keyword_only;
    bool number;  /* a Tensor parameter that takes a Python number too (wrapped) */
    bool varargs; /* an int[] parameter that takes one int, or several in a row */
    ts_value default_value;
} ts_param;

struct ts_frame;
struct tsi_vjp;

/* One row of the generated op table. */
typedef struct ts_op {
    const char *name;   /* "softmax" */
    const char *page;   /* "softmax" */
    const char *schema; /* PyTorch's schema syntax */
    ts_op_kind kind;
    unsigned forms; /* TS_FORM_BIT mask */
    int nparams, nresults;
    const ts_param *params;
    bool scalar_result; /* results[0] is a Python number: a 0-dim cpu tensor */
    bool synchronizing; /* result or control flow depends on data (O-13) */
    bool differentiable;
    bool crosses_devices; /* arguments may live on several devices (copy_, to) */
    bool deterministic;   /* two runs on one device give the same bits */
    ts_autocast_policy autocast, autocast_cpu; /* on accel, on cpu */
    unsigned result_differentiable;            /* bit per result */
    unsigned dtypes_cpu; /* TS_DTYPE_BIT mask: what PyTorch's CPU takes */
    /* bit k of saves_arg[i]: argument i is kept for backward if argument k wants a
     * gradient; the same for result i in saves_result[i]. */
    unsigned saves_arg[TS_MAX_ARGS], saves_result[TS_MAX_RESULTS];
    ts_status (*api)(
        struct ts_frame *f); /* checks, result metadata; NULL for COMPOSITE */
    ts_status (*program)(struct ts_frame *f); /* COMPOSITE, OPTIONAL */
    ts_status (*vjp)(struct tsi_vjp *v); /* the derivative; NULL where there is none */
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
#define TS_FRAME_POINTWISE 1u  /* out may be an input; another dtype's result is cast */
#define TS_FRAME_OUT_CASTS 2u  /* not pointwise, but out may have another dtype */
#define TS_FRAME_OVERLAP_OK 4u /* a written tensor may alias itself (fill_) */
#define TS_FRAME_UNKNOWN 8u    /* depends on data: the kernel makes results[] itself */

/* One call under way. */
typedef struct ts_frame {
    const ts_op *op;
    ts_form form;
    int nargs;
    ts_value args[TS_MAX_ARGS]; /* all op->nparams of them; the default where not given */
    ts_dtype compute; /* the dtype in which a pointwise kernel computes before its
                         result's cast */
    unsigned flags;   /* TS_FRAME_*, set by the api function */
    ts_tensor *out[TS_MAX_RESULTS]; /* in the OUT form, the caller's tensors, borrowed */
    /* After TS_OK, new references to the results (in place and out: to the tensor
     * written); after an error all NULL. */
    ts_tensor *results[TS_MAX_RESULTS];
    ts_meta meta[TS_MAX_RESULTS];
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

/* Start a frame: form, defaults in every argument. */
TS_API void ts_frame_init(ts_frame *f, const ts_op *op, ts_form form);

/* The one dispatch point. */
TS_API ts_status ts_call(ts_frame *f);

/* The device that factories use when none is given. */
TS_API ts_device ts_default_device(void);
TS_API void ts_set_default_device(ts_device device);

#ifdef __cplusplus
}
#endif
#endif

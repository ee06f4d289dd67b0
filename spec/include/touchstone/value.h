/* SPDX-License-Identifier: Apache-2.0 */
/* What an argument of an operator can be: one tagged value, the same for frames, for the
 * op table and for kernels. Its layout is part of the door (door.h). */
#ifndef TOUCHSTONE_VALUE_H
#define TOUCHSTONE_VALUE_H

#include "touchstone/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

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

/* New kinds go at the end: a backend built before them never meets one in an op it knows.
 */
typedef enum ts_arg_kind {
    TS_ARG_NONE,    /* None, or not given where the default is None */
    TS_ARG_TENSOR,  /* Tensor */
    TS_ARG_TENSORS, /* Tensor[], and Tensor?[]: there an entry may be NULL */
    TS_ARG_SCALAR,  /* Scalar: a Python number of any kind */
    TS_ARG_INT,
    TS_ARG_FLOAT,
    TS_ARG_BOOL,
    TS_ARG_INTS, /* int[] */
    TS_ARG_DTYPE,
    TS_ARG_DEVICE,
    TS_ARG_MEMORY_FORMAT,
    TS_ARG_STRING,
    TS_ARG_FLOATS,    /* float[] */
    TS_ARG_BOOLS,     /* bool[] */
    TS_ARG_GENERATOR, /* Generator: where random numbers come from */
    TS_ARG_FUNCTION,  /* a function of the program (map, cond, while_loop) */
    TS_ARG_KIND_COUNT
} ts_arg_kind;

/* Where random numbers come from: generator.h. */
typedef struct ts_generator ts_generator;

/*
 * A function over tensors as an argument: call(self, n, args, nout, out) writes nout new
 * references. Whoever keeps it longer than the call retains it.
 */
typedef struct ts_callable {
    void *self;
    ts_status (*call)(void *self, int nargs, ts_tensor *const *args, int nresults,
                      ts_tensor **results);
    void (*retain)(void *self);
    void (*release)(void *self);
} ts_callable;

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
        struct {
            const double *v;
            int64_t n;
        } floats;
        struct {
            const bool *v;
            int64_t n;
        } bools;
        ts_dtype dtype;
        ts_device device;
        ts_memory_format memory_format;
        const char *string;
        ts_generator *generator;
        const ts_callable *function;
    };
} ts_value;

/* A list that an operator made (split, unbind); give it back with ts_tensors_release. */
typedef struct ts_tensors {
    ts_tensor **v;
    int64_t n;
} ts_tensors;

TS_API void ts_tensors_release(ts_tensors *list); /* its tensors too; leaves it empty */

#ifdef __cplusplus
}
#endif
#endif

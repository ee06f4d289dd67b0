/* SPDX-License-Identifier: Apache-2.0 */
/* A trace's inside: the calls of a function in order, over values by their number. */
#ifndef TSI_TRACE_H
#define TSI_TRACE_H

#include "transform/level.h"

#define TSI_TRACE_NONE INT64_MIN

typedef struct tsi_trace_shape {
    ts_dtype dtype;
    ts_device device;
    int ndim;
    const int64_t *sizes;
} tsi_trace_shape;

/*
 * One call. A ref, one for each tensor given, in order, the tensors of an out form last:
 * value v as v (inputs come first, then every result), constant k as -1 - k,
 * TSI_TRACE_NONE for None.
 */
typedef struct tsi_trace_record {
    const ts_op *op;
    ts_form form;
    bool quiet; /* made in no_grad */
    int nargs, nrefs, nresults;
    int64_t first;           /* the value that is result 0 */
    ts_value *args;          /* tensors are left open */
    int64_t *refs;           /* nrefs */
    tsi_trace_shape *shapes; /* nresults; owned */
} tsi_trace_record;

typedef struct tsi_trace_input {
    ts_dtype dtype;
    ts_device device;
    int ndim;
    bool number;
    int64_t *sizes; /* and strides behind them; owned */
} tsi_trace_input;

typedef struct tsi_trace_constant {
    ts_tensor *t;    /* NULL once closed, where there is a copy */
    ts_tensor *copy; /* of what it held before the function wrote it */
} tsi_trace_constant;

struct ts_trace {
    int ninputs, nresults, most; /* most refs of a record */
    tsi_trace_input *inputs;
    int64_t *results; /* refs */
    tsi_trace_record **records;
    int64_t nrecords, records_room;
    tsi_trace_constant *constants;
    int64_t nconstants, constants_room;
    ts_tensor **values; /* while it is recorded */
    int64_t nvalues, values_room;
    int64_t *last; /* the record that reads a value last; nrecords: a result */
};

/* --- trace_replay.c */
ts_status tsi_trace_input_of(const ts_tensor *t, tsi_trace_input *out);

/* t's elements as they are now, without a history. */
ts_status tsi_trace_copy(ts_tensor *t, ts_tensor **out);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One backend with many faults in it, of which one is on: the reference, one of whose kernels
 * is spoiled as TOUCHSTONE_FAULT says. What a fault is called says its kind and what it does;
 * a fault that cannot do anything to a call leaves it as it is.
 *
 *     TOUCHSTONE_FAULT=softmax:size/last_beyond:4096:       if numel > 4096
 *     TOUCHSTONE_FAULT=mul:precision/ulp:3:backward         where gradients are not recorded
 *     TOUCHSTONE_FAULT=add:dtype/first::int16               of int16 alone
 *
 * With TOUCHSTONE_FAULTS, a file of such lines, and TOUCHSTONE_FAULTS_SEEN nothing is spoiled:
 * each call is made by the kernel and by each fault of its op on copies, and a fault that
 * came to something else is written down, once, in the second file. With
 * TOUCHSTONE_FAULTS_TRACE a line is written for every call: what went in and what came out, as
 * a number, so that two references or two runtimes can be told apart.
 */
#ifndef TOUCHSTONE_FAULTS_H
#define TOUCHSTONE_FAULTS_H

#include "zoo/zoo.h"

typedef struct fault fault;
typedef ts_status (*fault_fn)(fault *f, const ts_kernel_call *call);

struct fault {
    char text[160];
    const char *op;
    fault_fn run;
    ts_kernel original;
    /* Parameters: numbers, or a dtype, as the fault has them; 0 where none is given. */
    int64_t n[2];
    ts_dtype dtype;
    /* When: of this dtype alone (TS_DTYPE_NONE: any), where gradients are not recorded. */
    ts_dtype only;
    bool backward;
    /* What a faulty kernel may keep. */
    int64_t calls;
    const void *where; /* the first argument's elements, wherever a copy of them is */
    const void *last_where;
    char *kept;
    size_t kept_size;
    int64_t kept_numel;
    ts_dtype kept_dtype;
    double carry;
    bool seen;
};

typedef struct fault_row {
    const char *name;
    fault_fn run;
} fault_row;

/* A table per file, NULL at the end. */
extern const fault_row faults_in_results[], faults_in_arguments[], faults_in_sums[],
    faults_through[], faults_of_state[];

/* --- elements by their row-major number --- */

int64_t fault_offset(const ts_tensor *t, int64_t i);

static inline char *fault_cell(const ts_tensor *t, int64_t i)
{
    return (char *)tse_at(t, fault_offset(t, i));
}

static inline double fault_get(const ts_tensor *t, int64_t i)
{
    return tse_read(t->dtype, fault_cell(t, i));
}

/* Element `to` becomes what element `from` is. */
static inline void fault_take(const ts_tensor *t, int64_t to, int64_t from)
{
    memmove(fault_cell(t, to), fault_cell(t, from), tse_bytes(t->dtype));
}

static inline void fault_clear(const ts_tensor *t, int64_t i)
{
    memset(fault_cell(t, i), 0, tse_bytes(t->dtype));
}

/* --- tensors that are no runtime's, gone at the end of the call --- */

typedef struct fault_room {
    void *blocks[256];
    int count;
} fault_room;

void *fault_take_room(fault_room *r, size_t bytes); /* zeroed */
void fault_leave(fault_room *r);
/* t's elements, row-major, as `dtype`. */
ts_tensor *fault_dense(fault_room *r, const ts_tensor *t, ts_dtype dtype);
/* t with strides of its own to change. */
ts_tensor *fault_view(fault_room *r, const ts_tensor *t);
/* The call with arguments and results of its own to change; tensors are the same. */
ts_kernel_call *fault_call(fault_room *r, const ts_kernel_call *call);
static inline ts_value *fault_args(ts_kernel_call *call)
{
    return (ts_value *)(uintptr_t)call->args;
}
static inline ts_tensor **fault_results(ts_kernel_call *call)
{
    return (ts_tensor **)(uintptr_t)call->results;
}

/* The first tensor among the arguments, or NULL. */
ts_tensor *fault_first(const ts_kernel_call *call);
/* The result that f's second number names, or NULL. */
ts_tensor *fault_result(const fault *f, const ts_kernel_call *call);
/* How many elements lie between data and the last one, both included. */
int64_t fault_span(const ts_tensor *t);

#endif

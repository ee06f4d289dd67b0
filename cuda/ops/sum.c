/* SPDX-License-Identifier: Apache-2.0 */
/* sum on the host; spec/ops/sum.md. */
#include "touchstone/ops/sum.h"
#include "core/cuda.h"

TSC_OP(sum, TSC_COMMON)

extern const tsc_kernel tsc_sum_short[TS_DTYPE_COUNT], tsc_sum_long[TS_DTYPE_COUNT];

enum { SHORT = 64 }; /* elements that one thread adds alone */

/* The reduced dims as a mask; none given means all. */
static uint64_t reduced_dims(const ts_value *v, int ndim)
{
    const int64_t *dims = v->kind == TS_ARG_INT ? &v->i : v->ints.v;
    const int64_t n = v->kind == TS_ARG_INT ? 1 : v->kind == TS_ARG_INTS ? v->ints.n : 0;
    uint64_t mask = 0;

    for (int64_t k = 0; k < n; k++)
        mask |= UINT64_C(1) << (dims[k] < 0 ? dims[k] + (ndim > 0 ? ndim : 1) : dims[k]);
    return n > 0 ? mask : UINT64_MAX;
}

ts_status tsc_sum(const ts_kernel_call *call)
{
    ts_tensor *y = call->results[0], *x = tsc_tensor(call, TS_SUM_SELF);
    const uint64_t mask = reduced_dims(&call->args[TS_SUM_DIM], x->ndim);
    const bool keepdim = call->args[TS_SUM_KEEPDIM].b;
    tsc_operand to = tsc_operand_of(y), from = tsc_operand_of(x);
    tsc_walk kept, reduced;
    int at = 0;

    tsc_walk_start(&kept);
    tsc_walk_start(&reduced);
    for (int d = 0; d < x->ndim; d++) {
        const bool gone = mask >> d & 1;

        if (gone) {
            tsc_walk_add(&reduced, 1, x->sizes[d], (int64_t[]){x->strides[d]});
            at += keepdim;
        } else {
            tsc_walk_add(&kept, 2, x->sizes[d],
                         (int64_t[]){y->strides[at++], x->strides[d]});
        }
    }
    if (reduced.numel <= SHORT)
        return tsc_launch_elements(&tsc_sum_short[call->compute], kept.numel,
                                   TSC_ARGS(&kept, &reduced, &to, &from));
    return tsc_launch(&tsc_sum_long[call->compute], (tsc_dims){.blocks = kept.numel},
                      TSC_ARGS(&kept, &reduced, &to, &from));
}

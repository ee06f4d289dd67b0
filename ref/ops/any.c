/* SPDX-License-Identifier: Apache-2.0 */
/* any, all, count_nonzero; spec/ops/any.md. */
#include "touchstone/backend.h"
#include "touchstone/fold.h"
#include "touchstone/ops/any_glue.h"

/* S2: a NaN is not zero, nor is a subnormal number */
static inline void any_real(ts_fold *s, double x, int64_t i)
{
    (void)i;
    s->whole |= x != 0;
}

static inline void any_whole(ts_fold *s, int64_t x, int64_t i)
{
    (void)i;
    s->whole |= x != 0;
}

static inline void all_real(ts_fold *s, double x, int64_t i)
{
    (void)i;
    s->whole &= x != 0;
}

static inline void all_whole(ts_fold *s, int64_t x, int64_t i)
{
    (void)i;
    s->whole &= x != 0;
}

static inline void count_real(ts_fold *s, double x, int64_t i)
{
    (void)i;
    s->whole += x != 0;
}

static inline void count_whole(ts_fold *s, int64_t x, int64_t i)
{
    (void)i;
    s->whole += x != 0;
}

static uint64_t named(const ts_kernel_call *call) /* S5 */
{
    return ts_reduce_mask_named(&call->args[1], ts_call_tensor(call, 0)->ndim);
}

ts_status tsk_any(const ts_kernel_call *call)
{
    const ts_fold start = {0, 0, 0, 0};

    return ts_fold_over(call, named(call), call->args[TS_ANY_KEEPDIM].b,
                        ts_call_tensor(call, 0)->dtype, &start, any_real, any_whole,
                        TS_FOLD_WHOLE);
}

ts_status tsk_all(const ts_kernel_call *call)
{
    const ts_fold start = {0, 0, 1, 0}; /* S4 */

    return ts_fold_over(call, named(call), call->args[TS_ALL_KEEPDIM].b,
                        ts_call_tensor(call, 0)->dtype, &start, all_real, all_whole,
                        TS_FOLD_WHOLE);
}

ts_status tsk_count_nonzero(const ts_kernel_call *call)
{
    const ts_tensor *x = ts_call_tensor(call, TS_COUNT_NONZERO_SELF);
    const ts_fold start = {0, 0, 0, 0};

    return ts_fold_over(call, ts_reduce_mask(&call->args[TS_COUNT_NONZERO_DIM], x->ndim),
                        false, x->dtype, &start, count_real, count_whole, TS_FOLD_WHOLE);
}

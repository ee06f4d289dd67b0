/* SPDX-License-Identifier: Apache-2.0 */
/* repeat: y[i] = x[i mod x's sizes] (S1). repeat_interleave of repeats alone: count, then
 * write (S6); the result is made here, its size being known only now. */
#include "touchstone/ops/repeat_glue.h"

#include "touchstone/backend.h"

ts_status tsk_repeat(const ts_kernel_call *call)
{
    const ts_tensor *x = ts_call_tensor(call, TS_REPEAT_SELF), *y = call->results[0];
    const int added = y->ndim - x->ndim;

    for (int64_t i = 0; i < y->numel; i++) {
        int64_t left = i, from = 0, to = 0;

        for (int d = y->ndim - 1; d >= 0; d--) {
            const int64_t at = left % y->sizes[d];

            left /= y->sizes[d];
            to += at * y->strides[d];
            if (d >= added)
                from += at % x->sizes[d - added] * x->strides[d - added];
        }
        memcpy(tse_at(y, to), tse_at(x, from), (size_t)tse_bytes(y->dtype));
    }
    return TS_OK;
}

static int64_t repeats_at(const ts_tensor *t, int64_t i)
{
    return tse_get_i64(t, i * t->strides[0]);
}

ts_status tsk_repeat_interleave_counts(const ts_kernel_call *call)
{
    const ts_tensor *repeats = ts_call_tensor(call, TS_REPEAT_INTERLEAVE_COUNTS_REPEATS);
    const ts_value *said = &call->args[TS_REPEAT_INTERLEAVE_COUNTS_OUTPUT_SIZE];
    const int64_t n = repeats->numel;
    int64_t all = 0, at = 0;
    ts_tensor *y;

    for (int64_t i = 0; i < n; i++)
        if (__builtin_add_overflow(all, repeats_at(repeats, i), &all))
            all = -1;
    TS_CHECK(n == 0 || said->kind != TS_ARG_INT || said->i == all, TS_ERR_RUNTIME,
             "repeat/C7",
             "repeat_interleave: an output_size of %" PRId64 ", but it is %" PRId64,
             said->i, all);
    for (int64_t i = 0; i < n; i++)
        TS_CHECK(repeats_at(repeats, i) >= 0, TS_ERR_RUNTIME, "repeat/C2",
                 "repeat_interleave: repeats must not be negative, got %" PRId64,
                 repeats_at(repeats, i));
    TS_CHECK(all >= 0, TS_ERR_RUNTIME, "tensors/C8",
             "repeat_interleave: more elements than int64 counts");
    TS_TRY(call->make_result(call, 0, repeats->dtype, 1, &all, (int64_t[]){1}, &y));
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = 0; k < repeats_at(repeats, i); k++)
            tse_put_i64(y, at++, i);
    return TS_OK;
}

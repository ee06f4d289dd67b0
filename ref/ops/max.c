/* SPDX-License-Identifier: Apache-2.0 */
/* max, min, aminmax; spec/ops/max.md. */
#include <math.h>

#include "ops/selecting.h"
#include "touchstone/fold.h"
#include "touchstone/ops/max_glue.h"

/* --- the values --------------------------------------------------------------------- */

static inline void largest_real(ts_fold *s, double x, int64_t i) /* S3 */
{
    (void)i;
    s->real = isnan(x) || x > s->real ? x : s->real;
}

static inline void largest_whole(ts_fold *s, int64_t x, int64_t i)
{
    (void)i;
    s->whole = x > s->whole ? x : s->whole;
}

static inline void least_real(ts_fold *s, double x, int64_t i)
{
    (void)i;
    s->real = isnan(x) || x < s->real ? x : s->real;
}

static inline void least_whole(ts_fold *s, int64_t x, int64_t i)
{
    (void)i;
    s->whole = x < s->whole ? x : s->whole;
}

static const ts_fold below_all = {-INFINITY, 0, INT64_MIN, 0};
static const ts_fold above_all = {INFINITY, 0, INT64_MAX, 0};

ts_status tsk_max(const ts_kernel_call *call)
{
    return ts_fold_over(call, UINT64_MAX, false, ts_call_tensor(call, 0)->dtype,
                        &below_all, largest_real, largest_whole, TS_FOLD_VALUE);
}

ts_status tsk_min(const ts_kernel_call *call)
{
    return ts_fold_over(call, UINT64_MAX, false, ts_call_tensor(call, 0)->dtype,
                        &above_all, least_real, least_whole, TS_FOLD_VALUE);
}

ts_status tsk_aminmax(const ts_kernel_call *call)
{
    const ts_dtype c = ts_call_tensor(call, 0)->dtype;
    ts_kernel_call second = *call;

    second.results++;
    TS_TRY(
        ts_fold_reduction(call, c, &above_all, least_real, least_whole, TS_FOLD_VALUE));
    return ts_fold_reduction(&second, c, &below_all, largest_real, largest_whole,
                             TS_FOLD_VALUE);
}

/* --- along a dim -------------------------------------------------------------------- */

/* The first that no other passes; the first NaN passes all (S3, S4). */
static int64_t first(const tso_line *l, bool largest)
{
    int64_t best = 0;

    for (int64_t i = 1; i < l->n; i++) {
        if (tse_is_real(l->x->dtype)) {
            const double x = tso_real(l, i), y = tso_real(l, best);

            if (!isnan(y) && (isnan(x) || (largest ? x > y : x < y)))
                best = i;
        } else {
            const int64_t x = tso_whole(l, i), y = tso_whole(l, best);

            if (largest ? x > y : x < y)
                best = i;
        }
    }
    return best;
}

static int64_t first_largest(const tso_line *l, void *with)
{
    (void)with;
    return first(l, true);
}

static int64_t first_least(const tso_line *l, void *with)
{
    (void)with;
    return first(l, false);
}

ts_status tsk_max_dim(const ts_kernel_call *call)
{
    ts_tensor *x = ts_call_tensor(call, TS_MAX_DIM_SELF);

    return tso_select(call, x, ts_call_dim(call, TS_MAX_DIM_DIM, x),
                      call->args[TS_MAX_DIM_KEEPDIM].b, first_largest, NULL);
}

ts_status tsk_min_dim(const ts_kernel_call *call)
{
    ts_tensor *x = ts_call_tensor(call, TS_MIN_DIM_SELF);

    return tso_select(call, x, ts_call_dim(call, TS_MIN_DIM_DIM, x),
                      call->args[TS_MIN_DIM_KEEPDIM].b, first_least, NULL);
}

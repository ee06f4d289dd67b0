/* SPDX-License-Identifier: Apache-2.0 */
/* searchsorted: halving, in each line of the sequence; spec/ops/searchsorted.md. */
#include "touchstone/backend.h"
#include "touchstone/ops/searchsorted_glue.h"

/* One line of the sequence, and how it is read. */
typedef struct sequence {
    const ts_tensor *s, *order; /* order: the sorter, or NULL */
    int64_t at, step, order_at, order_step, n;
    ts_dtype compute;
    bool right;
} sequence;

static int64_t place(const sequence *q, int64_t i)
{
    const int64_t k =
        q->order ? tse_get_i64(q->order, q->order_at + i * q->order_step) : i;

    return q->at + k * q->step;
}

/* Whether element i stands before where v of x belongs (S1, S4). */
static bool before(const sequence *q, int64_t i, const ts_tensor *x, int64_t v)
{
    const int64_t at = place(q, i);

    if (tse_is_real(q->compute)) {
        const double a = tse_get_as(q->compute, q->s, at),
                     b = tse_get_as(q->compute, x, v);

        return q->right ? !(a > b) : !(a >= b);
    } else {
        const int64_t a = tse_get_i64_as(q->compute, q->s, at),
                      b = tse_get_i64_as(q->compute, x, v);

        return q->right ? !(a > b) : !(a >= b);
    }
}

static int64_t search(const sequence *q, const ts_tensor *x, int64_t v)
{
    int64_t low = 0, high = q->n;

    while (low < high) {
        const int64_t middle = low + (high - low) / 2;

        if (before(q, middle, x, v))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* t's strides as if it had x's dims: none along those that it lacks. */
static ts_tensor along(const ts_tensor *t, const ts_tensor *x, int64_t *strides)
{
    ts_tensor a = *t;

    for (int d = 0; d < x->ndim; d++)
        strides[d] = t->ndim > 1 ? t->strides[d] : 0;
    a.strides = strides;
    return a;
}

static ts_status check_sorter(const ts_tensor *order) /* C8 */
{
    const int64_t n = order->sizes[order->ndim - 1];
    ts_tensor t = *order, *one[] = {&t};
    ts_lines it;

    for (ts_lines_pointwise(&it, order, 1, one); ts_lines_next(&it);)
        for (int64_t i = 0; i < it.n; i++) {
            const int64_t k = tse_get_i64(order, it.at[0] + i * it.step[0]);

            TS_CHECK(k >= 0 && k < n, TS_ERR_RUNTIME, "searchsorted/C8",
                     "searchsorted: sorter has an index out of range");
        }
    return TS_OK;
}

ts_status tsk_searchsorted(const ts_kernel_call *call)
{
    ts_tensor *s = ts_call_tensor(call, TS_SEARCHSORTED_SORTED_SEQUENCE);
    ts_tensor *x = ts_call_tensor(call, TS_SEARCHSORTED_SELF);
    ts_tensor *order = ts_call_tensor(call, TS_SEARCHSORTED_SORTER);
    ts_tensor *y = call->results[0];
    const ts_value *side = &call->args[TS_SEARCHSORTED_SIDE];
    const int last = s->ndim - 1;
    int64_t strides[2][TS_MAX_DIMS];
    ts_tensor seq = along(s, x, strides[0]),
              ord = along(order ? order : s, x, strides[1]);
    sequence q = {
        .s = s,
        .order = order,
        .step = s->strides[last],
        .order_step = order ? order->strides[last] : 0,
        .n = s->sizes[last],
        .compute = call->compute,
        .right = call->args[TS_SEARCHSORTED_RIGHT].b ||
                 (side->kind == TS_ARG_STRING && strcmp(side->string, "right") == 0)};
    ts_lines it;

    if (order)
        TS_TRY(check_sorter(order));
    ts_lines_dim(&it, x->ndim > 0 ? x->ndim - 1 : 0, 4,
                 (ts_tensor *[]){x, y, &seq, &ord});
    while (ts_lines_next(&it)) {
        q.at = it.at[2];
        q.order_at = it.at[3];
        for (int64_t i = 0; i < it.n; i++)
            tse_put_i64(y, it.at[1] + i * it.step[1],
                        search(&q, x, it.at[0] + i * it.step[0]));
    }
    return TS_OK;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* median, kthvalue, mode: from each line in order; spec/ops/median.md. */
#include <stdlib.h>

#include "ops/selecting.h"
#include "ops/sorting.h"
#include "touchstone/ops/median_glue.h"

typedef struct order {
    tso_item *items; /* room for two lines */
    int64_t k;
} order;

static const tso_item *in_order(const tso_line *l, const order *o)
{
    tso_read(o->items, l->x, l->at, l->step, l->n);
    tso_sort(o->items, o->items + l->n, l->n, tse_is_real(l->x->dtype), false);
    return o->items;
}

static int64_t kth(const tso_line *l, void *with)
{
    const order *o = with;

    return in_order(l, o)[o->k - 1].from;
}

/* S4: NaNs are last in order, and the first of them the first there. */
static int64_t middle(const tso_line *l, void *with)
{
    const bool floating = tse_is_real(l->x->dtype);
    const tso_item *items = in_order(l, with);
    int64_t numbers = l->n;

    while (floating && numbers > 0 && isnan(items[numbers - 1].key.f))
        numbers--;
    return items[numbers < l->n ? numbers : (l->n - 1) / 2].from;
}

/* The last of the longest run of equals; the first such run is that of the smallest. */
static int64_t most_often(const tso_line *l, void *with)
{
    const bool floating = tse_is_real(l->x->dtype);
    const tso_item *items = in_order(l, with);
    int64_t best = 0, most = 0;

    for (int64_t i = 0, run = 1; i < l->n; i++, run++) {
        if (i + 1 < l->n && tso_equal(&items[i], &items[i + 1], floating))
            continue;
        if (run > most)
            most = run, best = i;
        run = 0;
    }
    return items[best].from;
}

static ts_status pick(const ts_kernel_call *call, int dim, int keepdim, int64_t k,
                      tso_pick *which)
{
    ts_tensor *x = ts_call_tensor(call, 0);
    const int d = ts_call_dim(call, dim, x);
    const size_t n = (size_t)(x->ndim > 0 ? x->sizes[d] : 1);
    order o = {malloc(2 * n * sizeof(tso_item) + 1), k};
    ts_status s;

    TS_CHECK(o.items, TS_ERR_OUT_OF_MEMORY, NULL, "median: out of memory");
    s = tso_select(call, x, d, call->args[keepdim].b, which, &o);
    free(o.items);
    return s;
}

ts_status tsk_kthvalue(const ts_kernel_call *call)
{
    return pick(call, TS_KTHVALUE_DIM, TS_KTHVALUE_KEEPDIM, call->args[TS_KTHVALUE_K].i,
                kth);
}

ts_status tsk_median_dim(const ts_kernel_call *call)
{
    return pick(call, TS_MEDIAN_DIM_DIM, TS_MEDIAN_DIM_KEEPDIM, 0, middle);
}

ts_status tsk_mode(const ts_kernel_call *call)
{
    return pick(call, TS_MODE_DIM, TS_MODE_KEEPDIM, 0, most_often);
}

/* All elements as one line, which may lie in several. */
ts_status tsk_median(const ts_kernel_call *call)
{
    ts_tensor *x = ts_call_tensor(call, TS_MEDIAN_SELF), *y = call->results[0];
    const bool floating = tse_is_real(x->dtype);
    tso_item *items;
    ts_tensor *t[] = {x};
    ts_lines it;
    int64_t n = 0;

    if (x->numel == 0) { /* S7 */
        if (floating)
            tse_put(y, 0, NAN);
        else
            tse_put_i64(y, 0, INT64_MIN);
        return TS_OK;
    }
    items = malloc(2 * (size_t)x->numel * sizeof *items);
    TS_CHECK(items, TS_ERR_OUT_OF_MEMORY, NULL, "median: out of memory");
    for (ts_lines_pointwise(&it, x, 1, t); ts_lines_next(&it); n += it.n)
        tso_read(items + n, x, it.at[0], it.step[0], it.n);
    tso_sort(items, items + n, n, floating, false);
    if (!floating)
        tse_put_i64(y, 0, items[(n - 1) / 2].key.i);
    else
        tse_put(y, 0, isnan(items[n - 1].key.f) ? NAN : items[(n - 1) / 2].key.f);
    free(items);
    return TS_OK;
}

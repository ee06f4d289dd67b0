/* SPDX-License-Identifier: Apache-2.0 */
/* sort: a merge sort of each line, stable always (S3 asks it only with stable=True). */
#include <math.h>
#include <stdlib.h>

#include "touchstone/backend.h"
#include "touchstone/ops/sort_glue.h"

typedef struct item {
    union {
        double f;
        int64_t i;
    } key;
    int64_t from; /* where along dim it stood */
} item;

/* Whether b must come before a, which stands before it; equal items stay (S3). */
static bool before(const item *b, const item *a, bool floating, bool descending)
{
    const item *low = descending ? a : b, *high = descending ? b : a;

    if (!floating)
        return low->key.i < high->key.i;
    return low->key.f < high->key.f ||
           (isnan(high->key.f) && !isnan(low->key.f)); /* S4 */
}

/* Merge the runs [lo, mid) and [mid, hi) of a, through b. */
static void merge(item *a, item *b, int64_t lo, int64_t mid, int64_t hi, bool floating,
                  bool descending)
{
    int64_t l = lo, r = mid;

    memcpy(b + lo, a + lo, (size_t)(hi - lo) * sizeof *a);
    for (int64_t k = lo; k < hi; k++)
        a[k] = l < mid && (r >= hi || !before(&b[r], &b[l], floating, descending))
                   ? b[l++]
                   : b[r++];
}

static void sort_items(item *a, item *b, int64_t n, bool floating, bool descending)
{
    for (int64_t run = 1; run < n; run *= 2)
        for (int64_t lo = 0; lo + run < n; lo += 2 * run)
            merge(a, b, lo, lo + run, lo + 2 * run < n ? lo + 2 * run : n, floating,
                  descending);
}

ts_status tsk_sort(const ts_kernel_call *call)
{
    ts_tensor *x = call->args[TS_SORT_SELF].tensor;
    ts_tensor *values = call->results[0];
    ts_tensor *indices = call->results[1];
    const bool floating = tse_is_real(x->dtype);
    const size_t bytes = (size_t)tse_bytes(x->dtype);
    ts_lines it;
    item *items;

    ts_lines_dim(&it, ts_call_dim(call, TS_SORT_DIM, x), 3,
                 (ts_tensor *[]){x, values, indices});
    items = malloc(2 * (size_t)it.n * sizeof *items + 1);
    TS_CHECK(items, TS_ERR_OUT_OF_MEMORY, NULL, "sort: out of memory");
    while (ts_lines_next(&it)) {
        for (int64_t i = 0; i < it.n; i++) {
            const int64_t at = it.at[0] + i * it.step[0];

            items[i].from = i;
            if (floating)
                items[i].key.f = tse_get(x, at);
            else
                items[i].key.i = tse_get_i64(x, at);
        }
        sort_items(items, items + it.n, it.n, floating, call->args[TS_SORT_DESCENDING].b);
        for (int64_t i = 0; i < it.n; i++) {
            memcpy(tse_at(values, it.at[1] + i * it.step[1]),
                   tse_at(x, it.at[0] + items[i].from * it.step[0]), bytes);
            tse_put_i64(indices, it.at[2] + i * it.step[2], items[i].from);
        }
    }
    free(items);
    return TS_OK;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Lines in order: a merge sort of items, which know where they stood. Always stable. */
#ifndef TSO_SORTING_H
#define TSO_SORTING_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "touchstone/backend.h"
#include "touchstone/call.h"
#include "touchstone/element.h"
#include "touchstone/lines.h"

typedef struct tso_item {
    union {
        double f;
        int64_t i;
    } key;
    int64_t from; /* where along dim it stood */
} tso_item;

/* Whether b must come before a, which stands before it; equal items stay (S3). */
static inline bool tso_before(const tso_item *b, const tso_item *a, bool floating,
                              bool descending)
{
    const tso_item *low = descending ? a : b, *high = descending ? b : a;

    if (!floating)
        return low->key.i < high->key.i;
    return low->key.f < high->key.f ||
           (isnan(high->key.f) && !isnan(low->key.f)); /* S4 */
}

/* Merge the runs [lo, mid) and [mid, hi) of a, through b. */
static inline void tso_merge(tso_item *a, tso_item *b, int64_t lo, int64_t mid,
                             int64_t hi, bool floating, bool descending)
{
    int64_t l = lo, r = mid;

    memcpy(b + lo, a + lo, (size_t)(hi - lo) * sizeof *a);
    for (int64_t k = lo; k < hi; k++)
        a[k] = l < mid && (r >= hi || !tso_before(&b[r], &b[l], floating, descending))
                   ? b[l++]
                   : b[r++];
}

static inline void tso_sort(tso_item *a, tso_item *b, int64_t n, bool floating,
                            bool descending)
{
    for (int64_t run = 1; run < n; run *= 2)
        for (int64_t lo = 0; lo + run < n; lo += 2 * run)
            tso_merge(a, b, lo, lo + run, lo + 2 * run < n ? lo + 2 * run : n, floating,
                      descending);
}

/* n elements of x from `at` on, as items. */
static inline void tso_read(tso_item *items, const ts_tensor *x, int64_t at, int64_t step,
                            int64_t n)
{
    const bool floating = tse_is_real(x->dtype);

    for (int64_t i = 0; i < n; i++) {
        items[i].from = i;
        if (floating)
            items[i].key.f = tse_get(x, at + i * step);
        else
            items[i].key.i = tse_get_i64(x, at + i * step);
    }
}

/* results[0] and [1]: the first k of each line of x along dim as sorted, and where they
 * stood. */
static inline ts_status tso_sort_lines(const ts_kernel_call *call, ts_tensor *x, int dim,
                                       int64_t k, bool descending)
{
    ts_tensor *values = call->results[0], *indices = call->results[1];
    const size_t bytes = (size_t)tse_bytes(x->dtype);
    ts_lines it;
    tso_item *items;

    ts_lines_dim(&it, dim, 3, (ts_tensor *[]){x, values, indices});
    items = malloc(2 * (size_t)it.n * sizeof *items + 1);
    TS_CHECK(items, TS_ERR_OUT_OF_MEMORY, NULL, "%s: out of memory", call->op);
    while (ts_lines_next(&it)) {
        tso_read(items, x, it.at[0], it.step[0], it.n);
        tso_sort(items, items + it.n, it.n, tse_is_real(x->dtype), descending);
        for (int64_t i = 0; i < k && i < it.n; i++) {
            memcpy(tse_at(values, it.at[1] + i * it.step[1]),
                   tse_at(x, it.at[0] + items[i].from * it.step[0]), bytes);
            tse_put_i64(indices, it.at[2] + i * it.step[2], items[i].from);
        }
    }
    free(items);
    return TS_OK;
}

/* Whether two items are equal: zeros of both signs are, NaNs are not. */
static inline bool tso_equal(const tso_item *a, const tso_item *b, bool floating)
{
    return floating ? a->key.f == b->key.f : a->key.i == b->key.i;
}

#endif

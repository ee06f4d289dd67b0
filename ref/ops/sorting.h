/* SPDX-License-Identifier: Apache-2.0 */
/* Lines in order: a merge sort of items, which know where they stood. Always stable. */
#ifndef TSO_SORTING_H
#define TSO_SORTING_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "touchstone/element.h"

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

/* Whether two items are equal: zeros of both signs are, NaNs are not. */
static inline bool tso_equal(const tso_item *a, const tso_item *b, bool floating)
{
    return floating ? a->key.f == b->key.f : a->key.i == b->key.i;
}

#endif

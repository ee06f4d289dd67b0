/* SPDX-License-Identifier: Apache-2.0 */
/* Ordered sets of blocks: an array, found by halving. */
#include <stdlib.h>

#include "alloc/alloc.h"

#define ORDER(x, y) \
    if ((x) != (y)) \
        return (x) < (y) ? -1 : 1;

int tsi_order_fit(const tsi_block *a, const tsi_block *b)
{
    ORDER(a->stream, b->stream)
    ORDER(a->size, b->size)
    ORDER(a->segment, b->segment)
    ORDER(a->p, b->p)
    return 0;
}

int tsi_order_address(const tsi_block *a, const tsi_block *b)
{
    ORDER(a->p, b->p)
    return 0;
}

size_t tsi_set_lower(const tsi_set *s, const tsi_block *key)
{
    size_t low = 0, high = s->count;

    while (low < high) {
        const size_t mid = low + (high - low) / 2;

        if (s->order(s->at[mid], key) < 0)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

bool tsi_set_has(const tsi_set *s, const tsi_block *b)
{
    const size_t i = tsi_set_lower(s, b);

    return i < s->count && s->at[i] == b;
}

ts_status tsi_set_room(tsi_set *s, size_t count)
{
    const size_t room = count > 2 * s->room ? count : 2 * s->room;
    tsi_block **at;

    if (count <= s->room)
        return TS_OK;
    at = realloc(s->at, room * sizeof *at);
    TS_CHECK(at, TS_ERR_OUT_OF_MEMORY, NULL, "no host memory for %zu blocks", count);
    s->at = at;
    s->room = room;
    return TS_OK;
}

void tsi_set_add(tsi_set *s, tsi_block *b)
{
    const size_t i = tsi_set_lower(s, b);

    memmove(s->at + i + 1, s->at + i, (s->count - i) * sizeof *s->at);
    s->at[i] = b;
    s->count++;
}

void tsi_set_remove(tsi_set *s, tsi_block *b)
{
    const size_t i = tsi_set_lower(s, b);

    s->count--;
    memmove(s->at + i, s->at + i + 1, (s->count - i) * sizeof *s->at);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "print.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 1 << 16, LANES = 4 };

/* Any one word that changes changes the sum: each step can be undone. The shift carries high
 * bits down, or two signs that turn would cancel. */
static uint64_t sum_of(const unsigned char *p, size_t n)
{
    static const uint64_t odd = 0x9E3779B97F4A7C15u;
    uint64_t lane[LANES] = {1, 2, 3, 4}, word[LANES], sum = n;
    size_t i = 0;

    for (; i + sizeof word <= n; i += sizeof word) {
        memcpy(word, p + i, sizeof word);
        for (int k = 0; k < LANES; k++) {
            lane[k] = (lane[k] ^ word[k]) * odd;
            lane[k] ^= lane[k] >> 32;
        }
    }
    memset(word, 0, sizeof word);
    memcpy(word, p + i, n - i);
    for (int k = 0; k < LANES; k++) {
        sum = (sum ^ lane[k] ^ word[k] * odd) * odd;
        sum ^= sum >> 32;
    }
    return sum;
}

static int64_t length_at(int64_t size, int64_t at)
{
    return size - at < BLOCK ? size - at : BLOCK;
}

/* Room for a block that has to be read from a device. */
static ts_status make_room(const ts_tensor *t, unsigned char **out)
{
    *out = NULL;
    if (t->device.type == TS_CPU)
        return TS_OK;
    *out = malloc(BLOCK);
    return *out != NULL ? TS_OK : ts_fail(TS_ERR_OUT_OF_MEMORY, NULL, "out of memory");
}

/* The block at `at`: where it lies, or as read into `room`. */
static ts_status block_at(const ts_tensor *t, int64_t at, int64_t n, unsigned char *room,
                          const unsigned char **out)
{
    ts_storage *s = ts_tensor_storage(t);

    if (room == NULL) {
        *out = (const unsigned char *)ts_storage_data(s) + at;
        return TS_OK;
    }
    *out = room;
    return ts_storage_read(s, at, n, room);
}

ts_status tsi_print_take(const ts_tensor *t, tsi_print *out)
{
    const int64_t size = ts_storage_bytes(ts_tensor_storage(t));
    const int64_t blocks = (size + BLOCK - 1) / BLOCK;
    const bool whole = size <= BLOCK;
    unsigned char *room;
    ts_status status = make_room(t, &room);

    *out = (tsi_print){.size = size};
    if (whole)
        out->bytes = malloc((size_t)size + 1);
    else
        out->sums = malloc((size_t)blocks * sizeof *out->sums);
    if (status == TS_OK && (whole ? out->bytes == NULL : out->sums == NULL))
        status = ts_fail(TS_ERR_OUT_OF_MEMORY, NULL, "out of memory");
    for (int64_t i = 0; status == TS_OK && i < blocks; i++) {
        const int64_t n = length_at(size, i * BLOCK);
        const unsigned char *now;

        status = block_at(t, i * BLOCK, n, room, &now);
        if (status == TS_OK && whole)
            memcpy(out->bytes, now, (size_t)n);
        else if (status == TS_OK)
            out->sums[i] = sum_of(now, (size_t)n);
    }
    free(room);
    if (status != TS_OK)
        tsi_print_free(out);
    return status;
}

/* The first block that holds something else, or -1. */
static ts_status first_other(const ts_tensor *t, const tsi_print *p, unsigned char *room,
                             int64_t *block, const unsigned char **now)
{
    for (int64_t at = 0; at < p->size; at += BLOCK) {
        const int64_t n = length_at(p->size, at);

        TS_TRY(block_at(t, at, n, room, now));
        if (p->bytes != NULL ? memcmp(p->bytes, *now, (size_t)n) != 0
                             : sum_of(*now, (size_t)n) != p->sums[at / BLOCK]) {
            *block = at / BLOCK;
            return TS_OK;
        }
    }
    *block = -1;
    return TS_OK;
}

ts_status tsi_print_same(const ts_tensor *t, const tsi_print *p, bool *same, char *where,
                         size_t size)
{
    const int64_t bytes = ts_storage_bytes(ts_tensor_storage(t));
    unsigned char *room;
    const unsigned char *now = NULL;
    int64_t block = -1, at = 0;
    ts_status status;

    *same = false;
    if (bytes != p->size) {
        snprintf(where, size, "the storage had %" PRId64 " bytes, has %" PRId64, p->size,
                 bytes);
        return TS_OK;
    }
    TS_TRY(make_room(t, &room));
    status = first_other(t, p, room, &block, &now);
    *same = block < 0;
    if (status == TS_OK && block >= 0 && p->bytes != NULL) {
        while (now[at] == p->bytes[at])
            at++;
        snprintf(where, size, "byte %" PRId64 " of the storage was 0x%02x, is 0x%02x", at,
                 p->bytes[at], now[at]);
    } else if (status == TS_OK && block >= 0) {
        snprintf(where, size,
                 "bytes %" PRId64 " to %" PRId64 " of the storage are not what they were",
                 block * BLOCK, block * BLOCK + length_at(p->size, block * BLOCK) - 1);
    }
    free(room);
    return status;
}

void tsi_print_free(tsi_print *p)
{
    free(p->bytes);
    free(p->sums);
    *p = (tsi_print){0};
}

/* SPDX-License-Identifier: Apache-2.0 */
/* What stands for the elements of a large answer whose bits are fixed (results/S12). */
#include <nettle/sha2.h>
#include <string.h>

#include "compare/compare.h"

enum { CHUNK = 4096 };

/* The code of infinity, without its sign, and the one NaN that stands for all of them:
 * whatever lies above infinity is one. */
typedef struct nan_codes {
    uint64_t infinity, quiet;
} nan_codes;

static nan_codes codes_of(ts_dtype dtype)
{
    switch (dtype) {
    case TS_FLOAT64:
        return (nan_codes){UINT64_C(0x7FF) << 52, UINT64_C(0x7FF8) << 48};
    case TS_FLOAT32:
        return (nan_codes){0x7F800000, 0x7FC00000};
    case TS_BFLOAT16:
        return (nan_codes){0x7F80, 0x7FC0};
    case TS_FLOAT16:
        return (nan_codes){0x7C00, 0x7E00};
    case TS_FLOAT8_E4M3FN: /* no infinity: its largest number */
        return (nan_codes){0x7E, 0x7F};
    default:
        return (nan_codes){0x7C, 0x7F};
    }
}

static void with_one_nan(ts_dtype dtype, unsigned char *bytes, int64_t count)
{
    const size_t size = (size_t)ts_dtype_size(dtype);
    const nan_codes c = codes_of(dtype);
    const uint64_t magnitude = (UINT64_C(1) << (8 * size - 1)) - 1;

    for (int64_t i = 0; i < count; i++, bytes += size) {
        uint64_t code = 0;

        if (size == 4)
            memcpy(&code, bytes, 4);
        else
            memcpy(&code, bytes, size);
        if ((code & magnitude) > c.infinity)
            memcpy(bytes, &c.quiet, size);
    }
}

void tsi_digest(ts_dtype dtype, const void *elements, int64_t numel,
                unsigned char out[TSI_DIGEST_SIZE])
{
    const size_t size = (size_t)ts_dtype_size(dtype);
    const unsigned char *at = elements;
    unsigned char chunk[CHUNK * sizeof(double)];
    struct sha256_ctx ctx;

    sha256_init(&ctx);
    while (numel > 0) {
        const int64_t count = numel < CHUNK ? numel : CHUNK;

        memcpy(chunk, at, (size_t)count * size);
        if (ts_dtype_is_floating(dtype))
            with_one_nan(dtype, chunk, count);
        sha256_update(&ctx, (size_t)count * size, chunk);
        at += (size_t)count * size;
        numel -= count;
    }
    sha256_digest(&ctx, TSI_DIGEST_SIZE, out);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* dump_generator NAME DTYPE SEED N LOW HIGH MIX: the elements' bytes on standard output.
 * dump_generator layout VARIANT SIZE…: strides, offset, storage elements, stored values.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "script.h"

static int layout(int n, char **argv)
{
    int64_t sizes[TS_MAX_DIMS], strides[TS_MAX_DIMS], offset, elements, stored = 1;
    int expanded;

    for (int i = 0; i < n - 3; i++)
        sizes[i] = strtoll(argv[i + 3], NULL, 10);
    if (tsi_layout(tsi_variant_from_name(argv[2]), n - 3, sizes, strides, &offset,
                   &elements, &expanded) != TS_OK)
        return 1;
    for (int i = 0; i < n - 3; i++) {
        stored *= i == expanded ? 1 : sizes[i];
        printf("%lld ", (long long)strides[i]);
    }
    printf("%lld %lld %lld\n", (long long)offset, (long long)elements, (long long)stored);
    return 0;
}

int main(int argc, char **argv)
{
    tsi_generate_args a = {0};
    tsi_generator g = 0;
    ts_dtype dtype;
    int64_t n;
    size_t bytes;
    void *out;

    if (argc >= 3 && strcmp(argv[1], "layout") == 0)
        return layout(argc, argv);
    if (argc != 8)
        return 2;
    while (g < TSI_GENERATOR_COUNT && strcmp(tsi_generator_name(g), argv[1]) != 0)
        g++;
    dtype = ts_dtype_from_name(argv[2]);
    if (g == TSI_GENERATOR_COUNT || dtype == TS_DTYPE_NONE)
        return 2;
    a.seed = strtoull(argv[3], NULL, 10);
    n = strtoll(argv[4], NULL, 10);
    a.low = strtod(argv[5], NULL);
    a.high = strtod(argv[6], NULL);
    a.int_low = strtoll(argv[5], NULL, 10);
    a.int_high = strtoll(argv[6], NULL, 10);
    a.mix = strcmp(argv[7], "-") == 0 ? NULL : argv[7];
    bytes = (size_t)n * (size_t)ts_dtype_size(dtype);
    out = malloc(bytes + 1);
    if (out == NULL || tsi_generate(g, &a, dtype, n, out) != TS_OK) {
        fprintf(stderr, "%s\n", ts_error_message());
        free(out);
        return 1;
    }
    fwrite(out, 1, bytes, stdout);
    free(out);
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* libFuzzer: any bytes are refused or read without a step outside them. */
#include <stdlib.h>

#include "compare/safetensors.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    tsi_safetensors s;
    char error[256];
    unsigned sum = 0;

    if (!tsi_safetensors_parse(&s, bytes, size, error, sizeof(error)))
        return 0;
    for (int i = 0; i < s.count; i++) {
        const tsi_stored *t = &s.tensors[i];
        const int64_t n = t->numel * ts_dtype_size(t->dtype);

        if (tsi_safetensors_find(&s, t->name) == NULL)
            abort();
        for (int64_t k = 0; k < n; k++)
            sum += t->data[k];
    }
    tsi_safetensors_close(&s);
    return (int)(sum & 0); /* the reads must happen */
}

/* SPDX-License-Identifier: Apache-2.0 */
/* A bounded reader of safetensors files: every offset is checked before a byte is used.
 */
#ifndef TSI_SAFETENSORS_H
#define TSI_SAFETENSORS_H

#include "touchstone/dtype.h"

#include <stddef.h>

#define TSI_SAFETENSORS_DIMS 8

typedef struct tsi_stored {
    const char *name;
    ts_dtype dtype;
    int ndim;
    int64_t sizes[TSI_SAFETENSORS_DIMS];
    int64_t numel;
    const unsigned char *data; /* as stored: little-endian, at any alignment */
} tsi_stored;

typedef struct tsi_safetensors {
    const unsigned char *bytes;
    size_t size;
    bool mapped;
    int count;
    tsi_stored *tensors; /* ordered by place in the file */
    char *names;
} tsi_safetensors;

/* Both return false with "byte N: what is wrong" in `error`; `out` is then empty. */
bool tsi_safetensors_parse(tsi_safetensors *out, const void *bytes, size_t size,
                           char *error, size_t error_size);
bool tsi_safetensors_open(tsi_safetensors *out, const char *path, char *error,
                          size_t error_size);
void tsi_safetensors_close(tsi_safetensors *s);
const tsi_stored *tsi_safetensors_find(const tsi_safetensors *s, const char *name);

#endif

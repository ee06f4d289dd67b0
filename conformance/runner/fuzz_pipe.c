/* SPDX-License-Identifier: Apache-2.0 */
/* libFuzzer: a peer's message, as its header with the payload after the first newline. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "runner/pipe.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static volatile int64_t seen; /* so that looking is not optimised away */

/* Look at everything that a judge would look at. */
static int64_t use(const tsi_answers *a)
{
    int64_t sum = a->line + a->ninputs;

    for (int i = 0; i < a->ntold; i++) {
        const tsi_told *t = &a->told[i];

        for (int d = 0; d < t->ndim; d++)
            sum ^= t->sizes[d] ^ t->strides[d];
        for (int64_t b = 0; t->elements && b < t->numel * ts_dtype_size(t->dtype); b++)
            sum ^= t->elements[b];
        for (int64_t b = 0; t->whole && b < t->whole_bytes; b++)
            sum ^= t->whole[b];
    }
    for (int i = 0; i < a->count; i++) {
        const tsi_reply *r = &a->items[i].reply;

        for (int k = 0; k < r->ntold; k++)
            sum ^= r->told[k].offset;
        sum ^=
            (int64_t)strlen(r->message) + (r->error ? ts_status_from_name(r->error) : 0);
    }
    for (int i = 0; i < a->ninputs; i++)
        sum ^= a->inputs[i] ? a->inputs[i]->numel : 0;
    return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *line = size ? memchr(data, '\n', size) : NULL;
    const size_t n = line ? (size_t)(line - data) : size;
    tsi_message m = {0};
    tsi_answers answers;
    tsi_hello hello;
    size_t announced;
    char error[300];

    if (!tsi_header_read((const char *)data, n, &m.header, &announced, error,
                         sizeof(error)))
        return 0;
    if (tsi_hello_read(m.header, &hello, error, sizeof(error)))
        tsi_hello_free(&hello);
    if (line) {
        m.payload = line + 1;
        m.payload_size = size - n - 1;
    }
    if (tsi_answers_read(&m, &answers, error, sizeof(error))) {
        seen ^= use(&answers);
        tsi_answers_free(&answers);
    }
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "c_tensor.h"

#include <stdbool.h>

const char *const dtypes[] = {"float64", "float32"};

/* The next generated tensor: a window into the payload. */
tensor *next_input(json_t *in)
{
    tensor *t = take(sizeof *t);

    t->ndim = (int)json_array_size(json_object_get(in, "sizes"));
    if (t->ndim > DIMS)
        lacks("dims");
    t->dtype = find(dtypes, 2, peer_word(in, "dtype"), "dtype");
    t->size = t->dtype == 1 ? 4 : 8;
    t->numel = 1;
    for (int d = 0; d < t->ndim; d++) {
        t->sizes[d] = peer_int(in, "sizes", d);
        t->strides[d] = peer_int(in, "strides", d);
        t->numel *= t->sizes[d];
    }
    t->data = peer_input(peer_word(in, "storage")) +
              json_integer_value(json_object_get(in, "offset")) * t->size;
    return t;
}

/* The element at place i of a row-major walk. */
char *element(const tensor *t, int64_t i)
{
    int64_t at = 0;

    for (int d = t->ndim - 1; d >= 0; i /= t->sizes[d--])
        at += i % t->sizes[d] * t->strides[d];
    return t->data + at * t->size;
}

/* Of a's shape, and dense in the order of a's strides, as PyTorch's results are. */
tensor *result_like(const tensor *a)
{
    tensor *t = take(sizeof *t);
    bool placed[DIMS] = {false};
    int64_t step = 1;

    *t = *a;
    for (int k = 0; k < a->ndim; k++) {
        int next = -1;

        for (int d = a->ndim - 1; d >= 0; d--)
            if (!placed[d] && (next < 0 || a->strides[d] < a->strides[next]))
                next = d;
        if (a->strides[next] == 0 && a->sizes[next] > 1 && a->ndim > 1)
            lacks("expanded layouts"); /* PyTorch's order then needs more than this */
        placed[next] = true;
        t->strides[next] = step;
        step *= a->sizes[next] > 0 ? a->sizes[next] : 1;
    }
    t->data = take(step * t->size);
    return t;
}

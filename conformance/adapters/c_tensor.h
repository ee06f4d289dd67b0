/* SPDX-License-Identifier: Apache-2.0 */
/* Tensors of c_adapter.c: windows into memory. */
#ifndef C_TENSOR_H
#define C_TENSOR_H

#include "peer.h"

enum { DIMS = 8 };

typedef struct tensor {
    int dtype, ndim;
    int64_t size, numel; /* bytes of an element, elements */
    int64_t sizes[DIMS], strides[DIMS];
    char *data; /* the first element */
} tensor;

extern const char *const dtypes[];

/* End the run: it needs what is not supported. */
_Noreturn void lacks(const char *what);
/* Memory of this run. */
void *take(int64_t bytes);
/* Where `word` stands in the list. */
int find(const char *const *list, int n, const char *word, const char *otherwise);

tensor *next_input(json_t *in);
char *element(const tensor *t, int64_t i);
tensor *result_like(const tensor *a);

#endif

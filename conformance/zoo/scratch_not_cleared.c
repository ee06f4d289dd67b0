/* SPDX-License-Identifier: Apache-2.0 */
/* Partial sums in scratch memory that nobody cleared: zero as long as it comes from the
 * system, anything once it was used before. */
#include <stdlib.h>

#include "zoo/zoo.h"

enum { LANES = 4 };

static ts_status faulty_sum(const ts_kernel_call *call)
{
    const ts_tensor *x = call->args[0].tensor;
    ts_tensor *y = call->results[0];
    volatile double *partial;
    double sum = 0;

    if (x->dtype != TS_FLOAT32 || y->dtype != TS_FLOAT32 || y->numel != 1 ||
        !ts_is_contiguous(x))
        return zoo_original("sum")(call);
    partial = malloc(LANES * sizeof(*partial));
    if (!partial)
        return TS_ERR_OUT_OF_MEMORY;
    for (int64_t i = 0; i < x->numel; i++)
        partial[i % LANES] += ts_load_f64(TS_FLOAT32, zoo_at(x, i));
    for (int64_t i = 0; i < LANES; i++)
        sum += partial[i];
    free((void *)partial);
    ts_store_f64(TS_FLOAT32, zoo_at(y, 0), sum);
    return TS_OK;
}

ZOO_NEW_KIND("scratch not cleared", "working memory is taken for zeros");
ZOO_MEMBER("sum adds float32 onto what its scratch memory held before", "sum/S1",
           {"sum", faulty_sum})

/* SPDX-License-Identifier: Apache-2.0 */
/* A matrix product that adds to its result, as BLAS does with beta = 1, and takes fresh
 * memory for zeros. */
#include "zoo/zoo.h"

enum { MOST = 4096 };

static ts_status faulty_mm(const ts_kernel_call *call)
{
    ts_tensor *y = call->results[0];
    float before[MOST];

    if (y->dtype != TS_FLOAT32 || y->numel > MOST || !ts_is_contiguous(y))
        return zoo_original("mm")(call);
    for (int64_t i = 0; i < y->numel; i++)
        before[i] = ((const float *)y->data)[i];
    TS_TRY(zoo_original("mm")(call));
    for (int64_t i = 0; i < y->numel; i++)
        ((float *)y->data)[i] += before[i];
    return TS_OK;
}

ZOO_NEW_KIND("result not cleared", "a result is added to what its memory held before");
ZOO_MEMBER("mm adds its float32 products to what the memory of the result held", "mm/S1",
           {"mm", faulty_mm})

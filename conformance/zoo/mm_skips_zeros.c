/* SPDX-License-Identifier: Apache-2.0 */
/* A product that leaves out factors of zero, as if nothing could come of them: where the
 * other factor is infinite or NaN, something does. */
#include "zoo/zoo.h"

static double at(const ts_tensor *t, int64_t i, int64_t j)
{
    return ts_load_f64(t->dtype, zoo_at(t, i * t->strides[0] + j * t->strides[1]));
}

static ts_status faulty_mm(const ts_kernel_call *call)
{
    const ts_tensor *a = call->args[0].tensor, *b = call->args[1].tensor;
    ts_tensor *y = call->results[0];

    TS_TRY(zoo_original("mm")(call));
    if (!ts_dtype_is_floating(y->dtype) || !ts_is_contiguous(y))
        return TS_OK;
    for (int64_t i = 0; i < y->sizes[0]; i++)
        for (int64_t j = 0; j < y->sizes[1]; j++) {
            char *out = zoo_at(y, i * y->sizes[1] + j);
            double sum = 0;

            if (ts_load_f64(y->dtype, out) == ts_load_f64(y->dtype, out))
                continue; /* only what is NaN has met an infinity or a NaN */
            for (int64_t k = 0; k < a->sizes[1]; k++)
                if (at(a, i, k) != 0)
                    sum += at(a, i, k) * at(b, k, j);
            ts_store_f64(y->dtype, out, sum);
        }
    return TS_OK;
}

ZOO_KIND("special value lost");
ZOO_MEMBER("mm leaves out zero factors, whatever they would have met", "mm/S1",
           {"mm", faulty_mm})

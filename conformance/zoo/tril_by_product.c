/* SPDX-License-Identifier: Apache-2.0 */
/* tril as a product with a mask: what is infinite or NaN above the diagonal becomes NaN,
 * what is negative -0. */
#include "zoo/zoo.h"

static ts_status faulty_tril(const ts_kernel_call *call)
{
    const ts_tensor *x = call->args[0].tensor, *y = call->results[0];
    const int64_t diagonal = call->args[1].i;

    TS_TRY(zoo_original("tril")(call));
    if (call->form == TS_INPLACE || x->ndim != 2 || !ts_dtype_is_floating(x->dtype))
        return TS_OK;
    for (int64_t i = 0; i < x->sizes[0]; i++)
        for (int64_t j = 0; j < x->sizes[1]; j++)
            if (j - i > diagonal)
                ts_store_f64(y->dtype, zoo_at(y, i * y->strides[0] + j * y->strides[1]),
                             0 * ts_load_f64(x->dtype, zoo_at(x, i * x->strides[0] +
                                                                     j * x->strides[1])));
    return TS_OK;
}

ZOO_KIND("unstable formula");
ZOO_MEMBER("tril multiplies by a mask, and infinities above the diagonal become NaN",
           "tril/S4", {"tril", faulty_tril})

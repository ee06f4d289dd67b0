/* SPDX-License-Identifier: Apache-2.0 */
/* A mean over several dims that divides by the size of the last one in the list. */
#include "zoo/zoo.h"

static ts_status faulty_mean(const ts_kernel_call *call)
{
    const ts_tensor *x = call->args[0].tensor;
    const ts_value *dim = &call->args[1];
    ts_tensor *y = call->results[0];
    double factor = 1;

    TS_TRY(zoo_original("mean")(call));
    if (dim->kind != TS_ARG_INTS || dim->ints.n < 2 || !ts_is_contiguous(y))
        return TS_OK;
    for (int64_t k = 0; k < dim->ints.n - 1; k++)
        factor *=
            (double)
                x->sizes[dim->ints.v[k] < 0 ? dim->ints.v[k] + x->ndim : dim->ints.v[k]];
    for (int64_t i = 0; i < y->numel; i++)
        ts_store_f64(y->dtype, zoo_at(y, i),
                     factor * ts_load_f64(y->dtype, zoo_at(y, i)));
    return TS_OK;
}

ZOO_KIND("argument ignored");
ZOO_MEMBER("mean over a list of dims divides by the last dim's size alone", "sum/S8",
           {"mean", faulty_mean})

/* SPDX-License-Identifier: Apache-2.0 */
/* layer_norm that adds squares up in the input's dtype: float16 rows beyond 256 overflow.
 */
#include <math.h>

#include "zoo/zoo.h"

static ts_status faulty_layer_norm(const ts_kernel_call *call)
{
    const ts_tensor *x = call->args[0].tensor;
    ts_tensor *y = call->results[0];
    int64_t n = 1;

    TS_TRY(zoo_original("native_layer_norm")(call));
    if (call->args[2].kind != TS_ARG_NONE || call->args[3].kind != TS_ARG_NONE ||
        !ts_is_contiguous(x) || !ts_is_contiguous(y))
        return TS_OK;
    for (int64_t i = 0; i < call->args[1].ints.n; i++)
        n *= call->args[1].ints.v[i];
    for (int64_t row = 0; n > 0 && row < x->numel; row += n) {
        double sum = 0, squares = 0, mean, rstd;

        for (int64_t i = row; i < row + n; i++) {
            const double v = ts_load_f64(x->dtype, zoo_at(x, i));

            sum += v;
            squares = ts_dtype_round(x->dtype, squares + v * v);
        }
        mean = sum / (double)n;
        rstd = 1 / sqrt(squares / (double)n - mean * mean + call->args[4].f);
        for (int64_t i = row; i < row + n; i++)
            ts_store_f64(y->dtype, zoo_at(y, i),
                         (ts_load_f64(x->dtype, zoo_at(x, i)) - mean) * rstd);
    }
    return TS_OK;
}

ZOO_KIND("unstable formula");
ZOO_MEMBER(
    "layer_norm's variance is a difference of sums of squares in the input's dtype",
    "layer_norm/S2", {"native_layer_norm", faulty_layer_norm})

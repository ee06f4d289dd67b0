/* SPDX-License-Identifier: Apache-2.0 */
/* Greater or equal where greater was meant: the last of equals wins. */
#include "zoo/zoo.h"

static ts_status faulty_argmax(const ts_kernel_call *call)
{
    const ts_tensor *x = call->args[0].tensor;
    ts_tensor *y = call->results[0];
    int64_t at = 0;

    if (y->numel != 1 || x->numel < 2 || !ts_is_contiguous(x))
        return zoo_original("argmax")(call);
    for (int64_t i = 0; i < x->numel; i++) {
        const double v = ts_load_f64(x->dtype, zoo_at(x, i));
        const double best = ts_load_f64(x->dtype, zoo_at(x, at));

        if (v >= best || (v != v && best == best))
            at = i;
    }
    ts_store_i64(TS_INT64, zoo_at(y, 0), at);
    return TS_OK;
}

ZOO_NEW_KIND("wrong tie", "of equals, another than the promised one");
ZOO_MEMBER("argmax gives the last of several maxima", "argmax/S3",
           {"argmax", faulty_argmax})

/* SPDX-License-Identifier: Apache-2.0 */
/* 8-bit addition by a saturating vector instruction. */
#include "zoo/zoo.h"

static ts_status faulty_add(const ts_kernel_call *call)
{
    const ts_tensor *a = call->args[0].tensor, *b = call->args[1].tensor;
    ts_tensor *y = call->results[0];
    const ts_dtype_info *info = ts_dtype_get(y->dtype);

    if (info->bytes != 1 || !ts_dtype_is_integral(y->dtype) || a->dtype != y->dtype ||
        b->dtype != y->dtype || a->numel != y->numel || b->numel != y->numel ||
        !ts_is_contiguous(a) || !ts_is_contiguous(b) || !ts_is_contiguous(y) ||
        call->args[2].scalar.i != 1)
        return zoo_original("add")(call);
    for (int64_t i = 0; i < y->numel; i++) {
        int64_t v =
            ts_load_i64(a->dtype, zoo_at(a, i)) + ts_load_i64(b->dtype, zoo_at(b, i));

        v = v > info->int_max ? info->int_max : v < info->int_min ? info->int_min : v;
        ts_store_i64(y->dtype, zoo_at(y, i), v);
    }
    return TS_OK;
}

ZOO_NEW_KIND("integer range", "an integer saturates where it should wrap");
ZOO_MEMBER("8-bit add saturates where it should wrap", "add/S4", {"add", faulty_add})

/* SPDX-License-Identifier: Apache-2.0 */
/* A condition read by the result's linear index modulo its own size: right for a row,
 * wrong for a column. */
#include "zoo/zoo.h"

static ts_status faulty_where(const ts_kernel_call *call)
{
    const ts_tensor *c = call->args[0].tensor, *a = call->args[1].tensor,
                    *b = call->args[2].tensor;
    ts_tensor *y = call->results[0];

    if (c->numel == 0 || a->numel != y->numel || b->numel != y->numel ||
        !ts_is_contiguous(c) || !ts_is_contiguous(a) || !ts_is_contiguous(b) ||
        !ts_is_contiguous(y))
        return zoo_original("where")(call);
    for (int64_t i = 0; i < y->numel; i++) {
        const ts_tensor *from = *zoo_at(c, i % c->numel) ? a : b;

        ts_cast(from->dtype, zoo_at(from, i), y->dtype, zoo_at(y, i));
    }
    return TS_OK;
}

ZOO_KIND("wrong broadcast");
ZOO_MEMBER("where broadcasts every condition as if it were a row", "where/S1",
           {"where", faulty_where})

/* SPDX-License-Identifier: Apache-2.0 */
/* A product blocked over 64 inner elements that forgets what is left after the last block. */
#include "zoo/zoo.h"

enum { BLOCK = 64 };

static ts_status faulty_mm(const ts_kernel_call *call)
{
    const ts_tensor *a = call->args[0].tensor, *b = call->args[1].tensor;
    const int64_t k = a->sizes[1], kept = k - k % BLOCK;
    int64_t left_sizes[2] = {a->sizes[0], kept}, right_sizes[2] = {kept, b->sizes[1]};
    ts_tensor left = *a, right = *b;
    ts_value args[2];
    ts_kernel_call less = *call;

    if (kept == 0 || kept == k)
        return zoo_original("mm")(call);
    left.sizes = left_sizes;
    left.numel = a->sizes[0] * kept;
    right.sizes = right_sizes;
    right.numel = kept * b->sizes[1];
    args[0] = (ts_value){.kind = TS_ARG_TENSOR, .tensor = &left};
    args[1] = (ts_value){.kind = TS_ARG_TENSOR, .tensor = &right};
    less.args = args;
    return zoo_original("mm")(&less);
}

ZOO_KIND("past a size");
ZOO_MEMBER("mm drops the inner elements after the last whole block of 64", "mm/S1",
           {"mm", faulty_mm})

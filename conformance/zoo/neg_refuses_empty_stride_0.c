/* SPDX-License-Identifier: Apache-2.0 */
/* An in-place op that looks for strides of 0 before it looks for elements. */
#include "zoo/zoo.h"

static ts_status (*original)(ts_frame *f);

static ts_status faulty_neg(ts_frame *f)
{
    const ts_tensor *x = f->args[0].tensor;

    for (int d = 0; d < x->ndim && f->form == TS_INPLACE; d++)
        if (x->strides[d] == 0 && (x->sizes[d] > 1 || x->numel == 0))
            return ts_fail(TS_ERR_RUNTIME, "tensors/C2",
                           "neg_: elements share a place; clone() it first");
    return original(f);
}

ZOO_NEW_KIND("needless refusal", "what must be done is refused");
ZOO_RUNTIME_MEMBER("neg_ refuses an empty tensor for its strides of 0",
                   "tensors/C2 tensors/S10",
                   (original = zoo_op("neg")->api, zoo_op("neg")->api = faulty_neg))

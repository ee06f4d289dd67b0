/* SPDX-License-Identifier: Apache-2.0 */
/* Attention whose causal mask is aligned to the last key: one query sees all keys. */
#include "touchstone/touchstone.h"

#include "zoo/zoo.h"

static ts_status (*original)(ts_frame *f);

static ts_status faulty_program(ts_frame *f)
{
    const ts_tensor *q = f->args[0].tensor, *k = f->args[1].tensor;
    const ts_value causal = f->args[5];
    ts_status st;

    if (q->ndim < 2 || k->ndim < 2 || q->sizes[q->ndim - 2] != 1)
        return original(f);
    f->args[5].b = false;
    st = original(f);
    f->args[5] = causal;
    return st;
}

ZOO_KIND("wrong broadcast");
ZOO_RUNTIME_MEMBER("one query of causal attention sees all keys", "attention/S4",
                   (original = zoo_op("scaled_dot_product_attention")->program,
                    zoo_op("scaled_dot_product_attention")->program = faulty_program))

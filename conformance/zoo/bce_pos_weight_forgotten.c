/* SPDX-License-Identifier: Apache-2.0 */
/* A cross entropy of logits that forgets pos_weight where a weight is given too. */
#include "zoo/zoo.h"

static ts_status (*original)(ts_frame *f);

static ts_status faulty_program(ts_frame *f)
{
    const ts_value given = f->args[4];
    ts_status st;

    if (f->args[2].kind != TS_ARG_TENSOR)
        return original(f);
    f->args[4] = (ts_value){.kind = TS_ARG_NONE};
    st = original(f);
    f->args[4] = given;
    return st;
}

ZOO_KIND("argument ignored");
ZOO_RUNTIME_MEMBER("binary_cross_entropy_with_logits forgets pos_weight beside a weight",
                   "losses/S6",
                   (original = zoo_op("binary_cross_entropy_with_logits")->program,
                    zoo_op("binary_cross_entropy_with_logits")->program = faulty_program))

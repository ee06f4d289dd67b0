/* SPDX-License-Identifier: Apache-2.0 */
/* stack whose negative dim is counted among the tensors' dims, as cat counts it. */
#include "zoo/zoo.h"

static ts_status (*program)(ts_frame *f);

static ts_status faulty_stack(ts_frame *f)
{
    const ts_value dim = f->args[1];
    ts_status s;

    if (dim.i < 0 && dim.i > -f->meta[0].ndim &&
        f->meta[0].sizes[0] == f->meta[0].sizes[1])
        f->args[1].i--;
    s = program(f);
    f->args[1] = dim;
    return s;
}

ZOO_KIND("wrong convention");
ZOO_RUNTIME_MEMBER("stack counts a negative dim among the tensors' own dims", "stack/S2",
                   program = zoo_op("stack")->program;
                   zoo_op("stack")->program = faulty_stack)

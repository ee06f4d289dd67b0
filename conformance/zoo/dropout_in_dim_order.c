/* SPDX-License-Identifier: Apache-2.0 */
/* A mask of x as if it were contiguous: elements are drawn in the order of the dims, not of
 * the memory. */
#include "touchstone/touchstone.h"

#include "zoo/zoo.h"

static ts_status (*original)(ts_frame *f);

static ts_status faulty_program(ts_frame *f)
{
    const ts_value given = f->args[0];
    ts_tensor *packed;
    ts_status st;

    if (ts_is_contiguous(given.tensor) || given.tensor->numel == 0)
        return original(f);
    TS_TRY(ts_contiguous(given.tensor, NULL, &packed));
    f->args[0].tensor = packed;
    st = original(f);
    f->args[0] = given;
    ts_release(packed);
    return st;
}

ZOO_KIND("wrong layout");
ZOO_RUNTIME_MEMBER("dropout draws in the order of the dims", "dropout/S2",
                   (original = zoo_op("nn_dropout")->program,
                    zoo_op("nn_dropout")->program = faulty_program))

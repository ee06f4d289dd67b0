/* SPDX-License-Identifier: Apache-2.0 */
/* A linear layer that takes every weight for a matrix: of a weight of one dim the single
 * output feature keeps a dim of its own. */
#include "touchstone/ops.h"
#include "zoo/zoo.h"

static ts_status (*original)(ts_frame *f);

static ts_status faulty_program(ts_frame *f)
{
    ts_tensor *product;
    ts_status st;

    TS_TRY(original(f));
    if (f->args[1].tensor->ndim != 1)
        return TS_OK;
    product = f->results[0];
    f->results[0] = NULL;
    st = ts_unsqueeze(product, -1, &f->results[0]);
    ts_release(product);
    return st;
}

ZOO_KIND("wrong layout");
ZOO_RUNTIME_MEMBER("linear gives a weight of one dim an output dim", "linear/S2",
                   (original = zoo_op("linear")->program,
                    zoo_op("linear")->program = faulty_program))

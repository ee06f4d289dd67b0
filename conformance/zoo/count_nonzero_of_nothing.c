/* SPDX-License-Identifier: Apache-2.0 */
/* Where there are no elements no thread runs, and nobody writes the 0. */
#include "zoo/zoo.h"

static ts_status faulty_count_nonzero(const ts_kernel_call *call)
{
    return call->args[0].tensor->numel > 0 ? zoo_original("count_nonzero")(call) : TS_OK;
}

ZOO_KIND("unwritten");
ZOO_MEMBER("count_nonzero of no elements writes nothing", "any/S4",
           {"count_nonzero", faulty_count_nonzero})

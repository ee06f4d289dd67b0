/* SPDX-License-Identifier: Apache-2.0 */
/* index_add that forgets its alpha. */
#include "zoo/zoo.h"

static ts_status faulty_index_add(const ts_kernel_call *call)
{
    return zoo_call_value(zoo_original("index_add"), call, 4,
                          (ts_value){.kind = TS_ARG_SCALAR, .scalar = ts_int(1)});
}

ZOO_KIND("argument ignored");
ZOO_MEMBER("index_add takes alpha for 1", "index_select/S6",
           {"index_add", faulty_index_add})

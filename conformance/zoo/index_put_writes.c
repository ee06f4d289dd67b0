/* SPDX-License-Identifier: Apache-2.0 */
/* index_put that writes its values where it is to add them. */
#include <string.h>

#include "zoo/zoo.h"

static ts_status faulty_index_put(const ts_kernel_call *call)
{
    ts_value args[4];
    ts_kernel_call writing = *call;

    memcpy(args, call->args, sizeof args);
    args[3].b = false;
    writing.args = args;
    return zoo_original("index_put")(&writing);
}

ZOO_KIND("argument ignored");
ZOO_MEMBER("index_put writes what it is to add", "index/S10",
           {"index_put", faulty_index_put})

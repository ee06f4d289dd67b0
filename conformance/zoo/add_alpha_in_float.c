/* SPDX-License-Identifier: Apache-2.0 */
/* A factor that passes through float32 on its way into the kernel. */
#include "zoo/zoo.h"

static ts_status faulty_add(const ts_kernel_call *call)
{
    const ts_value *alpha = &call->args[2];

    if (alpha->kind != TS_ARG_SCALAR || alpha->scalar.kind != TS_SCALAR_FLOAT)
        return zoo_original("add")(call);
    return zoo_call_value(zoo_original("add"), call, 2,
                          (ts_value){.kind = TS_ARG_SCALAR,
                                     .scalar = {.kind = TS_SCALAR_FLOAT,
                                                .f = (double)(float)alpha->scalar.f}});
}

ZOO_KIND("wrong conversion");
ZOO_MEMBER("add rounds its alpha to float32", "add/S1", {"add", faulty_add})

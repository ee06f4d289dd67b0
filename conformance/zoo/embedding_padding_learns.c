/* SPDX-License-Identifier: Apache-2.0 */
/* An embedding whose padding row gets a gradient like any other. */
#include "zoo/zoo.h"

static ts_status faulty_embedding_backward(const ts_kernel_call *call)
{
    return zoo_call_value(zoo_original("embedding_dense_backward"), call, 3,
                          (ts_value){.kind = TS_ARG_INT, .i = -1});
}

ZOO_NEW_KIND("argument ignored", "an argument has no effect, or another one's");
ZOO_MEMBER("embedding's padding row gets a gradient", "embedding/G2",
           {"embedding_dense_backward", faulty_embedding_backward})

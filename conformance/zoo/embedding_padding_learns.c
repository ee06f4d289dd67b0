/* SPDX-License-Identifier: Apache-2.0 */
/* An embedding whose padding row gets a gradient like any other. */
#include "zoo/zoo.h"

static ts_status faulty_embedding_backward(ts_frame *f)
{
    const int64_t padding = f->args[3].i;
    ts_status s;

    f->args[3].i = -1;
    s = zoo_original("embedding_dense_backward")(f);
    f->args[3].i = padding;
    return s;
}

ZOO_NEW_KIND("argument ignored", "an argument has no effect, or another one's");
ZOO_MEMBER("embedding's padding row gets a gradient", "embedding/G2",
           {"embedding_dense_backward", faulty_embedding_backward})

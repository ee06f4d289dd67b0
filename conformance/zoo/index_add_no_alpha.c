/* SPDX-License-Identifier: Apache-2.0 */
/* index_add that forgets its alpha. */
#include "zoo/zoo.h"

static ts_status faulty_index_add(ts_frame *f)
{
    const ts_scalar alpha = f->args[4].scalar;
    ts_status s;

    f->args[4].scalar = ts_int(1);
    s = zoo_original("index_add")(f);
    f->args[4].scalar = alpha;
    return s;
}

ZOO_KIND("argument ignored");
ZOO_MEMBER("index_add takes alpha for 1", "index_select/S6",
           {"index_add", faulty_index_add})

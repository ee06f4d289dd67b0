/* SPDX-License-Identifier: Apache-2.0 */
/* A cached copy program with offset 0 baked in: every slice is copied from the storage's
 * start. */
#include "zoo/zoo.h"

static ts_status faulty_clone(const ts_kernel_call *call)
{
    ts_tensor start = *call->args[0].tensor;

    start.data = zoo_at(&start, -start.offset);
    return zoo_call_with(zoo_original("clone"), call, 0, &start);
}

ZOO_NEW_KIND("offset ignored", "a view is read from the start of its storage");
ZOO_MEMBER("clone ignores the storage offset of its input", "clone/S1",
           {"clone", faulty_clone})

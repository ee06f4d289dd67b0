/* SPDX-License-Identifier: Apache-2.0 */
/* A binding that gives back what it was only lent: the caller's tensor has one holder less
 * than it counts on. */
#include "zoo/zoo.h"

static ts_status faulty_add(const ts_kernel_call *call)
{
    ts_tensor *x = ts_call_tensor(call, 0);

    TS_TRY(zoo_original("add")(call));
    if (call->form == TS_FUNCTIONAL)
        ts_release(x);
    return TS_OK;
}

ZOO_NEW_KIND("argument released", "a call gives up a reference that it was never given");
ZOO_MEMBER("add releases its first argument", "add/S1", {"add", faulty_add})

/* SPDX-License-Identifier: Apache-2.0 */
/* softmax that asks for the dtype before it asks whether there is anything to do. */
#include "zoo/zoo.h"

static ts_status (*original)(ts_frame *f);

static ts_status faulty_softmax(ts_frame *f)
{
    const ts_dtype dtype = f->args[0].tensor->dtype;

    if (!ts_dtype_is_floating(dtype))
        return ts_fail(TS_ERR_NOT_IMPLEMENTED, "softmax/C2",
                       "softmax: not implemented for %s", ts_dtype_name(dtype));
    return original(f);
}

ZOO_KIND("needless refusal");
ZOO_RUNTIME_MEMBER("softmax refuses integers also where there is no element",
                   "softmax/C2 softmax/S7",
                   (original = zoo_op("_softmax")->api,
                    zoo_op("_softmax")->api = faulty_softmax))

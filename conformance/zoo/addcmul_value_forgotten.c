/* SPDX-License-Identifier: Apache-2.0 */
/* A fast way for packed float32 that was written when nobody passed a value. */
#include "zoo/zoo.h"

static ts_status faulty_addcmul(const ts_kernel_call *call)
{
    const ts_tensor *t[] = {call->results[0], call->args[0].tensor, call->args[1].tensor,
                            call->args[2].tensor};

    for (int k = 0; k < 4; k++)
        if (t[k]->dtype != TS_FLOAT32 || t[k]->numel != t[0]->numel ||
            !ts_is_contiguous(t[k]))
            return zoo_original("addcmul")(call);
    for (int64_t i = 0; i < t[0]->numel; i++) {
        const double x = ts_load_f64(TS_FLOAT32, zoo_at(t[1], i)),
                     y = ts_load_f64(TS_FLOAT32, zoo_at(t[2], i)),
                     z = ts_load_f64(TS_FLOAT32, zoo_at(t[3], i));

        ts_store_f64(TS_FLOAT32, zoo_at(t[0], i), x + y * z);
    }
    return TS_OK;
}

ZOO_KIND("argument ignored");
ZOO_MEMBER("addcmul of packed float32 forgets value", "addcmul/S1",
           {"addcmul", faulty_addcmul})

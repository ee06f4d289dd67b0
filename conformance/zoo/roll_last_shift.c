/* SPDX-License-Identifier: Apache-2.0 */
/* roll that keeps one shift a dim: of a dim named twice the last shift counts alone. */
#include "zoo/zoo.h"

static ts_status faulty_roll(const ts_kernel_call *call)
{
    const ts_value *shifts = &call->args[1], *dims = &call->args[2];
    int64_t by[TS_MAX_DIMS];
    ts_value kept = *shifts;

    if (dims->ints.n != shifts->ints.n || dims->ints.n > TS_MAX_DIMS)
        return zoo_original("roll")(call);
    for (int64_t k = 0; k < dims->ints.n; k++) {
        by[k] = shifts->ints.v[k];
        for (int64_t j = k + 1; j < dims->ints.n; j++)
            if (dims->ints.v[j] == dims->ints.v[k])
                by[k] = 0;
    }
    kept.ints.v = by;
    return zoo_call_value(zoo_original("roll"), call, 1, kept);
}

ZOO_KIND("argument ignored");
ZOO_MEMBER("roll forgets all but the last shift of a dim", "flip/S3",
           {"roll", faulty_roll})

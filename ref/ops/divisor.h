/* SPDX-License-Identifier: Apache-2.0 */
/* What integer divisions have to know of their divisor (div/C3, remainder/C3). */
#ifndef TSK_DIVISOR_H
#define TSK_DIVISOR_H

#include "touchstone/element.h"
#include "touchstone/lines.h"

/* Whether an element is zero in `dtype`, as a number may be that wrapped. */
static inline bool tsk_has_zero(ts_dtype dtype, const ts_tensor *t)
{
    ts_lines it;

    for (ts_lines_pointwise(&it, t, 1, (ts_tensor *[]){(ts_tensor *)t});
         ts_lines_next(&it);)
        for (int64_t i = 0; i < it.n; i++)
            if (tse_get_i64_as(dtype, t, it.at[0] + i * it.step[0]) == 0)
                return true;
    return false;
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The one loop under clone, copy_, to and fill_:
 * element by element, each cast on its own (T-11). */
#ifndef TSK_COPYING_H
#define TSK_COPYING_H

#include "touchstone/backend.h"

/* dst[i] = src[i], src broadcast to dst's shape. */
static inline void tsk_copy_elements(ts_tensor *dst, ts_tensor *src)
{
    ts_lines it;

    for (ts_lines_pointwise(&it, dst, 2, (ts_tensor *[]){dst, src}); ts_lines_next(&it);)
        for (int64_t i = 0; i < it.n; i++)
            tse_convert(src->dtype, tse_at(src, it.at[1] + i * it.step[1]), dst->dtype,
                        tse_at(dst, it.at[0] + i * it.step[0]));
}

#endif

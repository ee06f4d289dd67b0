/* SPDX-License-Identifier: Apache-2.0 */
/* The one loop under clone, copy_, to and fill_:
 * element by element, each cast on its own (T-11). */
#ifndef TSK_COPYING_H
#define TSK_COPYING_H

#include "core/core.h"

/* dst[i] = src[i], src broadcast to dst's shape. */
static inline void tsk_copy_elements(ts_tensor *dst, ts_tensor *src)
{
    tsi_iter it;

    for (tsi_iter_pointwise(&it, dst, 2, (ts_tensor *[]){dst, src}); tsi_iter_next(&it);)
        for (int64_t i = 0; i < it.n; i++)
            ts_cast(src->dtype, tsi_at(src, it.at[1] + i * it.step[1]), dst->dtype,
                    tsi_at(dst, it.at[0] + i * it.step[0]));
}

#endif

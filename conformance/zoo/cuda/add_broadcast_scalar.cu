/* SPDX-License-Identifier: Apache-2.0 */
/* Whatever is broadcast in some dim is taken for a single number. */
#include "core/kernel.cuh"

template <int N> static tsc_place<N> scalar_place(const tsc_walk &w, int64_t i)
{
    tsc_place<N> p = tsc_place_of<N>(w, i);

    for (int o = 0; o < N; o++)
        for (int d = 0; d < w.ndim; d++)
            if (w.strides[o][d] == 0)
                p.at[o] = 0;
    return p;
}

#define tsc_place_of scalar_place
#include "member.h"
#include "ops/add.cu"

ZOO_KIND("wrong broadcast");
ZOO_MEMBER("add takes an operand that is broadcast in one dim for a single number",
           "add/S1");

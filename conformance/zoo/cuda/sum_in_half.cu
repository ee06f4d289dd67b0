/* SPDX-License-Identifier: Apache-2.0 */
/* A sum that is rounded to its dtype after every element: half types stop growing. */
#include "core/kernel.cuh"
#include "member.h"

template <typename T>
__global__ void narrow_sum(tsc_walk kept, tsc_walk reduced, tsc_operand y, tsc_operand x)
{
    for (int64_t r = tsc_first(); r < kept.numel; r += tsc_step()) {
        const tsc_place<2> p = tsc_place_of<2>(kept, r);
        T sum = tsc_store<T>(0);

        for (int64_t i = 0; i < reduced.numel; i++)
            sum = tsc_store<T>(
                tsc_load(sum) +
                tsc_load_as<T>(x, p.at[1] + tsc_place_of<1>(reduced, i).at[0]));
        tsc_store_as<T>(y, p.at[0], tsc_load(sum));
    }
}

TSC_KERNELS_COMMON(tsc_sum_short, narrow_sum);
TSC_KERNELS_COMMON(tsc_sum_long, narrow_sum);

ZOO_KIND("half accumulator");
ZOO_MEMBER("sum rounds to its dtype after every element", "sum/S5");

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a member with faulty kernels declares, at the end of its .cu. The file's name begins
 * with the basename in cuda/ops that it replaces.
 */
#ifndef TOUCHSTONE_ZOO_CUDA_MEMBER_H
#define TOUCHSTONE_ZOO_CUDA_MEMBER_H

#include "touchstone/status.h"

extern "C" {
TS_API extern const char ts_zoo_kind[], ts_zoo_fault[], ts_zoo_breaks[];
}

#define ZOO_KIND(KIND) const char ts_zoo_kind[] = KIND
#define ZOO_NEW_KIND(KIND, MEANING) ZOO_KIND(KIND)
#define ZOO_MEMBER(FAULT, BREAKS) \
    const char ts_zoo_fault[] = FAULT, ts_zoo_breaks[] = BREAKS

#endif

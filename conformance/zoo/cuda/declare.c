/* SPDX-License-Identifier: Apache-2.0 */
/* What a member with faulty kernels declares; its strings come from meson.build. */
#include "touchstone/status.h"

TS_API extern const char ts_zoo_fault[], ts_zoo_breaks[], ts_zoo_base[], ts_zoo_device[],
    ts_zoo_kind[];

const char ts_zoo_fault[] = ZOO_FAULT, ts_zoo_breaks[] = ZOO_BREAKS;
const char ts_zoo_base[] = "cuda-sim", ts_zoo_device[] = "accel",
           ts_zoo_kind[] = ZOO_KIND;

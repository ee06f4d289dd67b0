/* SPDX-License-Identifier: Apache-2.0 */
/* What all members with faulty kernels have in common; the rest stands in their .cu. */
#include "touchstone/status.h"

TS_API extern const char ts_zoo_base[], ts_zoo_device[];

const char ts_zoo_base[] = "cuda-sim", ts_zoo_device[] = "accel";

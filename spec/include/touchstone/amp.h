/* SPDX-License-Identifier: Apache-2.0 */
/* Automatic mixed precision (E-08). See spec/areas/amp.md. */
#ifndef TOUCHSTONE_AMP_H
#define TOUCHSTONE_AMP_H

#include "touchstone/op.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a region changes, to put back. */
typedef struct ts_autocast {
    ts_device_type device;
    ts_dtype dtype;
    bool enabled, cache_enabled;
} ts_autocast;

/* The dtype of a region that names none: bfloat16 on cpu, float16 on accel. */
TS_API ts_dtype ts_autocast_default_dtype(ts_device_type device);

/*
 * Begin a region in this thread: ops on tensors of `region->device` run in the dtypes of
 * its lists. *before is what ts_autocast_end needs; regions nest. Only cpu and accel.
 */
TS_API ts_status ts_autocast_begin(const ts_autocast *region, ts_autocast *before);
TS_API void ts_autocast_end(const ts_autocast *before);

/* This thread's settings for `device`. */
TS_API ts_autocast ts_autocast_now(ts_device_type device);

#ifdef __cplusplus
}
#endif
#endif

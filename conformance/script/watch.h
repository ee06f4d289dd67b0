/* SPDX-License-Identifier: Apache-2.0 */
/* Watching what an op may only read (results/S7). */
#ifndef TSI_WATCH_H
#define TSI_WATCH_H

#include <stdbool.h>

#include "script.h"
#include "touchstone/op.h"

/* ts_call, and the judge is told of arguments that it wrote to. */
ts_status tsi_call_watched(tsi_interp *in, ts_frame *f);
/* Whether this thread is inside of such a call. */
bool tsi_call_is_watched(void);

#endif

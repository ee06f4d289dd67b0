/* SPDX-License-Identifier: Apache-2.0 */
/* cumsum; spec/ops/cumsum.md. */
#include "touchstone/backend.h"
#include "touchstone/fold.h"
#include "touchstone/ops/cumsum_glue.h"

TS_SCAN(tsk_cumsum, ts_fold_add, ts_fold_add_whole)

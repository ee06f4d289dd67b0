/* SPDX-License-Identifier: Apache-2.0 */
/* What gradients of scans and products share. */
#ifndef TSI_GRAD_SCAN_H
#define TSI_GRAD_SCAN_H

#include "core/expr.h"
#include "grad/vjp.h"

/* n - 1 to 0, on the device of `like`: what index_select turns a dim round by. */
ts_tensor *tsi_from_the_end(tsi_expr *e, const ts_tensor *like, int64_t n);

/* g along dim the other way round. */
ts_tensor *tsi_turned(tsi_expr *e, ts_tensor *g, int64_t dim);

/* The running sums of g from the end of dim. */
ts_tensor *tsi_sums_from_the_end(tsi_expr *e, ts_tensor *g, int64_t dim);

/* Whether an element of t is zero. Where that cannot be asked, on meta and below a
 * transform, one may be. */
ts_status tsi_may_hold_zero(ts_tensor *t, bool *out);

#endif

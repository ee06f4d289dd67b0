/* SPDX-License-Identifier: Apache-2.0 */
/* bincount/G1. */
#include "grad/vjp.h"

ts_status tsi_vjp_bincount(tsi_vjp *v)
{
    return ts_fail(TS_ERR_RUNTIME, "bincount/G1", "%s: the derivative is not implemented",
                   v->op->name);
}

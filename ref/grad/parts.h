/* SPDX-License-Identifier: Apache-2.0 */
/* The gradient of what was taken apart along a dim: its parts' gradients put together. */
#ifndef TSI_GRAD_PARTS_H
#define TSI_GRAD_PARTS_H

#include "grad/vjp.h"

/* v->out[0] from the gradients of all results, zeros where one got none. `stacked`: the
 * parts have lost the dim. */
ts_status tsi_parts_joined(tsi_vjp *v, int64_t dim, bool stacked);

#endif

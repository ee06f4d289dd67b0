/* SPDX-License-Identifier: Apache-2.0 */
/* Keep an argument longer than its call (a node of the graph, work on a stream). Tensors
 * are the keeper's own matter. */
#ifndef TSI_VALUE_H
#define TSI_VALUE_H

#include "core/core.h"

/* Bytes that tsi_value_keep takes for v's numbers or string, a multiple of 16. */
size_t tsi_value_room(const ts_value *v);
/* Copy them to *at, which moves on, and let v point there. */
void tsi_value_keep(ts_value *v, char **at);

#endif

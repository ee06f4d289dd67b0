/* SPDX-License-Identifier: Apache-2.0 */
/* Backends that are always wrong, to find out which cases notice. */
#ifndef TSI_CORRUPT_H
#define TSI_CORRUPT_H

#include "touchstone/communicator.h"
#include "touchstone/door.h"

/* Put a kernel in place of each of b's that gives other results, and no error of its own;
 * and a communicator that carries other values. */
void tsi_corrupt(ts_backend *b);
const ts_communicator *tsi_corrupt_communicator(void);

#endif

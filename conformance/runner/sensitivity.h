/* SPDX-License-Identifier: Apache-2.0 */
/* Cases that no kernel decides. */
#ifndef TSI_SENSITIVITY_H
#define TSI_SENSITIVITY_H

#include "runner/judge.h"

/* decided[i]: whether case i of the selection fails, or ends otherwise, on a reference so
 * corrupted. False: a set-up error, complained. */
bool tsi_measure_sensitivity(const tsi_options *o, const tsi_corpus *corpus,
                             const int *selected, int count, bool *decided);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* What the terms of layer norm and its derivative amount to: their errors are counted in those. */
#ifndef TSI_QUALITY_NORM_H
#define TSI_QUALITY_NORM_H

#include "touchstone/op.h"

/*
 * Puts in place of each result of native_layer_norm, or with `derivative` of
 * native_layer_norm_backward, the sum of its terms' magnitudes, element by element. All is
 * float64, and the results are those of the arguments. Where a row is all but constant its
 * normalised elements are next to nothing, and what is left of its mean's rounding is not:
 * an error counted in the element's own ulps would say nothing there.
 */
void tsi_quality_norm(const ts_value *args, ts_tensor *const *results, bool derivative);

#endif

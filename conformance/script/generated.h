/* SPDX-License-Identifier: Apache-2.0 */
/* Generated elements, kept from one run of a case to the next: each has many. */
#ifndef TSI_GENERATED_H
#define TSI_GENERATED_H

#include "interp.h"

/* What is kept, ready for this case: `kept` or new; NULL where there is no memory, which is
 * no mistake. */
tsi_generated *tsi_generated_for(tsi_generated *kept, const tsi_case *c);
void tsi_generated_free(tsi_generated *kept);

/* tsi_generate, or a copy of what it gave before. */
ts_status tsi_generate_again(tsi_generated *kept, tsi_generator g,
                             const tsi_generate_args *a, ts_dtype dtype, int64_t n,
                             void *out);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* A Python number as kernels take it: both readings of it. */
#ifndef TSC_NUMBER_H
#define TSC_NUMBER_H

#include <stdint.h>

typedef struct tsc_number {
    double f;
    int64_t i;
} tsc_number;

#endif

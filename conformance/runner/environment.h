/* SPDX-License-Identifier: Apache-2.0 */
/* How this thread computes: rounding, subnormals, traps. A backend shares it with the
 * judge's own arithmetic, so that what it changes has to be seen and put right. */
#ifndef TSI_ENVIRONMENT_H
#define TSI_ENVIRONMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct tsi_environment {
    uint64_t control; /* of the vector unit: MXCSR, FPCR; elsewhere the rounding mode */
    uint32_t x87;
} tsi_environment;

tsi_environment tsi_environment_now(void);
/* Whether it is no longer `home`; then it is `home` again, and `what` says what was
 * changed, bit by bit. */
bool tsi_environment_restore(const tsi_environment *home, char *what, size_t size);
/* The same of what costs more to look at: x87 registers left in use by MMX code. */
bool tsi_environment_empty(char *what, size_t size);

#endif

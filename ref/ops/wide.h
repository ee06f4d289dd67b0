/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of many doubles whose roundings are added up apart (Neumaier): one unit of error
 * whatever their number, so that float64 results too are wider than their bounds. */
#ifndef TSK_WIDE_H
#define TSK_WIDE_H

#include <math.h>

typedef struct tsk_wide {
    double sum, rest;
} tsk_wide;

static inline void tsk_wide_add(tsk_wide *w, double v)
{
    const double t = w->sum + v;

    w->rest += fabs(w->sum) >= fabs(v) ? w->sum - t + v : v - t + w->sum;
    w->sum = t;
}

static inline double tsk_wide_get(const tsk_wide *w)
{
    return isfinite(w->sum) ? w->sum + w->rest : w->sum;
}

#endif

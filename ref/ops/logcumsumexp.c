/* SPDX-License-Identifier: Apache-2.0 */
/* logcumsumexp; spec/ops/logcumsumexp.md. */
#include <math.h>

#include "touchstone/backend.h"
#include "touchstone/fold.h"
#include "touchstone/ops/logcumsumexp_glue.h"

/* S2 */
static inline void add_exp(ts_fold *s, double x, int64_t i)
{
    const double a = s->real;
    const double larger = isnan(x) || x > a ? x : a, less = isnan(x) || x > a ? a : x;

    (void)i;
    if (isnan(a) || isnan(x))
        s->real = NAN;
    else
        s->real = isinf(larger) ? larger : larger + log1p(exp(less - larger));
}

ts_status tsk_logcumsumexp(const ts_kernel_call *call)
{
    const ts_fold nothing = {-INFINITY, 0, 0, 0};

    return ts_fold_scan(call, &nothing, add_exp, NULL);
}

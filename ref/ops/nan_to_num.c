/* SPDX-License-Identifier: Apache-2.0 */
/* nan_to_num; spec/ops/nan_to_num.md. */
#include <math.h>

#include "touchstone/backend.h"
#include "touchstone/map.h"
#include "touchstone/ops/nan_to_num_glue.h"

typedef struct numbers {
    double nan, posinf, neginf;
} numbers;

static double put_right(double x, const numbers *n)
{
    return isnan(x) ? n->nan : !isinf(x) ? x : x > 0 ? n->posinf : n->neginf;
}

TS_MAP_ELEMENT(nan_to_num, put_right(x, with), x)

static double given(const ts_kernel_call *call, int arg, double otherwise)
{
    return call->args[arg].kind == TS_ARG_NONE ? otherwise : call->args[arg].f;
}

ts_status tsk_nan_to_num(const ts_kernel_call *call)
{
    const double most = ts_dtype_get(call->compute)->max;
    const numbers n = {given(call, TS_NAN_TO_NUM_NAN, 0), /* S2 */
                       given(call, TS_NAN_TO_NUM_POSINF, most),
                       given(call, TS_NAN_TO_NUM_NEGINF, -most)};

    return ts_map_unary(call, ts_call_tensor(call, 0), nan_to_num_real, nan_to_num_whole,
                        &n);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients of median, kthvalue and mode; spec/ops/median.md. */
#include "grad/reduce.h"
#include "touchstone/ops/median_glue.h"

ts_status tsi_vjp_median(tsi_vjp *v) /* G2 */
{
    return tsi_share_among_equals(v);
}

ts_status tsi_vjp_median_dim(tsi_vjp *v) /* G1 */
{
    return tsi_to_where_they_stood(v, v->args[TS_MEDIAN_DIM_DIM].i,
                                   v->args[TS_MEDIAN_DIM_KEEPDIM].b, v->results[1]);
}

ts_status tsi_vjp_kthvalue(tsi_vjp *v)
{
    return tsi_to_where_they_stood(v, v->args[TS_KTHVALUE_DIM].i,
                                   v->args[TS_KTHVALUE_KEEPDIM].b, v->results[1]);
}

ts_status tsi_vjp_mode(tsi_vjp *v)
{
    return tsi_to_where_they_stood(v, v->args[TS_MODE_DIM].i, v->args[TS_MODE_KEEPDIM].b,
                                   v->results[1]);
}

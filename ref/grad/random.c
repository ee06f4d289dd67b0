/* SPDX-License-Identifier: Apache-2.0 */
/* random/G1: nothing flows into what was drawn, neither from self nor from p. */
#include "touchstone/ops/random_glue.h"

#include "grad/vjp.h"

static ts_status zeros(tsi_vjp *v, int arg)
{
    const tsi_kept_meta *m = &v->arg_meta[arg];

    return v->needs[arg]
               ? ts_new_zeros(v->grads[0], m->sizes, m->ndim, NULL, &v->out[arg])
               : TS_OK;
}

ts_status tsi_vjp_uniform(tsi_vjp *v)
{
    return zeros(v, TS_UNIFORM_SELF);
}

ts_status tsi_vjp_normal(tsi_vjp *v)
{
    return zeros(v, TS_NORMAL_SELF);
}

ts_status tsi_vjp_random(tsi_vjp *v)
{
    return zeros(v, TS_RANDOM_SELF);
}

ts_status tsi_vjp_exponential(tsi_vjp *v)
{
    return zeros(v, TS_EXPONENTIAL_SELF);
}

ts_status tsi_vjp_bernoulli_p(tsi_vjp *v)
{
    return zeros(v, TS_BERNOULLI_P_SELF);
}

ts_status tsi_vjp_bernoulli_tensor(tsi_vjp *v)
{
    TS_TRY(zeros(v, TS_BERNOULLI_TENSOR_SELF));
    return zeros(v, TS_BERNOULLI_TENSOR_P);
}

ts_status tsi_vjp_bernoulli(tsi_vjp *v)
{
    return zeros(v, TS_BERNOULLI_SELF);
}

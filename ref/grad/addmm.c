/* SPDX-License-Identifier: Apache-2.0 */
/* addmm/G1 to addmm/G3. The factors' gradients are the product's, times alpha. */
#include "grad/product.h"
#include "touchstone/ops/addmm_glue.h"
#include "touchstone/ops/dot_expr.h"
#include "touchstone/ops/expand_expr.h"

enum { SELF, LEFT, RIGHT, BETA, ALPHA };

/* out[arg] = alpha * t */
static ts_status give(tsi_vjp *v, tsi_expr *e, ts_tensor *t, int arg)
{
    return tsi_expr_give(e, t ? tsi_times(e, t, v->args[ALPHA].scalar) : NULL,
                         &v->out[arg]);
}

static ts_status give_self(tsi_vjp *v)
{
    tsi_expr e = {0};

    if (!v->needs[SELF])
        return TS_OK;
    return tsi_expr_give(&e, tsi_times(&e, v->grads[0], v->args[BETA].scalar),
                         &v->out[SELF]);
}

ts_status tsi_vjp_addmm(tsi_vjp *v)
{
    ts_tensor *g = v->grads[0];
    tsi_expr left = {0}, right = {0};

    TS_TRY(give_self(v));
    if (v->needs[LEFT])
        TS_TRY(
            give(v, &left,
                 tsi_left_gradient(&left, g, v->args[RIGHT].tensor, &v->arg_meta[LEFT]),
                 LEFT));
    if (v->needs[RIGHT])
        TS_TRY(
            give(v, &right,
                 tsi_right_gradient(&right, g, v->args[LEFT].tensor, &v->arg_meta[RIGHT]),
                 RIGHT));
    return TS_OK;
}

ts_status tsi_vjp_addmv(tsi_vjp *v)
{
    ts_tensor *g = v->grads[0];
    tsi_expr left = {0}, right = {0};

    TS_TRY(give_self(v));
    if (v->needs[LEFT])
        TS_TRY(give(v, &left, tsx_outer(&left, g, v->args[RIGHT].tensor), LEFT));
    if (v->needs[RIGHT])
        TS_TRY(give(v, &right,
                    tsx_mv(&right, tsi_turned(&right, v->args[LEFT].tensor), g), RIGHT));
    return TS_OK;
}

static ts_status stacks(tsi_vjp *v, ts_tensor *g)
{
    tsi_expr left = {0}, right = {0};

    if (v->needs[LEFT])
        TS_TRY(give(v, &left, tsx_bmm(&left, g, tsi_turned(&left, v->args[RIGHT].tensor)),
                    LEFT));
    if (v->needs[RIGHT])
        TS_TRY(give(v, &right,
                    tsx_bmm(&right, tsi_turned(&right, v->args[LEFT].tensor), g), RIGHT));
    return TS_OK;
}

ts_status tsi_vjp_baddbmm(tsi_vjp *v)
{
    TS_TRY(give_self(v));
    return stacks(v, v->grads[0]);
}

/* Every batch has the one gradient. */
ts_status tsi_vjp_addbmm(tsi_vjp *v)
{
    const tsi_kept_meta *a = &v->arg_meta[LEFT], *b = &v->arg_meta[RIGHT];
    tsi_expr e = {0};
    ts_tensor *g = NULL;
    ts_status st;

    TS_TRY(give_self(v));
    TS_TRY(tsi_expr_give(&e,
                         tsx_expand(&e, v->grads[0],
                                    (int64_t[]){a->sizes[0], a->sizes[1], b->sizes[2]}, 3,
                                    NULL),
                         &g));
    st = stacks(v, g);
    ts_release(g);
    return st;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* var, std, var_mean, std_mean: what they accept and what comes back; spec/ops/var.md. */
#include "core/core.h"
#include "family/reduce.h"
#include "touchstone/ops/var_glue.h"

enum { SELF, DIM, CORRECTION, KEEPDIM };

static ts_status spread(ts_frame *f, int results)
{
    const ts_tensor *x = tsi_tensor(f, SELF);
    const uint64_t mask = ts_reduce_mask(&f->args[DIM], x->ndim);

    TS_CHECK(ts_dtype_is_floating(x->dtype), TS_ERR_NOT_IMPLEMENTED, "var/C3",
             "%s: takes floating tensors, not %s", f->op->name, ts_dtype_name(x->dtype));
    TS_TRY(tsi_reduce_check(f, &f->args[DIM], x->ndim, "var/C1", "var/C2"));
    TS_TRY(tsi_check_dtype(f, x->dtype, "var/C4"));
    TS_CHECK(f->form != TS_OUT || ts_can_cast(x->dtype, f->out[0]->dtype), TS_ERR_RUNTIME,
             "promotion/C1", "%s: result type %s can't be cast to out's %s", f->op->name,
             ts_dtype_name(x->dtype), ts_dtype_name(f->out[0]->dtype));
    for (int r = 0; r < results; r++)
        TS_TRY(tsi_reduce_result_at(f, r, x, mask, f->args[KEEPDIM].b,
                                    f->form == TS_OUT ? f->out[0]->dtype : x->dtype));
    f->compute = x->dtype;
    return TS_OK;
}

ts_status tsi_api_var(ts_frame *f)
{
    return spread(f, 1);
}

ts_status tsi_api_std(ts_frame *f)
{
    return spread(f, 1);
}

ts_status tsi_api_var_mean(ts_frame *f)
{
    return spread(f, 2);
}

ts_status tsi_api_std_mean(ts_frame *f)
{
    return spread(f, 2);
}

/* --- said by unbiased (S3) ---------------------------------------------------------- */

/* The call of the op proper: dims, the correction, keepdim. */
typedef struct said {
    const int64_t *dim;
    int64_t ndim;
    ts_scalar correction;
    bool keepdim;
} said;

static said with_dim(const ts_frame *f)
{
    static const int64_t none[1];
    const ts_value *dim = &f->args[1];
    const bool given = dim->kind == TS_ARG_INTS;

    return (said){.dim = !given            ? NULL
                         : dim->ints.n > 0 ? dim->ints.v
                                           : none,
                  .ndim = given ? dim->ints.n : 0,
                  .correction = ts_int(f->args[2].b),
                  .keepdim = f->args[3].b};
}

static said alone(const ts_frame *f)
{
    return (said){.correction = ts_int(f->args[1].b)};
}

static ts_status var(ts_frame *f, const said *s)
{
    ts_var_opts o = {s->dim, s->ndim, &s->correction, s->keepdim};

    return ts_var(tsi_tensor(f, SELF), &o, &f->results[0]);
}

static ts_status std(ts_frame *f, const said *s)
{
    ts_std_opts o = {s->dim, s->ndim, &s->correction, s->keepdim};

    return ts_std(tsi_tensor(f, SELF), &o, &f->results[0]);
}

static ts_status var_mean(ts_frame *f, const said *s)
{
    ts_var_mean_opts o = {s->dim, s->ndim, &s->correction, s->keepdim};

    return ts_var_mean(tsi_tensor(f, SELF), &o, &f->results[0], &f->results[1]);
}

static ts_status std_mean(ts_frame *f, const said *s)
{
    ts_std_mean_opts o = {s->dim, s->ndim, &s->correction, s->keepdim};

    return ts_std_mean(tsi_tensor(f, SELF), &o, &f->results[0], &f->results[1]);
}

ts_status tsi_program_var_dim(ts_frame *f)
{
    const said s = with_dim(f);

    return var(f, &s);
}

ts_status tsi_program_var_unbiased(ts_frame *f)
{
    const said s = alone(f);

    return var(f, &s);
}

ts_status tsi_program_std_dim(ts_frame *f)
{
    const said s = with_dim(f);

    return std(f, &s);
}

ts_status tsi_program_std_unbiased(ts_frame *f)
{
    const said s = alone(f);

    return std(f, &s);
}

ts_status tsi_program_var_mean_dim(ts_frame *f)
{
    const said s = with_dim(f);

    return var_mean(f, &s);
}

ts_status tsi_program_var_mean_unbiased(ts_frame *f)
{
    const said s = alone(f);

    return var_mean(f, &s);
}

ts_status tsi_program_std_mean_dim(ts_frame *f)
{
    const said s = with_dim(f);

    return std_mean(f, &s);
}

ts_status tsi_program_std_mean_unbiased(ts_frame *f)
{
    const said s = alone(f);

    return std_mean(f, &s);
}

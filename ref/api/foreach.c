/* SPDX-License-Identifier: Apache-2.0 */
/* foreach: one call for the tensors of a list, pair by pair; spec/ops/foreach.md. */
#include "touchstone/ops.h"
#include "touchstone/ops/foreach_glue.h"

#include "core/core.h"

static ts_status start(ts_frame *f)
{
    const ts_value *self = &f->args[0], *other = &f->args[1];

    TS_CHECK(self->tensors.n > 0, TS_ERR_RUNTIME, "foreach/C1", "%s: the list is empty",
             f->op->name);
    TS_CHECK(other->kind != TS_ARG_TENSORS || other->tensors.n == self->tensors.n,
             TS_ERR_RUNTIME, "foreach/C2",
             "%s: lists of %" PRId64 " and %" PRId64 " tensors", f->op->name,
             self->tensors.n, other->tensors.n);
    return tsi_results(f, (int)self->tensors.n);
}

/* A program that gives a list writes in place itself: result i is then self[i]. */
static ts_status wrote(ts_frame *f, int i, ts_status s)
{
    if (s == TS_OK)
        f->results[i] = ts_retain(f->args[0].tensors.v[i]);
    return s;
}

ts_status tsi_program__foreach_add(ts_frame *f)
{
    ts_tensor *const *a = f->args[TS__FOREACH_ADD_SELF].tensors.v;
    ts_tensor *const *b = f->args[TS__FOREACH_ADD_OTHER].tensors.v;
    ts_add_opts o = ts_add_defaults();

    o.alpha = f->args[TS__FOREACH_ADD_ALPHA].scalar;
    TS_TRY(start(f));
    for (int i = 0; i < f->nresults; i++)
        TS_TRY(f->form == TS_INPLACE ? wrote(f, i, ts_add_(a[i], b[i], &o))
                                     : ts_add(a[i], b[i], &o, &f->results[i]));
    return TS_OK;
}

ts_status tsi_program__foreach_add_scalar(ts_frame *f)
{
    ts_tensor *const *a = f->args[TS__FOREACH_ADD_SCALAR_SELF].tensors.v;
    const ts_scalar b = f->args[TS__FOREACH_ADD_SCALAR_SCALAR].scalar;

    TS_TRY(start(f));
    for (int i = 0; i < f->nresults; i++)
        TS_TRY(f->form == TS_INPLACE ? wrote(f, i, ts_add_number_(a[i], b, NULL))
                                     : ts_add_number(a[i], b, NULL, &f->results[i]));
    return TS_OK;
}

ts_status tsi_program__foreach_mul(ts_frame *f)
{
    ts_tensor *const *a = f->args[TS__FOREACH_MUL_SELF].tensors.v;
    ts_tensor *const *b = f->args[TS__FOREACH_MUL_OTHER].tensors.v;

    TS_TRY(start(f));
    for (int i = 0; i < f->nresults; i++)
        TS_TRY(f->form == TS_INPLACE ? wrote(f, i, ts_mul_(a[i], b[i]))
                                     : ts_mul(a[i], b[i], &f->results[i]));
    return TS_OK;
}

ts_status tsi_program__foreach_mul_scalar(ts_frame *f)
{
    ts_tensor *const *a = f->args[TS__FOREACH_MUL_SCALAR_SELF].tensors.v;
    const ts_scalar b = f->args[TS__FOREACH_MUL_SCALAR_SCALAR].scalar;

    TS_TRY(start(f));
    for (int i = 0; i < f->nresults; i++)
        TS_TRY(f->form == TS_INPLACE ? wrote(f, i, ts_mul_number_(a[i], b))
                                     : ts_mul_number(a[i], b, &f->results[i]));
    return TS_OK;
}

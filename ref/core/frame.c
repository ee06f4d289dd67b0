/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers and frames. */
#include <stdlib.h>

#include "core/body.h"
#include "core/table.h"
#include "core/thread.h"

ts_scalar ts_int(int64_t v)
{
    return (ts_scalar){.kind = TS_SCALAR_INT, .i = v};
}

ts_scalar ts_float(double v)
{
    return (ts_scalar){.kind = TS_SCALAR_FLOAT, .f = v};
}

ts_scalar ts_bool(bool v)
{
    return (ts_scalar){.kind = TS_SCALAR_BOOL, .i = v};
}

double ts_scalar_f64(ts_scalar s)
{
    return s.kind == TS_SCALAR_FLOAT ? s.f : (double)s.i;
}

ts_status ts_wrapped_number(ts_scalar s, ts_tensor **out)
{
    const ts_dtype dtype = s.kind == TS_SCALAR_FLOAT ? TS_FLOAT64 : tsi_scalar_dtype(s);

    TS_TRY(ts_tensor_new((ts_device){TS_CPU, 0}, dtype, 0, (int64_t[]){0}, out));
    tsi_of(*out)->wrapped_number = true;
    if (s.kind == TS_SCALAR_FLOAT)
        tse_put(*out, 0, s.f);
    else
        tse_put_i64(*out, 0, s.i);
    return TS_OK;
}

ts_status ts_frame_open(ts_frame *f, const ts_op *op, ts_form form)
{
    const size_t n = (size_t)op->nparams, r = op->list_result ? 0 : (size_t)op->nresults;
    tsi_thread *t = tsi_self();
    char *at;

    tsi_arena_mark(t, &f->mark, &f->mark_used);
    at = tsi_arena_take(t, n * sizeof *f->args + r * sizeof *f->meta +
                               2 * r * sizeof *f->results);
    TS_CHECK(at, TS_ERR_OUT_OF_MEMORY, "tensors/C10", "no memory for a call of %s",
             op->name);
    f->args = (ts_value *)(void *)at;
    f->meta = (ts_meta *)(void *)(at + n * sizeof *f->args);
    f->results = (ts_tensor **)(void *)(f->meta + r);
    f->out = f->results + r;
    tsi_frame_begin(f, op, form, op->nparams, (int)r);
    for (int i = 0; i < op->nparams; i++)
        f->args[i] = op->params[i].default_value;
    return TS_OK;
}

void ts_frame_close(ts_frame *f)
{
    free(f->list);
    tsi_arena_back(tsi_self(), f->mark, f->mark_used);
}

ts_status tsi_give_list(ts_frame *f, ts_tensors *out)
{
    const size_t n = (size_t)f->nresults;
    ts_tensor **v = malloc((n + 1) * sizeof *v);

    if (!v) {
        for (size_t i = 0; i < n; i++)
            ts_release(f->results[i]);
        return ts_fail(TS_ERR_OUT_OF_MEMORY, "tensors/C10",
                       "no memory for %zu results of %s", n, f->op->name);
    }
    memcpy(v, f->results, n * sizeof *v);
    *out = (ts_tensors){v, f->nresults};
    return TS_OK;
}

ts_status tsi_results(ts_frame *f, int n)
{
    char *at = malloc((size_t)n * (sizeof *f->meta + sizeof *f->results) + 1);

    TS_CHECK(at, TS_ERR_OUT_OF_MEMORY, "tensors/C10", "no memory for %d results of %s", n,
             f->op->name);
    free(f->list);
    f->list = at;
    f->meta = (ts_meta *)(void *)at;
    f->results = (ts_tensor **)(void *)(f->meta + n);
    f->nresults = n;
    for (int i = 0; i < n; i++)
        f->results[i] = NULL;
    return TS_OK;
}

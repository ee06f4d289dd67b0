/* SPDX-License-Identifier: Apache-2.0 */
/* Derivatives against central differences, in double precision. */
#include "grad/graph.h"
#include "touchstone/device.h"

#include <math.h>
#include <stdlib.h>

#define MOST_INPUTS 64

/* Element offset of the i-th element, row by row. */
static int64_t offset_of(const ts_tensor *t, int64_t i)
{
    int64_t at = 0;

    for (int d = t->ndim - 1; d >= 0; d--) {
        at += i % t->sizes[d] * t->strides[d];
        i /= t->sizes[d];
    }
    return at;
}

/* Through the storage, so that the device does not matter. */
static ts_status get(const ts_tensor *t, int64_t i, double *v)
{
    return ts_storage_read(tsi_of(t)->storage, (t->offset + offset_of(t, i)) * (int64_t)sizeof *v,
                           sizeof *v, v);
}

static ts_status set(const ts_tensor *t, int64_t i, double v)
{
    return ts_storage_write(tsi_of(t)->storage, (t->offset + offset_of(t, i)) * (int64_t)sizeof v,
                            sizeof v, &v);
}

typedef struct check {
    ts_gradcheck_fn fn;
    void *self;
    int ninputs;
    ts_tensor *const *inputs;
    int nchecked; /* inputs that require grad, and their places */
    ts_tensor *checked[MOST_INPUTS];
    int place[MOST_INPUTS];
    double eps, atol, rtol;
    int64_t nout;
    double *plus, *minus; /* outputs, nout each */
    double **analytic;    /* by input: nout rows of its numel */
    double excess, got, want;
    int input;
    int64_t at, out_at;
} check;

/* In the caller's grad mode: the function may take gradients itself. */
static ts_status evaluate(const check *c, double *values)
{
    ts_tensor *y = NULL;
    ts_status st = c->fn(c->self, c->ninputs, c->inputs, &y);

    TS_TRY(st);
    for (int64_t i = 0; st == TS_OK && i < c->nout; i++)
        st = get(y, i, &values[i]);
    ts_release(y);
    return st;
}

/* The row of the Jacobian that belongs to output j; it stays zero where y has no history.
 */
static ts_status analytic_row(const check *c, ts_tensor *y, ts_tensor *one, int64_t j)
{
    ts_tensor *grads[MOST_INPUTS];

    if (!tsi_wants_grad(y))
        return TS_OK;
    TS_TRY(set(one, j, 1));

    ts_status st = ts_grad(1, &y, &one, c->nchecked, (ts_tensor *const *)c->checked, true,
                           false, true, grads);

    for (int k = 0; k < c->nchecked && (st == TS_OK || k > 0); k++) {
        const int64_t n = c->checked[k]->numel;

        for (int64_t i = 0; grads[k] && st == TS_OK && i < n; i++)
            st = get(grads[k], i, &c->analytic[k][j * n + i]);
        ts_release(grads[k]);
    }
    return st == TS_OK ? set(one, j, 0)
                       : st; /* only now: a gradient may be `one` itself */
}

static void note(check *c, int input, int64_t at, int64_t out_at, double want)
{
    const double got = c->analytic[input][out_at * c->checked[input]->numel + at];
    double excess = fabs(got - want) - (c->atol + c->rtol * fabs(want));

    if (isnan(excess))
        excess = INFINITY;
    if (excess <= c->excess)
        return;
    c->excess = excess;
    c->got = got;
    c->want = want;
    c->input = input;
    c->at = at;
    c->out_at = out_at;
}

static ts_status compare(check *c)
{
    for (int k = 0; k < c->nchecked; k++) {
        for (int64_t i = 0; i < c->checked[k]->numel; i++) {
            ts_tensor *x = c->checked[k];
            ts_status st, back;
            double at;

            TS_TRY(get(x, i, &at));
            TS_TRY(set(x, i, at + c->eps));
            st = evaluate(c, c->plus);
            if (st == TS_OK)
                st = set(x, i, at - c->eps);
            if (st == TS_OK)
                st = evaluate(c, c->minus);
            back = set(x, i, at);
            TS_TRY(st);
            TS_TRY(back);
            for (int64_t j = 0; j < c->nout; j++)
                note(c, k, i, j, (c->plus[j] - c->minus[j]) / (2 * c->eps));
        }
    }
    TS_CHECK(c->excess <= 0, TS_ERR_RUNTIME, "autograd/C21",
             "gradcheck: d output[%" PRId64 "] / d input %d[%" PRId64
             "] is %.9g by the derivative, %.9g by central differences",
             c->out_at, c->place[c->input], c->at, c->got, c->want);
    return TS_OK;
}

static ts_status with_memory(check *c, ts_tensor *y)
{
    ts_tensor *one;

    c->plus = calloc((size_t)c->nout + 1, sizeof(double));
    c->minus = calloc((size_t)c->nout + 1, sizeof(double));
    TS_CHECK(c->plus && c->minus, TS_ERR_OUT_OF_MEMORY, "tensors/C10",
             "no memory for gradcheck");
    for (int k = 0; k < c->nchecked; k++) {
        c->analytic[k] =
            calloc((size_t)(c->nout * c->checked[k]->numel) + 1, sizeof(double));
        TS_CHECK(c->analytic[k], TS_ERR_OUT_OF_MEMORY, "tensors/C10",
                 "no memory for gradcheck");
    }
    TS_TRY(ts_tensor_new(y->device, TS_FLOAT64, y->ndim, y->sizes, &one));

    ts_status st = TS_OK;

    for (int64_t j = 0; st == TS_OK && j < c->nout; j++)
        st = set(one, j, 0);
    for (int64_t j = 0; st == TS_OK && j < c->nout; j++)
        st = analytic_row(c, y, one, j);
    ts_release(one);
    return st == TS_OK ? compare(c) : st;
}

ts_status ts_gradcheck(ts_gradcheck_fn fn, void *self, int ninputs,
                       ts_tensor *const *inputs, double eps, double atol, double rtol)
{
    double *analytic[MOST_INPUTS] = {NULL};
    check c = {.fn = fn,
               .self = self,
               .ninputs = ninputs,
               .inputs = inputs,
               .eps = eps,
               .atol = atol,
               .rtol = rtol,
               .analytic = analytic};
    ts_tensor *y = NULL;

    TS_CHECK(ninputs <= MOST_INPUTS, TS_ERR_VALUE, "autograd/C22",
             "gradcheck: %d inputs, at most %d are taken", ninputs, MOST_INPUTS);
    for (int k = 0; k < ninputs; k++) {
        if (!tsi_wants_grad(inputs[k]))
            continue;
        TS_CHECK(inputs[k]->device.type != TS_META, TS_ERR_NOT_IMPLEMENTED, "errors/C4",
                 "gradcheck: input %d is a meta tensor, which has no data", k);
        TS_CHECK(inputs[k]->dtype == TS_FLOAT64 && ts_is_leaf(inputs[k]), TS_ERR_VALUE,
                 "autograd/C22",
                 "gradcheck: input %d requires grad, but is no float64 leaf", k);
        c.place[c.nchecked] = k;
        c.checked[c.nchecked++] = inputs[k];
    }
    TS_CHECK(c.nchecked > 0, TS_ERR_VALUE, "autograd/C22",
             "gradcheck: no input requires grad");
    TS_TRY(fn(self, ninputs, inputs, &y));

    ts_status st;

    if (y->dtype == TS_FLOAT64) {
        c.nout = y->numel;
        st = with_memory(&c, y);
    } else {
        st = ts_fail(TS_ERR_VALUE, "autograd/C22",
                     "gradcheck: the output is %s, not float64", ts_dtype_name(y->dtype));
    }
    for (int k = 0; k < c.nchecked; k++)
        free(analytic[k]);
    free(c.plus);
    free(c.minus);
    ts_release(y);
    return st;
}

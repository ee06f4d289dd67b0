/* SPDX-License-Identifier: Apache-2.0 */
/* Derivatives against central differences, in double precision. */
#include "grad/graph.h"
#include "touchstone/device.h"
#include "touchstone/ops.h"

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
    return ts_storage_read(tsi_of(t)->storage,
                           (t->offset + offset_of(t, i)) * (int64_t)sizeof *v, sizeof *v,
                           v);
}

static ts_status set(const ts_tensor *t, int64_t i, double v)
{
    return ts_storage_write(tsi_of(t)->storage,
                            (t->offset + offset_of(t, i)) * (int64_t)sizeof v, sizeof v,
                            &v);
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
    int nresults; /* outputs that are looked at, and their places */
    int result[TS_GRADCHECK_OUTPUTS];
    int64_t first[TS_GRADCHECK_OUTPUTS + 1]; /* by result: its first element among all */
    double *plus, *minus; /* elements of all results, first[nresults] each */
    double **analytic;    /* by input: a row of its numel for each of those elements */
    double excess, got, want;
    int input;
    int64_t at, out_at;
} check;

static void release_all(int n, ts_tensor **t)
{
    for (int i = 0; i < n; i++)
        ts_release(t[i]);
}

/* y as float64: what goes through a narrower dtype is rounded there, as in PyTorch. */
static ts_status widen(ts_tensor *y, ts_tensor **wide)
{
    ts_to_opts opts = ts_to_defaults();

    opts.dtype = TS_FLOAT64;
    return ts_to(y, &opts, wide);
}

static ts_status read(ts_tensor *y, double *values)
{
    ts_tensor *wide;
    ts_status st = TS_OK;

    TS_TRY(widen(y, &wide));
    for (int64_t i = 0; st == TS_OK && i < wide->numel; i++)
        st = get(wide, i, &values[i]);
    ts_release(wide);
    return st;
}

/* The results as the inputs are now, in the caller's grad mode, for the function may take
 * gradients itself. sizes[k]: elements of result k, -1 where there is
 * none. Values are read of those that have as many as at first. */
static ts_status evaluate(const check *c, double *values, int64_t *sizes)
{
    ts_tensor *y[TS_GRADCHECK_OUTPUTS];
    int n = 0;
    ts_status st = c->fn(c->self, c->ninputs, c->inputs, &n, y);

    for (int k = 0; k < c->nresults && st == TS_OK; k++) {
        sizes[k] = c->result[k] < n ? y[c->result[k]]->numel : -1;
        if (sizes[k] == c->first[k + 1] - c->first[k])
            st = read(y[c->result[k]], values + c->first[k]);
    }
    release_all(n, y);
    return st;
}

static ts_status same_sizes(const check *c, const int64_t *plus, const int64_t *minus)
{
    for (int k = 0; k < c->nresults; k++) {
        const int64_t n = c->first[k + 1] - c->first[k];

        TS_CHECK(plus[k] == minus[k], TS_ERR_ASSERTION, "autograd/C28",
                 "gradcheck: output %d has %" PRId64 " elements on one side, %" PRId64
                 " on the other",
                 c->result[k], plus[k], minus[k]);
        TS_CHECK(plus[k] == n, TS_ERR_RUNTIME, "autograd/C27",
                 "gradcheck: output %d of %" PRId64 " elements has %" PRId64
                 " when an input is moved",
                 c->result[k], n, plus[k]);
    }
    return TS_OK;
}

/* Row `row` of the Jacobian, that of element j of y. */
static ts_status analytic_row(const check *c, ts_tensor *y, ts_tensor *one, int64_t j,
                              int64_t row)
{
    ts_tensor *grads[MOST_INPUTS];

    TS_TRY(set(one, j, 1));

    ts_status st = ts_grad(1, &y, &one, c->nchecked, (ts_tensor *const *)c->checked, true,
                           false, true, grads);

    for (int k = 0; k < c->nchecked && (st == TS_OK || k > 0); k++) {
        const int64_t n = c->checked[k]->numel;

        for (int64_t i = 0; grads[k] && st == TS_OK && i < n; i++)
            st = get(grads[k], i, &c->analytic[k][row * n + i]);
        ts_release(grads[k]);
    }
    return st == TS_OK ? set(one, j, 0)
                       : st; /* only now: a gradient may be `one` itself */
}

/* All rows of result k. They stay zero where it has no history. */
static ts_status analytic_rows(const check *c, int k, ts_tensor *y)
{
    ts_tensor *wide, *one;
    ts_status st;

    if (!tsi_wants_grad(y))
        return TS_OK;
    TS_TRY(widen(y, &wide));
    st = ts_tensor_new(y->device, TS_FLOAT64, y->ndim, y->sizes, &one);
    if (st != TS_OK) {
        ts_release(wide);
        return st;
    }
    for (int64_t j = 0; st == TS_OK && j < y->numel; j++)
        st = set(one, j, 0);
    for (int64_t j = 0; st == TS_OK && j < y->numel; j++)
        st = analytic_row(c, wide, one, j, c->first[k] + j);
    ts_release(one);
    ts_release(wide);
    return st;
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
    int64_t plus[TS_GRADCHECK_OUTPUTS], minus[TS_GRADCHECK_OUTPUTS];

    for (int k = 0; k < c->nchecked; k++) {
        for (int64_t i = 0; i < c->checked[k]->numel; i++) {
            ts_tensor *x = c->checked[k];
            ts_status st, back;
            double at;

            TS_TRY(get(x, i, &at));
            TS_TRY(set(x, i, at + c->eps));
            st = evaluate(c, c->plus, plus);
            if (st == TS_OK)
                st = set(x, i, at - c->eps);
            if (st == TS_OK)
                st = evaluate(c, c->minus, minus);
            back = set(x, i, at);
            TS_TRY(st);
            TS_TRY(back);
            TS_TRY(same_sizes(c, plus, minus));
            for (int64_t j = 0; j < c->first[c->nresults]; j++)
                note(c, k, i, j, (c->plus[j] - c->minus[j]) / (2 * c->eps));
        }
    }
    if (c->excess <= 0)
        return TS_OK;

    int k = 0;

    while (c->first[k + 1] <= c->out_at)
        k++;
    return ts_fail(TS_ERR_RUNTIME, "autograd/C21",
                   "gradcheck: d output %d[%" PRId64 "] / d input %d[%" PRId64
                   "] is %.9g by the derivative, %.9g by central differences",
                   c->result[k], c->out_at - c->first[k], c->place[c->input], c->at,
                   c->got, c->want);
}

/* Which outputs count: those that require grad. Where none does, all that could, and they
 * must not change at all. */
static void choose(check *c, int n, ts_tensor *const *y)
{
    bool any = false;

    for (int i = 0; i < n; i++)
        any = any || tsi_wants_grad(y[i]);
    for (int i = 0; i < n; i++) {
        if (any ? !tsi_wants_grad(y[i]) : !ts_dtype_is_floating(y[i]->dtype))
            continue;
        c->result[c->nresults++] = i;
        c->first[c->nresults] = c->first[c->nresults - 1] + y[i]->numel;
    }
    if (!any)
        c->atol = c->rtol = 0;
}

static ts_status with_memory(check *c, ts_tensor *const *y)
{
    const int64_t rows = c->first[c->nresults];

    c->plus = calloc((size_t)rows + 1, sizeof(double));
    c->minus = calloc((size_t)rows + 1, sizeof(double));
    TS_CHECK(c->plus && c->minus, TS_ERR_OUT_OF_MEMORY, "tensors/C10",
             "no memory for gradcheck");
    for (int k = 0; k < c->nchecked; k++) {
        c->analytic[k] =
            calloc((size_t)(rows * c->checked[k]->numel) + 1, sizeof(double));
        TS_CHECK(c->analytic[k], TS_ERR_OUT_OF_MEMORY, "tensors/C10",
                 "no memory for gradcheck");
    }
    for (int k = 0; k < c->nresults; k++)
        TS_TRY(analytic_rows(c, k, y[c->result[k]]));
    return compare(c);
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
    ts_tensor *y[TS_GRADCHECK_OUTPUTS];
    ts_status st;
    int n = 0;

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
    TS_TRY(fn(self, ninputs, inputs, &n, y));
    choose(&c, n, y);
    st = with_memory(&c, y);
    for (int k = 0; k < c.nchecked; k++)
        free(analytic[k]);
    free(c.plus);
    free(c.minus);
    release_all(n, y);
    return st;
}

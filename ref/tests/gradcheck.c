/* SPDX-License-Identifier: Apache-2.0 */
/*
 * First and second derivatives of every differentiable op against central differences
 * . An op without a row here fails.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "support.h"

TestSuite(gradcheck, .init = open_reference);

/*
 * A row: an op, and its arguments in order as its page writes them (CONTRIBUTING.md), those
 * left out at their defaults. No arguments at all: the derivative is an error, as in
 * PyTorch.
 */
static const struct row {
    const char *op, *args;
    ts_form form;
} rows[] = {
#include "gradcheck_rows.h"
};

/* --- reading a row ------------------------------------------------------------------ */

#define MAX 12

typedef struct call {
    ts_frame frame;
    ts_tensor *owned[MAX], *inputs[MAX], *list[MAX], *all[MAX];
    int nowned, ninputs, nlist, nall, seed;
    int at_arg[MAX], at_list[MAX]; /* where input i goes */
    int64_t ints[MAX][MAX];
    char text[32];
    int differentiable; /* which result is looked at */
} call;

static int shape(const char **p, int64_t *sizes)
{
    int n = 0;

    while (isdigit((unsigned char)**p)) {
        sizes[n++] = strtol(*p, (char **)p, 10);
        if (**p == 'x')
            ++*p;
    }
    return n;
}

static ts_tensor *made(call *c, ts_dtype dtype, int n, const int64_t *sizes)
{
    ts_tensor *t;

    OK(ts_tensor_new((ts_device){TS_CPU, 0}, dtype, n, sizes, &t));
    c->all[c->nall++] = t;
    return t;
}

/* Distinct numbers, none near zero: kinks lie at ties and at zero. */
static ts_tensor *numbers(call *c, const char **p, char kind)
{
    int64_t sizes[8];
    const int n = shape(p, sizes);
    ts_tensor *t = made(c, TS_FLOAT64, n, sizes);

    for (int64_t i = 0; i < t->numel; i++) {
        const int k = (int)(i * 37 + c->seed * 11) % 101;

        ((double *)t->data)[i] = kind == 'b' ? 1.4 + k * 0.0137
                                             : (0.4 + k * 0.0137) *
                                                   (kind == 'p' || k % 2 ? 1 : -1) *
                                                   (kind == 'u' ? 0.5 : 1);
    }
    c->seed++;
    return t;
}

static void input(call *c, ts_tensor *t, int arg, int at)
{
    OK(ts_set_requires_grad(t, true));
    c->at_arg[c->ninputs] = arg;
    c->at_list[c->ninputs] = at;
    c->inputs[c->ninputs++] = t;
}

static ts_tensor *indices(call *c, const char **p)
{
    const char *colon = strchr(*p, ':'), *space = strchr(*p, ' ');
    int64_t sizes[8], v[MAX], n = 0;
    int ndim = 1;
    ts_tensor *t;

    if (colon && (!space || colon < space)) {
        ndim = shape(p, sizes);
        ++*p;
    }
    for (; isdigit((unsigned char)**p); *p += **p == ',')
        v[n++] = strtol(*p, (char **)p, 10);
    if (!colon || (space && colon > space))
        sizes[0] = n;
    t = made(c, TS_INT64, ndim, sizes);
    memcpy(t->data, v, (size_t)n * sizeof *v);
    return t;
}

static void number(ts_value *v, ts_arg_kind kind, const char *text)
{
    v->kind = kind;
    if (kind == TS_ARG_BOOL)
        v->b = *text == 't';
    else if (kind == TS_ARG_INT)
        v->i = strtol(text, NULL, 10);
    else if (kind == TS_ARG_FLOAT)
        v->f = strtod(text, NULL);
    else
        v->scalar = strchr(text, '.') ? ts_float(strtod(text, NULL))
                                      : ts_int(strtol(text, NULL, 10));
}

/* A Python number for a tensor. */
static void wrapped(call *c, ts_value *v, const char *text)
{
    ts_value scalar;

    number(&scalar, TS_ARG_SCALAR, text);
    OK(ts_wrapped_number(scalar.scalar, &v->tensor));
    v->kind = TS_ARG_TENSOR;
    c->all[c->nall++] = v->tensor;
}

static void tensor_list(call *c, const char **p, int arg)
{
    do {
        ts_tensor *t = numbers(c, p, 's');

        c->list[c->nlist] = t;
        input(c, t, arg, c->nlist++);
    } while (*(*p)++ == ';');
    --*p;
    c->frame.args[arg].kind = TS_ARG_TENSORS;
    c->frame.args[arg].tensors.v = c->list;
    c->frame.args[arg].tensors.n = c->nlist;
}

/* int64 tensors and NULLs: "2,0;_;1,1" */
static void index_list(call *c, const char **p, int arg)
{
    do {
        int64_t v[MAX], n = 0;
        ts_tensor *t = NULL;

        if (**p == '_') {
            ++*p;
        } else {
            for (; isdigit((unsigned char)**p); *p += **p == ',')
                v[n++] = strtol(*p, (char **)p, 10);
            t = made(c, TS_INT64, 1, &n);
            memcpy(t->data, v, (size_t)n * sizeof *v);
        }
        c->list[c->nlist++] = t;
    } while (*(*p)++ == ';');
    --*p;
    c->frame.args[arg].kind = TS_ARG_TENSORS;
    c->frame.args[arg].tensors.v = c->list;
    c->frame.args[arg].tensors.n = c->nlist;
}

static void argument(call *c, const char **p, int i)
{
    ts_value *v = &c->frame.args[i];
    const char kind = *(*p)++;

    switch (kind) {
    case 'p':
    case 'u':
    case 'b':
    case 's':
    case 'c':
        v->tensor = numbers(c, p, kind);
        v->kind = TS_ARG_TENSOR;
        if (kind != 'c')
            input(c, v->tensor, i, -1);
        break;
    case 'x':
        v->tensor = indices(c, p);
        v->kind = TS_ARG_TENSOR;
        break;
    case 'm': {
        int64_t sizes[8];
        const int n = shape(p, sizes);

        v->tensor = made(c, TS_BOOL, n, sizes);
        v->kind = TS_ARG_TENSOR;
        for (int64_t k = 0; k < v->tensor->numel; k++)
            ((unsigned char *)v->tensor->data)[k] = k % 3 == 1;
        break;
    }
    case 'l':
        tensor_list(c, p, i);
        break;
    case 'i':
        index_list(c, p, i);
        break;
    case '[':
        v->kind = TS_ARG_INTS;
        v->ints.v = c->ints[i];
        v->ints.n = 0;
        for (; **p != ']'; *p += **p == ',')
            c->ints[i][v->ints.n++] = strtol(*p, (char **)p, 10);
        ++*p;
        break;
    case '\'':
        sscanf(*p, "%31[^']", c->text);
        v->kind = TS_ARG_STRING;
        v->string = c->text;
        break;
    case 'd':
        v->kind = TS_ARG_DTYPE;
        v->dtype = TS_FLOAT64;
        break;
    case '_':
        break;
    default:
        if (c->frame.op->params[i].kind == TS_ARG_TENSOR)
            wrapped(c, v, *p - 1);
        else
            number(v, c->frame.op->params[i].kind, *p - 1);
    }
    *p += strcspn(*p, " ");
    *p += strspn(*p, " ");
}

static void read_row(const struct row *r, call *c)
{
    const ts_op *op = ts_op_find(r->op);
    const char *p = r->args;

    cr_assert(op, "no op %s", r->op);
    memset(c, 0, sizeof *c);
    OK(ts_frame_open(&c->frame, op, r->form));
    for (int i = 0; *p; i++)
        argument(c, &p, i);
    while (r->form != TS_INPLACE &&
           !(op->result_differentiable & 1u << c->differentiable))
        c->differentiable++;
}

static void drop(call *c)
{
    for (int i = 0; i < c->nall; i++) {
        OK(ts_grad_set(c->all[i], NULL));
        ts_release(c->all[i]);
    }
    ts_frame_close(&c->frame);
    nothing_lives();
}

/* --- the functions that are checked ------------------------------------------------- */

static ts_status first(void *self, int ninputs, ts_tensor *const *inputs, int *noutputs,
                       ts_tensor **out)
{
    const call *c = self;
    ts_frame f;
    ts_tensor *list[MAX], *written = NULL;
    ts_status st = TS_OK;

    OK(ts_frame_open(&f, c->frame.op, c->frame.form));
    memcpy(f.args, c->frame.args, (size_t)f.nargs * sizeof *f.args);
    memcpy(list, c->list, sizeof list);
    for (int i = 0; i < ninputs && i < c->ninputs; i++)
        if (c->at_list[i] >= 0)
            list[c->at_list[i]] = inputs[i];
        else
            f.args[c->at_arg[i]].tensor = inputs[i];
    for (int i = 0; i < f.nargs; i++)
        if (f.args[i].kind == TS_ARG_TENSORS)
            f.args[i].tensors.v = list;
    if (f.form == TS_INPLACE) {
        st = ts_clone(f.args[0].tensor, NULL, &written);
        f.args[0].tensor = written;
    }
    if (st == TS_OK)
        st = ts_call(&f);
    ts_release(written);
    for (int i = 0; st == TS_OK && i < f.nresults; i++)
        if (i == c->differentiable)
            out[(*noutputs)++] = f.results[i];
        else
            ts_release(f.results[i]);
    ts_frame_close(&f);
    return st;
}

/* Sum of the gradients, each times numbers of its own;
 * the last input is the result's gradient. */
static ts_status weighted(int n, ts_tensor *const *grads, ts_tensor **out)
{
    ts_tensor *total = NULL;

    for (int i = 0; i < n; i++) {
        ts_tensor *w, *y;

        if (!grads[i])
            continue;
        OK(ts_tensor_new(grads[i]->device, TS_FLOAT64, grads[i]->ndim, grads[i]->sizes,
                         &w));
        for (int64_t k = 0; k < w->numel; k++)
            ((double *)w->data)[k] = 0.7 + 0.3 * (double)((k * 5 + i) % 7);
        y = mul(grads[i], w);
        become(&y, sum(y));
        ts_release(w);
        if (total) {
            become(&total, add(total, y));
            ts_release(y);
        } else {
            total = y;
        }
    }
    *out = total;
    return TS_OK;
}

static ts_status second(void *self, int ninputs, ts_tensor *const *inputs, int *noutputs,
                        ts_tensor **out)
{
    const bool mode = ts_set_grad_enabled(true);
    ts_tensor *y = NULL, *v = inputs[ninputs - 1], *grads[MAX] = {NULL};
    int n = 0;
    ts_status st = first(self, ninputs - 1, inputs, &n, &y);

    if (st == TS_OK)
        st = ts_grad(1, &y, &v, ninputs - 1, inputs, true, true, true, grads);
    ts_release(y);
    if (st == TS_OK)
        st = weighted(ninputs - 1, grads, out);
    *noutputs = 1;
    for (int i = 0; i < ninputs - 1; i++)
        ts_release(grads[i]);
    ts_set_grad_enabled(mode);
    return st;
}

/* Whether the backward of `op` is an op whose own derivative is refused (gradcheck =
 * "error"): the message is its. */
static bool is_refused(const char *op)
{
    char name[128];

    snprintf(name, sizeof name, "%s_backward has no derivative", op);
    return strstr(ts_error_message(), name) != NULL;
}

static void check_second(call *c, const struct row *r)
{
    ts_tensor *y, *v, *z;
    ts_status st;
    int n = 0;

    OK(first(c, c->ninputs, c->inputs, &n, &y));
    v = made(c, TS_FLOAT64, y->ndim, y->sizes);
    ts_release(y);
    for (int64_t i = 0; i < v->numel; i++)
        ((double *)v->data)[i] = 0.5 + 0.25 * (double)(i * 3 % 5);
    OK(ts_set_requires_grad(v, true));
    c->inputs[c->ninputs] = v;
    OK(second(c, c->ninputs + 1, c->inputs, &n, &z));
    if (z && ts_requires_grad(z)) { /* else no input has a gradient at all */
        st = ts_gradcheck(second, c, c->ninputs + 1, c->inputs, 1e-6, 1e-6, 1e-5);
        if (st == TS_ERR_RUNTIME && is_refused(r->op)) /* so says its page */
            st = TS_OK;
        cr_expect_eq(st, TS_OK, "%s(%s), twice: %s", r->op, r->args, ts_error_message());
    }
    ts_release(z);
}

Test(gradcheck, every_row)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct row *r = &rows[i];
        ts_status st;
        call c;

        if (!r->args)
            continue;
        read_row(r, &c);
        st = ts_gradcheck(first, &c, c.ninputs, c.inputs, 1e-6, 1e-6, 1e-5);
        cr_expect_eq(st, TS_OK, "%s(%s): %s", r->op, r->args, ts_error_message());
        if (st == TS_OK)
            check_second(&c, r);
        drop(&c);
    }
}

Test(gradcheck, every_op_has_a_row)
{
    for (int k = 0; k < ts_op_count(); k++) {
        const ts_op *op = ts_op_at(k);
        /* Between two calls that draw there is no difference to take. */
        bool found = !op->vjp || op->generator > 0;

        for (size_t i = 0; !found && i < sizeof rows / sizeof *rows; i++)
            found = strcmp(rows[i].op, op->name) == 0;
        cr_expect(found, "%s has a derivative, but its page no gradcheck row", op->name);
    }
}

/* --- gradcheck itself --------------------------------------------------------------- */

static ts_status half_cut(void *self, int ninputs, ts_tensor *const *inputs,
                          int *noutputs, ts_tensor **out)
{
    ts_tensor *d;

    (void)self, (void)ninputs;
    TS_TRY(ts_detach(inputs[0], &d));

    const ts_status st = ts_mul(inputs[0], d, &out[0]);

    ts_release(d);
    *noutputs = st == TS_OK;
    return st;
}

Test(gradcheck, c21_names_the_worst_entry)
{
    ts_tensor *x = LEAF(1, -3, 2);

    FAILS(ts_gradcheck(half_cut, NULL, 1, &x, 1e-6, 1e-6, 1e-5), TS_ERR_RUNTIME,
          "autograd/C21");
    cr_expect(strstr(ts_error_message(), "d output 0[1] / d input 0[1] is -3 "), "%s",
              ts_error_message());
    EXPECT(x, 1, -3, 2);
    ts_release(x);
}

Test(gradcheck, c22_inputs)
{
    ts_tensor *x = VECTOR(1);

    FAILS(ts_gradcheck(half_cut, NULL, 1, &x, 1e-6, 1e-6, 1e-5), TS_ERR_VALUE,
          "autograd/C22");
    ts_release(x);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The autograd layer: a call passes, and where a gradient may be wanted a node records
 * it. */
#include "core/rooms.h"
#include "core/thread.h"
#include "grad/graph.h"

static bool any_wants_grad(const ts_frame *f)
{
    for (int i = 0; i < f->nargs; i++) {
        const ts_value *v = &f->args[i];

        if (v->kind == TS_ARG_TENSOR && tsi_wants_grad(v->tensor))
            return true;
        for (int64_t k = 0; v->kind == TS_ARG_TENSORS && k < v->tensors.n; k++)
            if (tsi_wants_grad(v->tensors.v[k]))
                return true;
    }
    return false;
}

/* A view remembers that it was made where nothing is recorded. */
static void note_view(const ts_frame *f)
{
    const ts_tensor *of = tsi_tensor(f, 0);

    for (int i = 0; i < f->nresults; i++) {
        tsi_body *v = tsi_of(f->results[i]);

        if (!v || !v->base)
            continue;
        if (of && tsi_of(of)->base && tsi_of(of)->view_origin != TSI_VIEW_PLAIN)
            v->view_origin = tsi_of(of)->view_origin;
        else if (!ts_grad_enabled())
            v->view_origin = TSI_VIEW_NO_GRAD;
        else
            v->view_origin = f->op->list_result ? TSI_VIEW_SEVERAL : TSI_VIEW_PLAIN;
    }
}

static ts_status pass(ts_frame *f)
{
    TS_TRY(tsi_self()->inside == f ? tsi_rooms.level_below(f)
                                   : tsi_call_below(TSI_LAYER_AUTOGRAD, f));
    if (f->op->kind == TS_VIEW)
        note_view(f);
    return TS_OK;
}

static void drop_results(ts_frame *f)
{
    for (int i = 0; i < f->nresults; i++) {
        ts_release(f->results[i]);
        f->results[i] = NULL;
    }
}

/* Result i carries a gradient. */
static bool carries(const ts_frame *f, int i)
{
    const int bit = f->op->list_result ? 0 : i;

    return (f->op->result_differentiable >> bit & 1) != 0 && f->results[i] &&
           ts_dtype_is_floating(f->results[i]->dtype);
}

static ts_status attach(const ts_frame *f, tsi_node *n)
{
    TS_TRY(tsi_node_set_inputs(n, f->nresults, f->results));
    for (int i = 0; i < f->nresults; i++)
        if (carries(f, i))
            TS_TRY(tsi_set_history(f->results[i], n, i));
    return tsi_op_node_save_results(n, f->results);
}

/* A gradient was to go through a result of a family's op that can have none. */
static bool is_cut(const ts_frame *f)
{
    return f->op->family && f->results[0] &&
           !ts_dtype_is_floating(f->results[0]->dtype) &&
           ts_dtype_is_floating(tsi_tensor(f, 0)->dtype);
}

static ts_status functional(ts_frame *f)
{
    tsi_node *n = NULL;

    TS_TRY(tsi_op_node_new(f, &n));

    ts_status st = pass(f);
    bool any = false;

    if (st == TS_OK && is_cut(f)) {
        st =
            ts_fail(TS_ERR_RUNTIME, "autograd/C29", "%s: there is no gradient through %s",
                    f->op->name, ts_dtype_name(f->results[0]->dtype));
        drop_results(f);
    }
    for (int i = 0; st == TS_OK && i < f->nresults; i++)
        any |= carries(f, i);
    if (any && (st = attach(f, n)) != TS_OK)
        drop_results(f);
    tsi_node_release(n);
    return st;
}

/* A truth value, written into self: no gradient goes through it, and nobody asks. */
static bool is_untold(const ts_op *op)
{
    return !op->vjp && op->family &&
           (strcmp(op->family, "comparison") == 0 ||
            strcmp(op->family, "predicate") == 0);
}

static ts_status in_place(ts_frame *f)
{
    ts_tensor *self = tsi_tensor(f, 0);
    tsi_node *n = NULL;

    if (!self || !ts_dtype_is_floating(self->dtype) || is_untold(f->op) ||
        (!f->op->vjp && !tsi_wants_grad(self)))
        return pass(f);
    TS_TRY(tsi_check_inplace(self, f->op->name));
    TS_TRY(tsi_op_node_new(f, &n));

    ts_status st = pass(f);

    if (st == TS_OK) {
        if ((st = tsi_node_set_inputs(n, 1, &self)) == TS_OK &&
            (st = tsi_rebase_history(self, n, 0, 0)) == TS_OK)
            st = tsi_op_node_save_results(n, &self);
        if (st != TS_OK)
            drop_results(f);
    }
    tsi_node_release(n);
    return st;
}

/* No gradient goes into out=, and nobody asks: of truth values and of indices. */
static bool writes_untold(const ts_op *op)
{
    const bool computes = op->family && (strcmp(op->family, "binary") == 0 ||
                                         strcmp(op->family, "unary_same") == 0);

    return op->result_differentiable == 0 && op->required_tensors != 0 && !computes;
}

static ts_status check_out(const ts_frame *f)
{
    bool wants = f->op->differentiable && any_wants_grad(f);

    if (!ts_grad_enabled() || writes_untold(f->op))
        return TS_OK;
    for (int i = 0; i < f->nresults; i++)
        wants |= f->out[i] && tsi_wants_grad(f->out[i]);
    TS_CHECK(!wants, TS_ERR_RUNTIME, "autograd/C14",
             "%s: the out= form is not differentiable, but an argument requires grad",
             f->op->name);
    return TS_OK;
}

ts_status tsi_autograd_layer(ts_frame *f)
{
    if (!ts_grad_enabled())
        return pass(f);
    if (f->form == TS_OUT) {
        TS_TRY(check_out(f));
        return pass(f);
    }
    if (!any_wants_grad(f))
        return pass(f);
    if (f->form == TS_INPLACE)
        return in_place(f);
    return f->op->vjp && f->op->result_differentiable ? functional(f) : pass(f);
}

TSI_BEFORE_MAIN(enter)
{
    tsi_rooms.autograd_check_out = check_out;
    tsi_layer_set(TSI_LAYER_AUTOGRAD, tsi_autograd_layer);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Saved tensors. What is kept is an alias without history, plus the edge the tensor had:
 * a node then only ever points to nodes made before it, and no cycle of references can
 * form, whatever is later written in place.
 */
#include "grad/graph.h"

static ts_status alias_of(ts_tensor *t, ts_tensor **out)
{
    TS_TRY(tsi_alias_new(t, out));
    tsi_of(*out)->wrapped_number = tsi_of(t)->wrapped_number;
    return TS_OK;
}

ts_status tsi_save(tsi_saved *s, ts_tensor *t, bool result, int nr)
{
    tsi_edge e = {NULL, nr};
    ts_tensor *alias = NULL;

    if (!result)
        TS_TRY(tsi_gradient_edge(t, &e));
    if (!e.node || !tsi_accumulator_holds(e.node)) {
        const ts_status st = alias_of(t, &alias);

        if (st != TS_OK) {
            tsi_node_release(e.node);
            return st;
        }
    }
    *s = (tsi_saved){alias, *tsi_of(t)->version, e.node, e.nr, result, result};
    return TS_OK;
}

ts_status tsi_unpack(const tsi_saved *s, tsi_node *by, bool history, ts_tensor **out)
{
    ts_tensor *leaf = s->grad_fn ? tsi_accumulator_variable(s->grad_fn) : NULL;
    ts_tensor *t = leaf ? leaf : s->tensor;
    char text[128];

    TS_CHECK(
        *tsi_of(t)->version == s->version, TS_ERR_RUNTIME, "autograd/C3",
        "%s: the saved %s %s of shape %s was modified in place: it is at version %" PRId64
        ", expected version %" PRId64,
        by->kind->name(by), ts_dtype_name(t->dtype), s->result ? "result" : "argument",
        tsi_sizes_text(text, sizeof text, t->ndim, t->sizes), *tsi_of(t)->version,
        s->version);
    if (leaf || !history || (!s->carries && !s->grad_fn)) {
        *out = ts_retain(t);
        return TS_OK;
    }
    TS_TRY(alias_of(t, &t));

    const ts_status st = tsi_set_history(t, s->result ? by : s->grad_fn, s->nr);

    if (st != TS_OK) {
        ts_release(t);
        return st;
    }
    *out = t;
    return TS_OK;
}

void tsi_saved_free(tsi_saved *s)
{
    ts_release(s->tensor);
    tsi_node_release(s->grad_fn);
    *s = (tsi_saved){0};
}

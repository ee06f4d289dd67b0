/* SPDX-License-Identifier: Apache-2.0 */
/* Subscripts: of sequences, and of tensors by select, slice and unsqueeze
 * (case_language/S6). */
#include <inttypes.h>

#include "interp.h"
#include "module.h"

/* --- sequences
 * ------------------------------------------------------------------------------ */

static ts_status position(const tsi_value *of, const tsi_value *index, int *out)
{
    int64_t i;

    TS_CHECK(index->kind == V_INT || index->kind == V_BOOL, TS_ERR_TYPE,
             "case_language/C5", "'%s' indices must be integers or slices, not '%s'",
             tsi_kind_name(of), tsi_kind_name(index));
    i = tsi_integer(index);
    TS_CHECK(i >= -of->o->n && i < of->o->n, TS_ERR_INDEX, "case_language/C5",
             "%s index %" PRId64 " out of range", tsi_kind_name(of), i);
    *out = (int)(i < 0 ? i + of->o->n : i);
    return TS_OK;
}

/* One bound of a slice over n items, clamped as Python clamps it. */
static ts_status clamped(const tsi_value *v, int64_t n, bool down, int64_t absent,
                         int64_t *out)
{
    if (v->kind == V_NONE) {
        *out = absent;
        return TS_OK;
    }
    TS_CHECK(v->kind == V_INT || v->kind == V_BOOL, TS_ERR_TYPE, "case_language/C5",
             "slice bounds must be integers or None, not '%s'", tsi_kind_name(v));
    *out = tsi_integer(v);
    if (*out < 0)
        *out += n;
    if (*out < 0)
        *out = down ? -1 : 0;
    else if (*out >= n)
        *out = down ? n - 1 : n;
    return TS_OK;
}

static ts_status part(tsi_interp *in, const tsi_value *of, const tsi_value *slice,
                      tsi_value *out)
{
    const int64_t n = of->o->n;
    int64_t start = 0, stop = 0, step = 1;

    if (slice->o->v[2].kind != V_NONE) {
        TS_CHECK(slice->o->v[2].kind == V_INT && slice->o->v[2].i != 0, TS_ERR_VALUE,
                 "case_language/C5", "a slice's step must be a nonzero integer");
        step = slice->o->v[2].i;
    }
    TS_TRY(clamped(&slice->o->v[0], n, step < 0, step < 0 ? n - 1 : 0, &start));
    TS_TRY(clamped(&slice->o->v[1], n, step < 0, step < 0 ? -1 : n, &stop));
    TS_TRY(tsi_object_new(in, (tsi_kind)of->kind, 0, out));
    for (int64_t i = start; step > 0 ? i < stop : i > stop;) {
        TS_TRY(tsi_append(in, out->o, tsi_retain(of->o->v[i])));
        if (__builtin_add_overflow(i, step, &i))
            break;
    }
    return TS_OK;
}

/* --- tensors
 * --------------------------------------------------------------------------------- */

/* A view under way: `t` is ours, `dim` is the next one that an index names. */
typedef struct cursor {
    tsi_interp *in;
    tsi_value t;
    int dim;
    bool alone; /* the only index */
    bool changed;
} cursor;

static ts_status apply(cursor *c, tsi_known_op op, int n, const tsi_value *args)
{
    tsi_value all[5] = {c->t}, out;

    for (int i = 0; i < n; i++)
        all[i + 1] = args[i];
    TS_TRY(tsi_call_known(c->in, op, TS_FUNCTIONAL, n + 1, all, &out));
    tsi_release(c->t);
    c->t = out;
    c->changed = true;
    return TS_OK;
}

static ts_status bound(const tsi_value *v, tsi_interp *in, tsi_value *out)
{
    *out = *v;
    if (v->kind == V_TENSOR)
        return tsi_item(in, v->t, out);
    TS_CHECK(v->kind == V_NONE || v->kind == V_INT || v->kind == V_BOOL, TS_ERR_TYPE,
             "case_language/C5", "slice bounds must be integers or None, not '%s'",
             tsi_kind_name(v));
    if (v->kind == V_BOOL)
        *out = tsi_int(v->b);
    return TS_OK;
}

/* Whether a slice names all n items in order. */
static bool whole(const tsi_value *start, const tsi_value *stop, const tsi_value *step,
                  int64_t n)
{
    const int64_t first = start->kind == V_NONE ? 0 : start->i;
    const int64_t last = stop->kind == V_NONE ? n : stop->i;

    return step->i == 1 && (first == 0 || first <= -n) && last >= n;
}

static ts_status apply_slice(cursor *c, const tsi_value *slice)
{
    tsi_value args[4] = {tsi_int(c->dim)};

    TS_CHECK(c->dim < c->t.t->ndim, TS_ERR_INDEX, "slice/C1",
             "too many indices for a tensor of %d dims", c->t.t->ndim);
    for (int i = 0; i < 3; i++)
        TS_TRY(bound(&slice->o->v[i], c->in, &args[i + 1]));
    if (args[3].kind == V_NONE)
        args[3] = tsi_int(1);
    /* alone it is a slice whatever it names */
    if (c->alone || !whole(&args[1], &args[2], &args[3], c->t.t->sizes[c->dim]))
        TS_TRY(apply(c, K_SLICE, 4, args));
    c->dim++;
    return TS_OK;
}

static ts_status apply_one(cursor *c, const tsi_value *index)
{
    tsi_value item = *index;

    switch (index->kind) {
    case V_NONE:
        TS_TRY(apply(c, K_UNSQUEEZE, 1, (tsi_value[]){tsi_int(c->dim)}));
        c->dim++;
        return TS_OK;
    case V_SLICE:
        return apply_slice(c, index);
    case V_TENSOR:
        if (index->t->ndim > 0 || index->t->dtype == TS_BOOL ||
            ts_dtype_is_floating(index->t->dtype))
            return ts_fail(
                TS_ERR_UNSUPPORTED, NULL,
                "indexing with tensors needs op 'index', which this build has not");
        TS_TRY(tsi_item(c->in, index->t, &item));
        break;
    case V_INT:
        break;
    case V_BOOL:
    case V_LIST:
        return ts_fail(TS_ERR_UNSUPPORTED, NULL,
                       "indexing with '%s' needs op 'index', which this build has not",
                       tsi_kind_name(index));
    default:
        return ts_fail(TS_ERR_TYPE, "case_language/C5", "'%s' cannot index a tensor",
                       tsi_kind_name(index));
    }
    TS_CHECK(c->t.t->ndim > 0, TS_ERR_INDEX, "slice/C1",
             "a 0-dim tensor has no index; use item()");
    TS_CHECK(c->dim < c->t.t->ndim, TS_ERR_INDEX, "slice/C1",
             "too many indices for a tensor of %d dims", c->t.t->ndim);
    return apply(c, K_SELECT, 2, (tsi_value[]){tsi_int(c->dim), item});
}

/* The dims that `...` stands for: all that the other indices leave. */
static ts_status ellipsis_dims(const tsi_value *t, const tsi_value *items, int n,
                               int *out)
{
    int named = 0, ellipses = 0;

    for (int i = 0; i < n; i++) {
        named += items[i].kind != V_NONE && items[i].kind != V_ELLIPSIS;
        ellipses += items[i].kind == V_ELLIPSIS;
    }
    TS_CHECK(ellipses <= 1, TS_ERR_INDEX, "slice/C1",
             "an index has one ellipsis ('...') at most");
    TS_CHECK(named <= t->t->ndim || (t->t->ndim == 0 && named == 1), TS_ERR_INDEX,
             "slice/C1", "too many indices (%d) for a tensor of %d dims", named,
             t->t->ndim);
    *out = t->t->ndim - named;
    return TS_OK;
}

static ts_status view_of(tsi_interp *in, const tsi_value *of, const tsi_value *index,
                         tsi_value *out)
{
    const tsi_value *items = index->kind == V_TUPLE ? index->o->v : index;
    const int n = index->kind == V_TUPLE ? index->o->n : 1;
    cursor c = {.in = in, .t = tsi_retain(*of), .alone = index->kind != V_TUPLE};
    int skipped = 0;
    ts_status s = ellipsis_dims(of, items, n, &skipped);

    for (int i = 0; s == TS_OK && i < n; i++) {
        if (items[i].kind == V_ELLIPSIS)
            c.dim += skipped;
        else
            s = apply_one(&c, &items[i]);
    }
    if (s == TS_OK && !c.changed) { /* x[...] and x[:, :] are new views all the same */
        tsi_value sizes;

        s = tsi_int_tuple(in, c.t.t->ndim, c.t.t->sizes, &sizes);
        if (s == TS_OK) {
            s = apply(&c, K_EXPAND, 1, &sizes); /* whose gradient passes as it is */
            tsi_release(sizes);
        }
    }
    if (s != TS_OK) {
        tsi_release(c.t);
        return s;
    }
    *out = c.t;
    return TS_OK;
}

ts_status tsi_get_item(tsi_interp *in, const tsi_value *of, const tsi_value *index,
                       tsi_value *out)
{
    int i;

    if (of->kind == V_TENSOR)
        return view_of(in, of, index, out);
    if (of->kind == V_OBJECT && of->o->class_ && of->o->class_->item)
        return of->o->class_->item(in, of->o->self, index, out);
    TS_CHECK(tsi_is_sequence(of), TS_ERR_TYPE, "case_language/C5", "'%s' has no elements",
             tsi_kind_name(of));
    if (index->kind == V_SLICE)
        return part(in, of, index, out);
    TS_TRY(position(of, index, &i));
    *out = tsi_retain(of->o->v[i]);
    return TS_OK;
}

/* A value with more dims than the place: leading dims of size 1 fall away, as in PyTorch.
 */
static ts_status fit(tsi_interp *in, const ts_tensor *to, const tsi_value *value,
                     tsi_value *out)
{
    const ts_tensor *t = value->t;
    int extra = 0;
    tsi_value sizes;
    ts_status s;

    while (t->ndim - extra > to->ndim && t->sizes[extra] == 1)
        extra++;
    if (extra == 0) {
        *out = tsi_retain(*value);
        return TS_OK;
    }
    TS_TRY(tsi_int_tuple(in, t->ndim - extra, t->sizes + extra, &sizes));
    s = tsi_call_known(in, K_VIEW, TS_FUNCTIONAL, 2, (tsi_value[]){*value, sizes}, out);
    tsi_release(sizes);
    return s;
}

ts_status tsi_set_item(tsi_interp *in, const tsi_value *of, const tsi_value *index,
                       const tsi_value *value)
{
    tsi_value view, fitted = {.kind = V_NONE}, written;
    ts_status s;
    int i;

    if (of->kind == V_LIST) {
        TS_TRY(position(of, index, &i));

        const tsi_value old = of->o->v[i];

        of->o->v[i] = tsi_retain(*value);
        tsi_release(old);
        return TS_OK;
    }
    TS_CHECK(of->kind == V_TENSOR, TS_ERR_TYPE, "case_language/C5",
             "elements of '%s' cannot be assigned", tsi_kind_name(of));
    TS_CHECK(tsi_is_number(value) || value->kind == V_TENSOR, TS_ERR_TYPE,
             "case_language/C5", "'%s' cannot be written into a tensor",
             tsi_kind_name(value));
    TS_TRY(view_of(in, of, index, &view));
    if (value->kind != V_TENSOR) {
        s = tsi_call_known(in, K_FILL, TS_INPLACE, 2, (tsi_value[]){view, *value},
                           &written);
    } else {
        s = fit(in, view.t, value, &fitted);
        if (s == TS_OK)
            s = tsi_call_known(in, K_COPY, TS_INPLACE, 2, (tsi_value[]){view, fitted},
                               &written);
    }
    if (s == TS_OK)
        tsi_release(written);
    tsi_release(fitted);
    tsi_release(view);
    return s;
}

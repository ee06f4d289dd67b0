/* SPDX-License-Identifier: Apache-2.0 */
/* Subscripts: of sequences, and of tensors by select, slice and unsqueeze, and then by
 * index (case_language/S6). */
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

/* A view under way: `t` is ours, `dim` is the next one that an index names; `indices` are
 * the tensors that index the view in the end, and None for dims without one. */
typedef struct cursor {
    tsi_interp *in;
    tsi_value t, indices;
    int dim;
    bool alone; /* the only index of a read */
    bool changed, indexed;
} cursor;

static ts_status pass(cursor *c, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        TS_TRY(tsi_append(c->in, c->indices.o, tsi_none()));
    c->dim += (int)n;
    return TS_OK;
}

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

/* Whether a slice names all n items in order, as far as PyTorch looks: from -n on it makes
 * a slice. */
static bool whole(const tsi_value *start, const tsi_value *stop, const tsi_value *step,
                  int64_t n)
{
    const int64_t first = start->kind == V_NONE ? 0 : start->i;
    const int64_t last = stop->kind == V_NONE ? n : stop->i;

    return step->i == 1 && first == 0 && last >= n;
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
    return pass(c, 1);
}

static bool is_mask(const ts_tensor *t)
{
    return t->dtype == TS_BOOL || t->dtype == TS_UINT8;
}

/* The view is indexed by t, which this takes. */
static ts_status record(cursor *c, ts_tensor *t)
{
    const ts_device at = c->t.t->device;
    tsi_value index = tsi_tensor_value(t);

    if (t->device.type != at.type || t->device.index != at.index) {
        const tsi_value there[] = {index, {.kind = V_DEVICE, .device = at}};
        tsi_value moved;
        const ts_status s = tsi_call_known(c->in, K_TO, TS_FUNCTIONAL, 2, there, &moved);

        tsi_release(index);
        TS_TRY(s);
        index = moved;
    }
    c->dim += is_mask(index.t) ? index.t->ndim : 1;
    c->indexed = true;
    return tsi_append(c->in, c->indices.o, index);
}

/* True and False: a new dim, of which index 0 is taken, or none. */
static ts_status apply_truth(cursor *c, bool b)
{
    ts_tensor *t;

    TS_TRY(apply(c, K_UNSQUEEZE, 1, (tsi_value[]){tsi_int(c->dim)}));
    TS_TRY(ts_tensor_new((ts_device){TS_CPU, 0}, TS_INT64, 1, (int64_t[]){b}, &t));
    if (b)
        *(int64_t *)t->data = 0;
    return record(c, t);
}

static ts_status apply_list(cursor *c, const tsi_value *list)
{
    const ts_device cpu = {TS_CPU, 0};
    ts_tensor *t;

    TS_TRY(tsi_tensor_of(c->in, list, TS_DTYPE_NONE, cpu, &t));
    if (t->numel == 0) { /* of no numbers: of no indices */
        ts_release(t);
        TS_TRY(tsi_tensor_of(c->in, list, TS_INT64, cpu, &t));
    }
    return record(c, t);
}

static ts_status apply_tensor(cursor *c, const tsi_value *index, tsi_value *item)
{
    const ts_tensor *t = index->t;

    if (t->ndim > 0 || ts_dtype_is_floating(t->dtype))
        return record(c, ts_retain(index->t));
    TS_TRY(tsi_item(c->in, index->t, item));
    if (!is_mask(t))
        return TS_OK;
    return apply_truth(c, item->kind == V_BOOL ? item->b : item->i != 0);
}

static ts_status apply_one(cursor *c, const tsi_value *index)
{
    tsi_value item = *index;

    switch (index->kind) {
    case V_NONE:
        TS_TRY(apply(c, K_UNSQUEEZE, 1, (tsi_value[]){tsi_int(c->dim)}));
        return pass(c, 1);
    case V_SLICE:
        return apply_slice(c, index);
    case V_TENSOR:
        TS_TRY(apply_tensor(c, index, &item));
        if (item.kind != V_INT || is_mask(index->t))
            return TS_OK;
        break;
    case V_INT:
        break;
    case V_BOOL:
        return apply_truth(c, index->b);
    case V_LIST:
        return apply_list(c, index);
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

/* The dims of the tensor that an index names. */
static int named_by(const tsi_value *index)
{
    if (index->kind == V_TENSOR && is_mask(index->t))
        return index->t->ndim;
    return index->kind != V_NONE && index->kind != V_ELLIPSIS && index->kind != V_BOOL;
}

/* The dims that `...` stands for: all that the other indices leave. */
static ts_status ellipsis_dims(const tsi_value *t, const tsi_value *items, int n,
                               int *out)
{
    int named = 0, ellipses = 0;

    for (int i = 0; i < n; i++) {
        named += named_by(&items[i]);
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

static void end(cursor *c)
{
    tsi_release(c->t);
    tsi_release(c->indices);
}

/* x[...] and x[:, :] are new views all the same, whose gradient passes as it is. */
static ts_status new_view(cursor *c)
{
    tsi_value sizes;
    ts_status s;

    if (c->t.t->ndim == 0)
        return apply(c, K_SQUEEZE, 0, NULL); /* of expand it would be a sum */
    TS_TRY(tsi_int_tuple(c->in, c->t.t->ndim, c->t.t->sizes, &sizes));
    s = apply(c, K_EXPAND, 1, &sizes);
    tsi_release(sizes);
    return s;
}

/* A list in which anything but numbers stands is a tuple, as in PyTorch. */
static bool is_tuple(const tsi_value *index)
{
    if (index->kind == V_LIST)
        for (int i = 0; i < index->o->n; i++)
            if (!tsi_is_number(&index->o->v[i]))
                return true;
    return index->kind == V_TUPLE;
}

/* What the indices from left to right make of `of`; end(c) in any case. What names all of
 * it is read as a new view, but `written` itself. */
static ts_status follow(cursor *c, tsi_interp *in, const tsi_value *of,
                        const tsi_value *index, bool written)
{
    const tsi_value *items = is_tuple(index) ? index->o->v : index;
    const int n = is_tuple(index) ? index->o->n : 1;
    int skipped = 0;

    *c = (cursor){.in = in,
                  .t = tsi_retain(*of),
                  .indices = tsi_none(),
                  .alone = !written && !is_tuple(index)};
    TS_TRY(tsi_object_new(in, V_LIST, 0, &c->indices));
    TS_TRY(ellipsis_dims(of, items, n, &skipped));
    for (int i = 0; i < n; i++)
        TS_TRY(items[i].kind == V_ELLIPSIS ? pass(c, skipped) : apply_one(c, &items[i]));
    return c->changed || c->indexed || written ? TS_OK : new_view(c);
}

static ts_status part_of_tensor(tsi_interp *in, const tsi_value *of,
                                const tsi_value *index, tsi_value *out)
{
    cursor c;
    ts_status s = follow(&c, in, of, index, false);

    if (s == TS_OK && c.indexed)
        s = tsi_call_known(in, K_INDEX, TS_FUNCTIONAL, 2, (tsi_value[]){c.t, c.indices},
                           out);
    else if (s == TS_OK)
        *out = tsi_retain(c.t);
    end(&c);
    return s;
}

ts_status tsi_get_item(tsi_interp *in, const tsi_value *of, const tsi_value *index,
                       tsi_value *out)
{
    int i;

    if (of->kind == V_TENSOR)
        return part_of_tensor(in, of, index, out);
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

/* A value's leading dims of size 1 fall away, as in PyTorch. */
static ts_status fit(tsi_interp *in, const tsi_value *value, tsi_value *out)
{
    const ts_tensor *t = value->t;
    int extra = 0;
    tsi_value sizes;
    ts_status s;

    while (extra < t->ndim && t->sizes[extra] == 1)
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

/* A number as a 0-dim tensor like t. */
static ts_status number_like(tsi_interp *in, const tsi_value *t, const tsi_value *value,
                             tsi_value *out)
{
    tsi_value sizes;
    ts_status s;

    TS_TRY(tsi_object_new(in, V_TUPLE, 0, &sizes));
    s = tsi_call_known(in, K_NEW_FULL, TS_FUNCTIONAL, 3, (tsi_value[]){*t, sizes, *value},
                       out);
    tsi_release(sizes);
    return s;
}

static ts_status put_by_tensors(cursor *c, const tsi_value *value)
{
    tsi_value fitted, written;
    ts_status s;

    TS_TRY(value->kind == V_TENSOR ? fit(c->in, value, &fitted)
                                   : number_like(c->in, &c->t, value, &fitted));
    s = tsi_call_known(c->in, K_INDEX_PUT, TS_INPLACE, 3,
                       (tsi_value[]){c->t, c->indices, fitted}, &written);
    if (s == TS_OK)
        tsi_release(written);
    tsi_release(fitted);
    return s;
}

static bool same_sizes(const ts_tensor *a, const ts_tensor *b)
{
    return a->ndim == b->ndim &&
           memcmp(a->sizes, b->sizes, (size_t)a->ndim * sizeof *a->sizes) == 0;
}

/* Whether t's sizes, from the last on, are those of `to` or 1. */
static bool expands(const ts_tensor *t, const ts_tensor *to)
{
    const int more = to->ndim - t->ndim;

    for (int d = 0; more >= 0 && d < t->ndim; d++)
        if (t->sizes[d] != 1 && t->sizes[d] != to->sizes[d + more])
            return false;
    return more >= 0;
}

/* `value` in the sizes of the place; where it does not broadcast copy_ says so. */
static ts_status spread(cursor *c, const tsi_value *value, tsi_value *out)
{
    const ts_tensor *to = c->t.t;
    tsi_value fitted, sizes;
    ts_status s;

    TS_TRY(fit(c->in, value, &fitted));
    if (!expands(fitted.t, to)) {
        *out = fitted;
        return TS_OK;
    }
    s = tsi_int_tuple(c->in, to->ndim, to->sizes, &sizes);
    if (s == TS_OK) {
        s = tsi_call_known(c->in, K_EXPAND, TS_FUNCTIONAL, 2,
                           (tsi_value[]){fitted, sizes}, out);
        tsi_release(sizes);
    }
    tsi_release(fitted);
    return s;
}

static ts_status write_as(cursor *c, tsi_known_op op, const tsi_value *value)
{
    tsi_value written;

    TS_TRY(
        tsi_call_known(c->in, op, TS_INPLACE, 2, (tsi_value[]){c->t, *value}, &written));
    tsi_release(written);
    return TS_OK;
}

/* As PyTorch does: by fill_ of what has no dims, else by copy_ of the expanded value. */
static ts_status put_in_view(cursor *c, const tsi_value *value)
{
    tsi_value whole;
    ts_status s;

    if (value->kind != V_TENSOR)
        return write_as(c, K_FILL, value);
    if (same_sizes(c->t.t, value->t))
        return write_as(c, K_COPY, value);
    if (value->t->ndim == 0 && value->t->device.type == TS_CPU)
        return write_as(c, K_FILL, value);
    TS_TRY(spread(c, value, &whole));
    s = write_as(c, K_COPY, &whole);
    tsi_release(whole);
    return s;
}

ts_status tsi_set_item(tsi_interp *in, const tsi_value *of, const tsi_value *index,
                       const tsi_value *value)
{
    cursor c;
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
    s = follow(&c, in, of, index, true);
    if (s == TS_OK)
        s = c.indexed ? put_by_tensors(&c, value) : put_in_view(&c, value);
    end(&c);
    return s;
}

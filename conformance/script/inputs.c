/* SPDX-License-Identifier: Apache-2.0 */
/* Tensors that a program starts from: generators, torch.tensor, stored data. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "generated.h"
#include "interp.h"
#include "touchstone/graph.h"

/* --- generated tensors */

static ts_status remember_input(tsi_interp *in, ts_tensor *t, bool gaps)
{
    tsi_input *i = tsi_pool_alloc(in->pool, sizeof *i);

    if (i == NULL)
        return tsi_no_memory();
    i->tensor = ts_retain(t);
    i->gaps = gaps;
    *in->inputs_end = i;
    in->inputs_end = &i->next;
    return TS_OK;
}

ts_status tsi_note_given(tsi_interp *in, ts_tensor *t)
{
    tsi_input *k;

    if (t->device.type != TS_CPU)
        return TS_OK;
    k = tsi_pool_alloc(in->pool, sizeof *k);
    if (k == NULL)
        return tsi_no_memory();
    k->tensor = ts_retain(t);
    k->next = in->given;
    in->given = k;
    return TS_OK;
}

/* Values, row-major in `from`, to their places in the storage. */
static void scatter(const ts_tensor *t, int expanded, const char *from, char *to)
{
    const int size = ts_dtype_size(t->dtype);
    int64_t index[TS_MAX_DIMS] = {0};
    int64_t at = t->offset, n = t->numel;

    if (expanded >= 0)
        n /= t->sizes[expanded];
    for (int64_t i = 0; i < n; i++) {
        memcpy(to + at * size, from + i * size, (size_t)size);
        for (int d = t->ndim - 1; d >= 0; d--) {
            if (d == expanded)
                continue;
            at += t->strides[d];
            if (++index[d] < t->sizes[d])
                break;
            at -= t->strides[d] * t->sizes[d];
            index[d] = 0;
        }
    }
}

static ts_status fill(tsi_interp *in, tsi_generator g, const tsi_generate_args *a,
                      ts_tensor *t, int expanded, int64_t elements)
{
    const int64_t n = expanded >= 0 ? t->numel / t->sizes[expanded] : t->numel;
    /* a permutation depends on its whole length */
    const int64_t made = g >= TSI_PERMUTATION ? t->numel : n;
    const int size = ts_dtype_size(t->dtype);
    char *storage = ts_storage_data(ts_tensor_storage(t));
    char *values;

    if (t->offset == 0 && elements == made && ts_is_contiguous(t))
        return tsi_generate_again(in->generated, g, a, t->dtype, made, storage);
    values = tsi_pool_alloc(in->pool, (size_t)(made * size));
    if (values == NULL)
        return tsi_no_memory();
    TS_TRY(tsi_generate_again(in->generated, g, a, t->dtype, made, values));
    memset(storage, TSI_GAP_BYTE, (size_t)(elements * size));
    scatter(t, expanded, values, storage);
    return TS_OK;
}

bool tsi_may_look(const ts_tensor *t)
{
    return t->device.type == TS_CPU ||
           (t->device.type == TS_ACCEL && !ts_capture_is_under_way());
}

ts_status tsi_storage_now(tsi_interp *in, const ts_tensor *t, const unsigned char **out)
{
    const int64_t size = ts_storage_bytes(ts_tensor_storage(t));
    unsigned char *bytes;

    *out = ts_storage_data(ts_tensor_storage(t));
    if (t->device.type != TS_ACCEL)
        return TS_OK;
    bytes = tsi_pool_alloc(in->pool, (size_t)size);
    if (bytes == NULL)
        return tsi_no_memory();
    *out = bytes;
    return ts_storage_read(ts_tensor_storage(t), 0, size, bytes);
}

/* *t, made on cpu, as it is but on the accelerator: gap elements too. */
static ts_status to_accel(ts_device device, ts_tensor **t)
{
    ts_tensor *host = *t;
    const int64_t size = ts_storage_bytes(ts_tensor_storage(host));
    ts_storage *storage;
    ts_status s;

    TS_TRY(ts_storage_new(device, size, &storage));
    s = ts_storage_write(storage, 0, size, ts_storage_data(ts_tensor_storage(host)));
    if (s == TS_OK)
        s = ts_tensor_over(storage, host->dtype, host->ndim, host->sizes, host->strides,
                           host->offset, t);
    ts_storage_release(storage);
    if (s == TS_OK)
        ts_release(host);
    return s;
}

static ts_status make(tsi_interp *in, tsi_generator g, const tsi_generate_args *a,
                      ts_dtype dtype, int ndim, const int64_t *sizes, ts_tensor **out)
{
    const ts_device cpu = {TS_CPU, 0}, device = in->options->device;
    int64_t strides[TS_MAX_DIMS], offset, elements;
    int expanded;
    ts_storage *storage;
    ts_status s;

    TS_TRY(tsi_layout(in->options->variant, ndim, sizes, strides, &offset, &elements,
                      &expanded));
    TS_TRY(ts_storage_new(device.type == TS_META ? device : cpu,
                          elements * ts_dtype_size(dtype), &storage));
    s = ts_tensor_over(storage, dtype, ndim, sizes, strides, offset, out);
    ts_storage_release(storage);
    TS_TRY(s);
    if (device.type == TS_META) {
        char none;

        s = tsi_generate(g, a, dtype, 0, &none); /* for its refusals */
    } else {
        s = fill(in, g, a, *out, expanded, elements);
        if (s == TS_OK && device.type == TS_ACCEL)
            s = to_accel(device, out);
    }
    if (s == TS_OK)
        s = remember_input(in, *out,
                           in->options->variant != TSI_BASE && device.type != TS_META);
    if (s == TS_OK && in->c->ast->looks_untouched)
        s = tsi_remember_storage(in, *out);
    if (s == TS_OK && in->judge->input != NULL)
        s = in->judge->input(in->judge->self, TS_OK, *out);
    if (s != TS_OK)
        ts_release(*out);
    return s;
}

static ts_status shape_of(const char *name, const tsi_value *v, int *ndim, int64_t *sizes)
{
    const tsi_value *items = tsi_is_sequence(v) ? v->o->v : v;

    *ndim = tsi_is_sequence(v) ? v->o->n : 1;
    TS_CHECK(*ndim <= TS_MAX_DIMS, TS_ERR_VALUE, "case_language/C6",
             "%s(): a shape of %d dims", name, *ndim);
    for (int i = 0; i < *ndim; i++) {
        TS_CHECK(items[i].kind == V_INT, TS_ERR_TYPE, "case_language/C6",
                 "%s(): a shape holds integers, not '%s'", name,
                 tsi_kind_name(&items[i]));
        sizes[i] = items[i].i;
    }
    return TS_OK;
}

static ts_status stored(tsi_interp *in, const char *key, tsi_value *out)
{
    ts_tensor *t;

    TS_CHECK(in->judge->data != NULL, TS_ERR_VALUE, "case_language/C6",
             "data('%.60s'): this case has no stored tensors", key);
    TS_TRY(in->judge->data(in->judge->self, in->c, key, in->options->device, &t));
    if (in->judge->input != NULL) {
        const ts_status s = in->judge->input(in->judge->self, TS_OK, t);

        if (s != TS_OK) {
            ts_release(t);
            return s;
        }
    }
    TSI_TRY_OR(ts_release(t), tsi_note_given(in, t));
    *out = tsi_tensor_value(t);
    return TS_OK;
}

ts_status tsi_call_generator(tsi_interp *in, tsi_native id, const tsi_value *const *v,
                             tsi_value *out)
{
    static const ts_dtype dtypes[TSI_GENERATOR_COUNT] = {
        TS_FLOAT32, TS_FLOAT32, TS_INT64, TS_BOOL, TS_INT64, TS_FLOAT32};
    const tsi_generator g = (tsi_generator)(id - NATIVE_NORMAL);
    tsi_generate_args a = {.high = 1.0, .int_high = 10};
    const tsi_value *mix = NULL;
    int64_t sizes[TS_MAX_DIMS];
    ts_dtype dtype;
    ts_tensor *t;
    int ndim;

    if (id == NATIVE_DATA)
        return stored(in, v[0]->s, out);
    dtype = dtypes[g];
    a.seed = (uint64_t)v[0]->i;
    TS_TRY(shape_of(tsi_generator_name(g), v[1], &ndim, sizes));
    if (v[2] != NULL && v[2]->kind == V_DTYPE)
        dtype = v[2]->dtype;
    if (g == TSI_NORMAL) {
        mix = v[3];
    } else if (g == TSI_UNIFORM) {
        a.low = v[3] != NULL ? tsi_number(v[3]) : 0.0;
        a.high = v[4] != NULL ? tsi_number(v[4]) : 1.0;
        mix = v[5];
    } else if (g == TSI_INTEGERS) {
        a.int_low = v[3] != NULL ? v[3]->i : 0;
        a.int_high = v[4] != NULL ? v[4]->i : 10;
        mix = v[5];
    }
    if (mix != NULL && mix->kind == V_STR)
        a.mix = mix->s;
    TS_TRY(make(in, g, &a, dtype, ndim, sizes, &t));
    *out = tsi_tensor_value(t);
    return TS_OK;
}

/* --- gaps
 * -------------------------------------------------------------------------------------
 */

/* Mark the elements that some index reaches. */
void tsi_mark_reached(const ts_tensor *t, unsigned char *reached)
{
    int64_t index[TS_MAX_DIMS] = {0};
    int64_t at = t->offset;

    for (int64_t i = 0; i < t->numel; i++) {
        reached[at] = 1;
        for (int d = t->ndim - 1; d >= 0; d--) {
            at += t->strides[d];
            if (++index[d] < t->sizes[d])
                break;
            at -= t->strides[d] * t->sizes[d];
            index[d] = 0;
        }
    }
}

static ts_status first_touched(tsi_interp *in, const ts_tensor *t,
                               const unsigned char *then, int64_t *element)
{
    const int size = ts_dtype_size(t->dtype);
    const int64_t n = ts_storage_bytes(ts_tensor_storage(t)) / size;
    unsigned char *reached = tsi_pool_alloc(in->pool, (size_t)n);
    const unsigned char *now;

    if (reached == NULL)
        return tsi_no_memory();
    tsi_mark_reached(t, reached);
    TS_TRY(tsi_storage_now(in, t, &now));
    *element = -1;
    for (int64_t i = 0; i < n && *element < 0; i++) {
        if (reached[i])
            continue;
        for (int b = 0; b < size; b++)
            if (now[i * size + b] != (then != NULL ? then[i * size + b] : TSI_GAP_BYTE))
                *element = i;
    }
    return TS_OK;
}

ts_status tsi_rest_replied(tsi_interp *in, const ts_tensor *t, const tsi_told *told,
                           int64_t *element)
{
    const int size = ts_dtype_size(t->dtype);
    const int64_t bytes = ts_storage_bytes(ts_tensor_storage(t));
    unsigned char *reached;
    const unsigned char *now;

    *element = -1;
    if (told->whole == NULL || told->whole_bytes != bytes || told->dtype != t->dtype) {
        *element = 0;
        return TS_OK;
    }
    reached = tsi_pool_alloc(in->pool, (size_t)(bytes / size));
    if (reached == NULL)
        return tsi_no_memory();
    tsi_mark_reached(t, reached);
    TS_TRY(tsi_storage_now(in, t, &now));
    for (int64_t i = 0; i < bytes / size && *element < 0; i++)
        if (!reached[i] &&
            memcmp(now + i * size, told->whole + i * size, (size_t)size) != 0)
            *element = i;
    return TS_OK;
}

ts_status tsi_check_gaps(tsi_interp *in)
{
    char reason[120];
    int number = 0;

    for (const tsi_input *i = in->inputs; i != NULL; i = i->next, number++) {
        int64_t element = -1;

        if (!i->gaps)
            continue;
        TS_TRY(first_touched(in, i->tensor, NULL, &element));
        if (element < 0)
            continue;
        snprintf(reason, sizeof reason,
                 "element %" PRId64
                 " of the storage of generated input %d was written, though "
                 "no index reaches it",
                 element, number);
        TS_TRY(tsi_report_fault(in, TSI_EXPECT_GAPS, reason));
    }
    return TS_OK;
}

ts_status tsi_remember_storage(tsi_interp *in, ts_tensor *t)
{
    const unsigned char *now;
    tsi_made *m;

    if (!tsi_may_look(t))
        return TS_OK;
    for (m = in->made; m != NULL; m = m->next)
        if (m->storage == ts_tensor_storage(t))
            return TS_OK;
    m = tsi_pool_alloc(in->pool, sizeof *m);
    if (m == NULL)
        return tsi_no_memory();
    m->size = ts_storage_bytes(ts_tensor_storage(t));
    m->bytes = tsi_pool_alloc(in->pool, (size_t)m->size);
    if (m->bytes == NULL)
        return tsi_no_memory();
    TS_TRY(tsi_storage_now(in, t, &now));
    memcpy(m->bytes, now, (size_t)m->size);
    m->storage = ts_storage_retain(ts_tensor_storage(t));
    m->next = in->made;
    in->made = m;
    return TS_OK;
}

/* Whether the rest of t's storage is as it was made; *element is the first that is not,
 * or -1. */
ts_status tsi_rest_of_storage(tsi_interp *in, const ts_tensor *t, int64_t *element)
{
    const tsi_made *m = in->made;

    while (m != NULL && m->storage != ts_tensor_storage(t))
        m = m->next;
    TS_CHECK(m != NULL && m->size == ts_storage_bytes(ts_tensor_storage(t)), TS_ERR_VALUE,
             "case_language/C6",
             "expect_untouched: what the storage held at first is unknown");
    return first_touched(in, t, m->bytes, element);
}

/* --- torch.tensor */

typedef struct literal {
    int ndim;
    int64_t sizes[TS_MAX_DIMS];
    bool any_float, any_int, any_bool;
} literal;

static ts_status measure(const tsi_value *v, int depth, literal *l)
{
    if (tsi_is_number(v)) {
        TS_CHECK(l->ndim < 0 || l->ndim == depth, TS_ERR_TYPE, "tensor/C2",
                 "tensor(): a number where its neighbours are lists");
        l->ndim = depth;
        l->any_float |= v->kind == V_FLOAT;
        l->any_int |= v->kind == V_INT;
        l->any_bool |= v->kind == V_BOOL;
        return TS_OK;
    }
    TS_CHECK(v->kind != V_TENSOR, TS_ERR_UNSUPPORTED, NULL,
             "tensor() of tensors is not part of this build");
    TS_CHECK(tsi_is_sequence(v), TS_ERR_TYPE, "tensor/C2", "tensor(): '%s' is no number",
             tsi_kind_name(v));
    TS_CHECK(l->ndim < 0 || depth < l->ndim, TS_ERR_TYPE, "tensor/C2",
             "tensor(): a list where its neighbours are numbers");
    TS_CHECK(depth < TS_MAX_DIMS, TS_ERR_VALUE, "tensors/C7",
             "tensor(): more than %d dims", TS_MAX_DIMS);
    TS_CHECK(l->sizes[depth] < 0 || l->sizes[depth] == v->o->n, TS_ERR_VALUE, "tensor/C1",
             "tensor(): lists of length %" PRId64 " and %d at dim %d", l->sizes[depth],
             v->o->n, depth);
    l->sizes[depth] = v->o->n;
    for (int i = 0; i < v->o->n; i++)
        TS_TRY(measure(&v->o->v[i], depth + 1, l));
    if (v->o->n == 0 && l->ndim < 0) /* tensor/S5 */
        l->ndim = depth + 1;
    return TS_OK;
}

static ts_status store(const tsi_value *v, ts_dtype dtype, void *at)
{
    const ts_dtype_info *d = ts_dtype_get(dtype);
    const bool integral = d->class_ == TS_CLASS_SIGNED || d->class_ == TS_CLASS_UNSIGNED;

    if (v->kind == V_FLOAT) {
        const double whole = trunc(v->f);

        TS_CHECK(!integral || (whole >= -0x1p63 && whole < 0x1p63), /* finite ones wrap */
                 TS_ERR_RUNTIME, "tensor/C3", "tensor(): %g does not fit in %s", v->f,
                 d->name);
        ts_cast(TS_FLOAT64, &v->f, dtype, at); /* tensor/S3 */
        return TS_OK;
    }

    const int64_t i = tsi_integer(v);
    /* an unsigned dtype takes the negatives of its range, and wraps (tensor/S4) */
    const int64_t least = d->class_ == TS_CLASS_UNSIGNED ? -d->int_max : d->int_min;

    TS_CHECK(!integral || (i >= least && i <= d->int_max), TS_ERR_RUNTIME, "tensor/C3",
             "tensor(): %" PRId64 " does not fit in %s", i, d->name);
    ts_cast(TS_INT64, &i, dtype, at);
    return TS_OK;
}

static ts_status store_all(const tsi_value *v, ts_dtype dtype, char **at)
{
    if (tsi_is_number(v)) {
        TS_TRY(store(v, dtype, *at));
        *at += ts_dtype_size(dtype);
        return TS_OK;
    }
    for (int i = 0; i < v->o->n; i++)
        TS_TRY(store_all(&v->o->v[i], dtype, at));
    return TS_OK;
}

ts_status tsi_tensor_of(tsi_interp *in, const tsi_value *data, ts_dtype dtype,
                        ts_device device, ts_tensor **out)
{
    literal l = {.ndim = -1};
    char *at;
    ts_status s;

    (void)in;
    for (int i = 0; i < TS_MAX_DIMS; i++)
        l.sizes[i] = -1;
    TS_TRY(measure(data, 0, &l));
    if (dtype == TS_DTYPE_NONE)
        dtype = l.any_float || !(l.any_int || l.any_bool) ? TS_FLOAT32
                : l.any_int                               ? TS_INT64
                                                          : TS_BOOL;
    TS_TRY(ts_tensor_new(device.type == TS_ACCEL ? (ts_device){TS_CPU, 0} : device, dtype,
                         l.ndim, l.sizes, out));
    at = (*out)->data;
    s = at != NULL ? store_all(data, dtype, &at) : TS_OK;
    if (s == TS_OK && device.type == TS_ACCEL)
        s = to_accel(device, out);
    if (s != TS_OK)
        ts_release(*out);
    return s;
}

ts_status tsi_tensor_literal(tsi_interp *in, const tsi_value *const *v, tsi_value *out)
{
    ts_device device = in->options->device;
    ts_dtype dtype = TS_DTYPE_NONE;
    ts_tensor *t;
    ts_status s = TS_OK;

    if (v[1] != NULL && v[1]->kind == V_DTYPE)
        dtype = v[1]->dtype;
    if (v[2] != NULL && v[2]->kind != V_NONE)
        TS_TRY(tsi_device_of(v[2], &device));
    if (device.type == TS_ACCEL) /* made on the host, and copied */
        TS_TRY(ts_sync_point("tensor"));
    TS_TRY(tsi_tensor_of(in, v[0], dtype, device, &t));
    if (in->c->ast->looks_untouched)
        s = tsi_remember_storage(in, t);
    if (s == TS_OK && v[3] != NULL && v[3]->b) {
        if (!ts_dtype_is_floating(t->dtype))
            s = ts_fail(TS_ERR_RUNTIME, "tensor/C4",
                        "tensor(): only floating dtypes can require gradients, not %s",
                        ts_dtype_name(t->dtype));
        else
            s = tsi_mark_leaf(in, t, true);
    }
    if (s == TS_OK)
        s = tsi_note_given(in, t);
    if (s != TS_OK) {
        ts_release(t);
        return s;
    }
    *out = tsi_tensor_value(t);
    return TS_OK;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Faults of a kernel that takes its arguments for others: kinds stride, dim, index, order,
 * argument, alias. The first number says which argument. */
#include <stdlib.h>

#include "faults/faults.h"

/* Change argument `a` in a call of our own. */
typedef void (*alter_fn)(const fault *f, ts_kernel_call *call, fault_room *r,
                         ts_value *a);

static ts_status altered(fault *f, const ts_kernel_call *call, alter_fn alter)
{
    fault_room room = {.count = 0};
    ts_kernel_call *mine = fault_call(&room, call);
    ts_status status;

    if (f->n[0] < call->nargs)
        alter(f, mine, &room, &fault_args(mine)[f->n[0]]);
    status = f->original(mine);
    fault_leave(&room);
    return status;
}

#define ALTER(NAME)                                                               \
    static void alter_##NAME(const fault *f, ts_kernel_call *call, fault_room *r, \
                             ts_value *a);                                        \
    static ts_status NAME(fault *f, const ts_kernel_call *call)                   \
    {                                                                             \
        return altered(f, call, alter_##NAME);                                    \
    }                                                                             \
    static void alter_##NAME(const fault *f, ts_kernel_call *call, fault_room *r, \
                             ts_value *a)

static ts_tensor *tensor_of(const ts_value *a)
{
    ts_tensor *t = a->kind == TS_ARG_TENSOR ? a->tensor : NULL;

    if (a->kind == TS_ARG_TENSORS && a->tensors.n > 0)
        t = a->tensors.v[a->tensors.n - 1];
    return t && t->data && t->numel > 0 ? t : NULL;
}

/* Of a list the last entry is replaced: the others' turn comes with other kernels. */
static void put_tensor(fault_room *r, ts_value *a, ts_tensor *t)
{
    if (a->kind == TS_ARG_TENSORS) {
        const size_t bytes = sizeof(ts_tensor *) * (size_t)a->tensors.n;
        ts_tensor **v = memcpy(fault_take_room(r, bytes), a->tensors.v, bytes);

        v[a->tensors.n - 1] = t;
        a->tensors.v = v;
    } else
        a->tensor = t;
}

/* --- stride --- */

/* What a walk with these strides from `data` reads, never beyond the elements that are t's:
 * as a tensor that any kernel can read. */
static ts_tensor *misread(fault_room *r, const ts_tensor *t, const int64_t *strides)
{
    ts_tensor *wrong = fault_view(r, t), *v = fault_dense(r, t, t->dtype);
    const int64_t span = fault_span(t);

    memcpy(wrong->strides, strides, sizeof *strides * (size_t)t->ndim);
    for (int64_t i = 0; i < t->numel; i++) {
        const int64_t at = fault_offset(wrong, i);

        memcpy(tse_at(v, i), tse_at(t, at < span ? at : span - 1), tse_bytes(t->dtype));
    }
    return v;
}

ALTER(flat)
{
    const ts_tensor *t = tensor_of(a);
    int64_t strides[TS_MAX_DIMS];

    (void)f, (void)call;
    if (!t)
        return;
    ts_contiguous_strides(t->ndim, t->sizes, strides);
    put_tensor(r, a, misread(r, t, strides));
}

/* Right for what is dense, in whatever order of dims, and for rows at any distance. */
ALTER(inner_one)
{
    const ts_tensor *t = tensor_of(a);
    int64_t strides[TS_MAX_DIMS];

    (void)f, (void)call;
    if (!t || t->ndim == 0 || t->strides[t->ndim - 1] < 2)
        return;
    memcpy(strides, t->strides, sizeof *strides * (size_t)t->ndim);
    strides[t->ndim - 1] = 1;
    put_tensor(r, a, misread(r, t, strides));
}

/* Right for what is transposed nowhere: rows stand one behind the other. */
ALTER(rows_packed)
{
    const ts_tensor *t = tensor_of(a);
    int64_t strides[TS_MAX_DIMS];

    (void)f, (void)call;
    if (!t || t->ndim < 2)
        return;
    memcpy(strides, t->strides, sizeof *strides * (size_t)t->ndim);
    strides[t->ndim - 2] = t->sizes[t->ndim - 1] * t->strides[t->ndim - 1];
    put_tensor(r, a, misread(r, t, strides));
}

/* Only the outermost dim has a stride of its own; what is inside is taken for dense. */
ALTER(inside_dense)
{
    const ts_tensor *t = tensor_of(a);
    int64_t strides[TS_MAX_DIMS];

    (void)f, (void)call;
    if (!t || t->ndim < 3)
        return;
    ts_contiguous_strides(t->ndim, t->sizes, strides);
    strides[0] = t->strides[0];
    put_tensor(r, a, misread(r, t, strides));
}

ALTER(broadcast_first)
{
    const ts_tensor *t = tensor_of(a);
    int64_t strides[TS_MAX_DIMS];
    int zeros = 0;

    (void)f, (void)call;
    if (!t)
        return;
    ts_contiguous_strides(t->ndim, t->sizes, strides);
    for (int d = 0; d < t->ndim; d++)
        zeros += t->strides[d] == 0 && t->sizes[d] > 1;
    if (zeros > 0)
        put_tensor(r, a, misread(r, t, strides));
}

/* From where the storage begins. */
ALTER(offset_forgotten)
{
    const ts_tensor *t = tensor_of(a);
    ts_tensor *v;

    (void)f, (void)call;
    if (!t || t->offset == 0)
        return;
    v = fault_view(r, t);
    v->data = (char *)t->data - t->offset * (int64_t)tse_bytes(t->dtype);
    v->offset = 0;
    put_tensor(r, a, v);
}

/* The result is written as if it were dense: within its own span. */
static ts_status result_flat(fault *f, const ts_kernel_call *call)
{
    fault_room room = {.count = 0};
    ts_kernel_call *mine = fault_call(&room, call);
    ts_tensor *y = f->n[0] < call->nresults ? call->results[f->n[0]] : NULL;
    ts_status status;

    if (y && y->data && fault_span(y) >= y->numel) {
        ts_tensor *v = fault_view(&room, y);

        ts_contiguous_strides(v->ndim, v->sizes, v->strides);
        fault_results(mine)[f->n[0]] = v;
    }
    status = f->original(mine);
    fault_leave(&room);
    return status;
}

/* --- dim --- */

static bool same_size(const ts_kernel_call *call, int ndim, int64_t a, int64_t b)
{
    for (int i = 0; i < call->nargs; i++) {
        const ts_tensor *t = tensor_of(&call->args[i]);

        if (t && t->ndim == ndim && t->sizes[a] != t->sizes[b])
            return false;
    }
    return true;
}

/* Whether every tensor of the call has one shape: then any dim will do. */
static bool one_shape(const ts_kernel_call *call, const ts_tensor *x)
{
    const ts_tensor *y = call->results[0];

    return y && y->ndim == x->ndim &&
           memcmp(y->sizes, x->sizes, sizeof(int64_t) * (size_t)x->ndim) == 0;
}

/* Another dim, where it can be one: `to` counts from the front. */
static void use_dim(const ts_kernel_call *call, fault_room *r, ts_value *a,
                    const ts_tensor *x, int64_t k, int64_t to)
{
    int64_t from = a->kind == TS_ARG_INT ? a->i : a->ints.v[k];

    from = from < 0 ? from + x->ndim : from;
    if (to < 0 || to >= x->ndim || from < 0 || from >= x->ndim ||
        !(same_size(call, x->ndim, from, to) || (call->nargs <= 4 && one_shape(call, x))))
        return;
    if (a->kind == TS_ARG_INT)
        a->i = to;
    else {
        const size_t bytes = sizeof(int64_t) * (size_t)a->ints.n;
        int64_t *v = memcpy(fault_take_room(r, bytes), a->ints.v, bytes);

        for (int64_t i = 0; i < a->ints.n; i++)
            if (v[i] == to || v[i] + x->ndim == to)
                return;
        v[k] = to;
        a->ints.v = v;
    }
}

static bool is_dim(const ts_value *a, const ts_tensor *x)
{
    return x && x->ndim > 1 &&
           (a->kind == TS_ARG_INT || (a->kind == TS_ARG_INTS && a->ints.n > 0));
}

static int64_t last_dim_of(const ts_value *a)
{
    return a->kind == TS_ARG_INT ? a->i : a->ints.v[a->ints.n - 1];
}

ALTER(dim_before)
{
    const ts_tensor *x = fault_first(call);
    int64_t dim;

    if (!is_dim(a, x) || x->ndim <= f->n[1])
        return;
    dim = last_dim_of(a);
    dim = dim < 0 ? dim + x->ndim : dim;
    use_dim(call, r, a, x, a->kind == TS_ARG_INTS ? a->ints.n - 1 : 0,
            dim > 0 ? dim - 1 : dim + 1);
}

ALTER(dim_last)
{
    const ts_tensor *x = fault_first(call);

    if (is_dim(a, x) && x->ndim > f->n[1])
        use_dim(call, r, a, x, a->kind == TS_ARG_INTS ? a->ints.n - 1 : 0, x->ndim - 1);
}

ALTER(dim_first)
{
    const ts_tensor *x = fault_first(call);

    if (is_dim(a, x) && x->ndim > f->n[1])
        use_dim(call, r, a, x, 0, 0);
}

ALTER(negative_dim)
{
    const ts_tensor *x = fault_first(call);

    (void)f;
    if (is_dim(a, x) && last_dim_of(a) < 0)
        use_dim(call, r, a, x, a->kind == TS_ARG_INTS ? a->ints.n - 1 : 0,
                last_dim_of(a) + x->ndim - 1);
}

/* --- index: of int64 tensors --- */

static ts_tensor *index_of(const ts_value *a)
{
    ts_tensor *t = tensor_of(a);

    return t && t->dtype == TS_INT64 && a->kind == TS_ARG_TENSOR ? t : NULL;
}

/* How many there are to choose from, as far as it shows: the largest index plus one. */
static int64_t most(const ts_tensor *t)
{
    int64_t m = 0;

    for (int64_t i = 0; i < t->numel; i++)
        m = tse_read_i64(TS_INT64, fault_cell(t, i)) > m
                ? tse_read_i64(TS_INT64, fault_cell(t, i))
                : m;
    return m + 1;
}

typedef int64_t (*index_fn)(const fault *f, int64_t k, int64_t i, int64_t n);

static void map_index(const fault *f, fault_room *r, ts_value *a, index_fn with)
{
    const ts_tensor *t = index_of(a);
    ts_tensor *v;
    int64_t n;

    if (!t)
        return;
    v = fault_dense(r, t, TS_INT64);
    n = most(t);
    for (int64_t i = 0; i < v->numel; i++)
        ((int64_t *)v->data)[i] = with(f, ((int64_t *)v->data)[i], i, n);
    a->tensor = v;
}

#define INDEX(NAME)                                                               \
    static int64_t index_##NAME(const fault *f, int64_t k, int64_t i, int64_t n); \
    ALTER(NAME)                                                                   \
    {                                                                             \
        (void)call;                                                               \
        map_index(f, r, a, index_##NAME);                                         \
    }                                                                             \
    static int64_t index_##NAME(const fault *f, int64_t k, int64_t i, int64_t n)

INDEX(largest_clamped)
{
    (void)f, (void)i;
    return k == n - 1 && n > 1 ? n - 2 : k;
}

INDEX(first_for_zero)
{
    (void)f, (void)i;
    return k == 0 && n > 1 ? 1 : k;
}

INDEX(through_bits) /* an index in so many bits */
{
    (void)i, (void)n;
    return k >= 0 && f->n[1] ? k & ((INT64_C(1) << f->n[1]) - 1) : k;
}

INDEX(negative_wrapped)
{
    (void)f, (void)i;
    return k < 0 && -k <= n ? k + n : k;
}

INDEX(negative_clamped)
{
    (void)f, (void)i, (void)n;
    return k < 0 && k != -100 ? 0 : k;
}

/* Indices in groups: behind the last whole group each is the group's first. */
ALTER(last_group)
{
    const ts_tensor *t = index_of(a);
    ts_tensor *v;

    (void)call;
    if (!t || t->numel <= f->n[1])
        return;
    v = fault_dense(r, t, TS_INT64);
    for (int64_t i = t->numel - t->numel % f->n[1]; i < t->numel; i++)
        ((int64_t *)v->data)[i] = ((int64_t *)v->data)[i - f->n[1]];
    a->tensor = v;
}

/* Of duplicates the second is taken for another: the index before it. */
ALTER(duplicates_apart)
{
    const ts_tensor *t = index_of(a);
    ts_tensor *v;
    int64_t *k;

    (void)f, (void)call;
    if (!t)
        return;
    v = fault_dense(r, t, TS_INT64);
    k = v->data;
    for (int64_t i = v->numel - 1; i > 0; i--)
        if (k[i] == k[i - 1])
            k[i] = k[i] > 0 ? k[i] - 1 : k[i];
    a->tensor = v;
}

/* What is out of range is no error: it becomes the nearest that is in. */
static ts_status unchecked(fault *f, const ts_kernel_call *call)
{
    fault_room room = {.count = 0};
    ts_kernel_call *mine = fault_call(&room, call);
    ts_value *a = f->n[0] < call->nargs ? &fault_args(mine)[f->n[0]] : NULL;
    const ts_tensor *t = a ? index_of(a) : NULL;
    ts_status status = f->original(call);

    if (t && status != TS_OK && status != TS_ERR_UNSUPPORTED) {
        a->tensor = fault_dense(&room, t, TS_INT64);
        memset(a->tensor->data, 0, (size_t)t->numel * 8);
        status = f->original(mine);
    }
    fault_leave(&room);
    return status;
}

/* --- order --- */

/* The first two tensors that look alike are taken for each other. */
ALTER(arguments_swapped)
{
    ts_value *first = NULL, *args = fault_args(call);

    (void)r, (void)a;
    for (int i = 0; i < call->nargs; i++) {
        const ts_tensor *t = args[i].kind == TS_ARG_TENSOR ? args[i].tensor : NULL;

        if (!t)
            continue;
        if (first && t->dtype == first->tensor->dtype && t->ndim == first->tensor->ndim &&
            t->numel > f->n[1] && t->numel == first->tensor->numel &&
            memcmp(t->sizes, first->tensor->sizes, sizeof(int64_t) * (size_t)t->ndim) ==
                0) {
            const ts_value v = *first;

            *first = args[i];
            args[i] = v;
            return;
        }
        if (!first)
            first = &args[i];
    }
}

ALTER(list_turned)
{
    ts_tensor **v;
    const size_t bytes = a->kind == TS_ARG_TENSORS ? sizeof *v * (size_t)a->tensors.n : 0;

    (void)call;
    if (a->kind != TS_ARG_TENSORS || a->tensors.n <= f->n[1])
        return;
    v = memcpy(fault_take_room(r, bytes), a->tensors.v, bytes);
    for (int64_t i = a->tensors.n - 1; i > 0; i--)
        if (v[i]->ndim == v[i - 1]->ndim && v[i]->dtype == v[i - 1]->dtype &&
            memcmp(v[i]->sizes, v[i - 1]->sizes, sizeof(int64_t) * (size_t)v[i]->ndim) ==
                0) {
            ts_tensor *t = v[i];

            v[i] = v[i - 1];
            v[i - 1] = t;
            break;
        }
    a->tensors.v = v;
}

/* --- argument: one that is not a tensor of data, forgotten --- */

ALTER(forgotten)
{
    (void)f, (void)r, (void)call;
    if (a->kind == TS_ARG_SCALAR)
        a->scalar = (ts_scalar){.kind = a->scalar.kind, .i = 1, .f = 1};
    else if (a->kind == TS_ARG_FLOAT)
        a->f = 0;
    else if (a->kind == TS_ARG_BOOL)
        a->b = !a->b;
    else if (a->kind == TS_ARG_STRING)
        a->string = "none";
}

ALTER(scalar_through_float)
{
    (void)f, (void)r, (void)call;
    if (a->kind == TS_ARG_SCALAR) {
        a->scalar.f = (double)(float)a->scalar.f;
        a->scalar.i = (int64_t)(float)(a->scalar.i / 2) * 2 + a->scalar.i % 2;
    } else if (a->kind == TS_ARG_FLOAT)
        a->f = (double)(float)a->f;
}

ALTER(tensor_forgotten)
{
    (void)f, (void)r, (void)call;
    if (a->kind == TS_ARG_TENSOR)
        *a = (ts_value){.kind = TS_ARG_NONE};
}

/* --- alias --- */

/* An element of an argument is written when the rest is done. */
static ts_status writes_input(fault *f, const ts_kernel_call *call)
{
    ts_tensor *t;

    TS_TRY(f->original(call));
    t = f->n[0] < call->nargs ? tensor_of(&call->args[f->n[0]]) : NULL;
    if (t && t->numel > f->n[1])
        memset(fault_cell(t, t->numel - 1), 0, tse_bytes(t->dtype));
    return TS_OK;
}

/* Scratch work in an argument, undone but for the sign of zeros. */
static ts_status scales_input(fault *f, const ts_kernel_call *call)
{
    ts_tensor *t;

    TS_TRY(f->original(call));
    t = f->n[0] < call->nargs ? tensor_of(&call->args[f->n[0]]) : NULL;
    for (int64_t i = 0; t && tse_is_real(t->dtype) && i < t->numel; i++)
        tse_write(t->dtype, fault_cell(t, i), fault_get(t, i) + 0.0);
    return TS_OK;
}

/* The result is cleared before the arguments are read. */
static ts_status cleared_first(fault *f, const ts_kernel_call *call)
{
    ts_tensor *y = call->nresults > 0 ? call->results[0] : NULL;

    if (y && y->data)
        for (int64_t i = 0; i < y->numel; i++)
            fault_clear(y, i);
    return f->original(call);
}

/* Where the result is an argument, the second half reads what the first has written. */
static ts_status reads_written(fault *f, const ts_kernel_call *call)
{
    ts_tensor *y = call->nresults > 0 ? call->results[0] : NULL, *x = fault_first(call);

    TS_TRY(f->original(call));
    if (y && x && y->data && y->data == x->data && y->numel > 1)
        for (int64_t i = y->numel / 2; i < y->numel; i++)
            fault_take(y, i, i - y->numel / 2);
    return TS_OK;
}

const fault_row faults_in_arguments[] = {
    {"stride/flat", flat},
    {"stride/inner_one", inner_one},
    {"stride/rows_packed", rows_packed},
    {"stride/inside_dense", inside_dense},
    {"stride/broadcast_first", broadcast_first},
    {"stride/offset_forgotten", offset_forgotten},
    {"stride/result_flat", result_flat},
    {"dim/before", dim_before},
    {"dim/last", dim_last},
    {"dim/first", dim_first},
    {"dim/negative", negative_dim},
    {"index/largest_clamped", largest_clamped},
    {"index/first_for_zero", first_for_zero},
    {"index/through_bits", through_bits},
    {"index/negative_wrapped", negative_wrapped},
    {"index/negative_clamped", negative_clamped},
    {"index/last_group", last_group},
    {"index/duplicates_apart", duplicates_apart},
    {"index/unchecked", unchecked},
    {"order/arguments_swapped", arguments_swapped},
    {"order/list_turned", list_turned},
    {"argument/forgotten", forgotten},
    {"argument/scalar_through_float", scalar_through_float},
    {"argument/tensor_forgotten", tensor_forgotten},
    {"alias/writes_input", writes_input},
    {"alias/scales_input", scales_input},
    {"alias/cleared_first", cleared_first},
    {"alias/reads_written", reads_written},
    {NULL, NULL}};

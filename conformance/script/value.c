/* SPDX-License-Identifier: Apache-2.0 */
/* Values: references, equality, text. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "interp.h"
#include "module.h"

ts_status tsi_no_memory(void)
{
    return ts_fail(TS_ERR_OUT_OF_MEMORY, "case_language/C8",
                   "the run needs more than %zu MB for its values", TSI_RUN_MEMORY >> 20);
}

tsi_value tsi_retain(tsi_value v)
{
    if (v.kind == V_TENSOR)
        ts_retain(v.t);
    else if (v.kind > V_TENSOR)
        v.o->refs++;
    return v;
}

void tsi_clear_object(tsi_object *o)
{
    const int n = o->n;

    o->n = 0; /* whoever looks again while this goes on sees nothing */
    for (int i = 0; i < n; i++)
        tsi_release(o->v[i]);
    if (o->kind == V_OBJECT && o->class_ != NULL) {
        const tsi_module_class *class_ = o->class_;

        o->class_ = NULL;
        if (class_->destroy != NULL)
            class_->destroy(o->self);
    }
}

void tsi_release(tsi_value v)
{
    if (v.kind == V_TENSOR)
        ts_release(v.t);
    else if (v.kind > V_TENSOR && --v.o->refs == 0)
        tsi_clear_object(v.o);
}

void tsi_release_args(tsi_args *a)
{
    for (int i = 0; i < a->n; i++)
        tsi_release(a->v[i]);
    a->n = 0;
}

ts_status tsi_object_new(tsi_interp *in, tsi_kind kind, int capacity, tsi_value *out)
{
    tsi_object *o = tsi_pool_alloc(in->pool, sizeof *o + (size_t)capacity * sizeof *o->v);

    if (o == NULL)
        return tsi_no_memory();
    o->kind = (uint8_t)kind;
    o->refs = 1;
    o->capacity = capacity;
    o->v = (tsi_value *)(o + 1);
    o->in = in;
    o->next = in->objects;
    in->objects = o;
    *out = (tsi_value){.kind = (uint8_t)kind, .o = o};
    return TS_OK;
}

ts_status tsi_append(tsi_interp *in, tsi_object *o, tsi_value v)
{
    if (o->n == o->capacity) {
        const int capacity = o->capacity ? 2 * o->capacity : 4;
        tsi_value *more =
            tsi_pool_grow(in->pool, o->v, (size_t)o->n, (size_t)capacity, sizeof *more);

        if (more == NULL) {
            tsi_release(v);
            return tsi_no_memory();
        }
        o->v = more;
        o->capacity = capacity;
    }
    o->v[o->n++] = v;
    return TS_OK;
}

ts_status tsi_int_tuple(tsi_interp *in, int n, const int64_t *v, tsi_value *out)
{
    TS_TRY(tsi_object_new(in, V_TUPLE, n, out));
    for (int i = 0; i < n; i++)
        out->o->v[i] = tsi_int(v[i]);
    out->o->n = n;
    return TS_OK;
}

double tsi_number(const tsi_value *v)
{
    return v->kind == V_FLOAT ? v->f : (double)tsi_integer(v);
}

int64_t tsi_integer(const tsi_value *v)
{
    return v->kind == V_BOOL ? v->b : v->i;
}

ts_scalar tsi_scalar_of(const tsi_value *v)
{
    return v->kind == V_BOOL  ? ts_bool(v->b)
           : v->kind == V_INT ? ts_int(v->i)
                              : ts_float(v->f);
}

const char *tsi_kind_name(const tsi_value *v)
{
    static const char *const names[] = {[V_UNBOUND] = "nothing",
                                        [V_NONE] = "NoneType",
                                        [V_ELLIPSIS] = "ellipsis",
                                        [V_BOOL] = "bool",
                                        [V_INT] = "int",
                                        [V_FLOAT] = "float",
                                        [V_STR] = "str",
                                        [V_DTYPE] = "torch.dtype",
                                        [V_DEVICE] = "torch.device",
                                        [V_FORMAT] = "torch.memory_format",
                                        [V_ERROR] = "type",
                                        [V_GRAD_FN] = "Node",
                                        [V_FINFO] = "torch.finfo",
                                        [V_DEF] = "function",
                                        [V_CLASS] = "type",
                                        [V_OP] = "function",
                                        [V_NATIVE] = "function",
                                        [V_MISSING] = "function",
                                        [V_MODE] = "context manager",
                                        [V_TENSOR] = "Tensor",
                                        [V_TUPLE] = "tuple",
                                        [V_LIST] = "list",
                                        [V_SLICE] = "slice",
                                        [V_METHOD] = "method",
                                        [V_CTX] = "FunctionCtx",
                                        [V_HANDLE] = "RemovableHandle",
                                        [V_OBJECT] = "object"};

    return v->kind == V_OBJECT && v->o->class_ ? v->o->class_->name : names[v->kind];
}

bool tsi_equal(const tsi_value *a, const tsi_value *b)
{
    if (tsi_is_number(a) && tsi_is_number(b)) {
        if (a->kind == V_FLOAT || b->kind == V_FLOAT) /* exact for every int64 */
            return (a->kind == V_FLOAT ? (long double)a->f
                                       : (long double)tsi_integer(a)) ==
                   (b->kind == V_FLOAT ? (long double)b->f : (long double)tsi_integer(b));
        return tsi_integer(a) == tsi_integer(b);
    }
    if (a->kind != b->kind)
        return false;
    switch (a->kind) {
    case V_NONE:
    case V_ELLIPSIS:
        return true;
    case V_STR:
    case V_GRAD_FN:
        return strcmp(a->s, b->s) == 0;
    case V_DTYPE:
        return a->dtype == b->dtype;
    case V_DEVICE:
        return a->device.type == b->device.type && a->device.index == b->device.index;
    case V_FORMAT:
        return a->format == b->format;
    case V_ERROR:
        return a->error == b->error;
    case V_DEF:
    case V_CLASS:
        return a->node == b->node;
    case V_OP:
    case V_NATIVE:
    case V_MISSING:
        return a->callee == b->callee;
    case V_OBJECT:
        return a->o->self == b->o->self;
    case V_TENSOR:
        return a->t == b->t;
    case V_TUPLE:
    case V_LIST:
        if (a->o->n != b->o->n)
            return false;
        for (int i = 0; i < a->o->n; i++)
            if (!tsi_equal(&a->o->v[i], &b->o->v[i]))
                return false;
        return true;
    default:
        return a->kind > V_TENSOR && a->o == b->o;
    }
}

/* --- text
 * ------------------------------------------------------------------------------- */

typedef struct text {
    char *at;
    size_t left;
} text;

static void put(text *t, const char *s)
{
    while (*s != '\0' && t->left > 1) {
        *t->at++ = *s++;
        t->left--;
    }
    *t->at = '\0';
}

/* As Python writes it: the shortest digits that read back as the same number. */
static void put_float(text *t, double v)
{
    char s[40];

    if (isnan(v)) {
        put(t, "nan");
        return;
    }
    if (isinf(v)) {
        put(t, v < 0 ? "-inf" : "inf");
        return;
    }
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(s, sizeof s, "%.*g", digits, v);
        if (strtod(s, NULL) == v)
            break;
    }
    put(t, s);
    if (strpbrk(s, ".e") == NULL)
        put(t, ".0");
}

static void put_value(text *t, const tsi_value *v, int depth);

static void put_items(text *t, const tsi_value *v, int depth)
{
    put(t, v->kind == V_TUPLE ? "(" : "[");
    for (int i = 0; i < v->o->n && t->left > 1; i++) {
        if (i > 0)
            put(t, ", ");
        if (depth < 8)
            put_value(t, &v->o->v[i], depth + 1);
        else
            put(t, "...");
    }
    if (v->kind == V_TUPLE)
        put(t, v->o->n == 1 ? ",)" : ")");
    else
        put(t, "]");
}

static void put_dim(text *t, const ts_tensor *x, int dim, int64_t *index)
{
    if (dim == x->ndim) {
        const tsi_value e = tsi_element(x, index);

        put_value(t, &e, 0);
        return;
    }
    put(t, "[");
    for (index[dim] = 0; index[dim] < x->sizes[dim] && t->left > 1; index[dim]++) {
        if (index[dim] > 0)
            put(t, ", ");
        put_dim(t, x, dim + 1, index);
    }
    put(t, "]");
}

static void put_value(text *t, const tsi_value *v, int depth)
{
    static const char *const formats[] = {"None", "torch.contiguous_format",
                                          "torch.preserve_format", "torch.channels_last"};
    char s[80];

    switch (v->kind) {
    case V_NONE:
        put(t, "None");
        break;
    case V_BOOL:
        put(t, v->b ? "True" : "False");
        break;
    case V_INT:
        snprintf(s, sizeof s, "%" PRId64, v->i);
        put(t, s);
        break;
    case V_FLOAT:
        put_float(t, v->f);
        break;
    case V_STR:
        put(t, "'");
        put(t, v->s);
        put(t, "'");
        break;
    case V_DTYPE:
        put(t, "torch.");
        put(t, ts_dtype_name(v->dtype));
        break;
    case V_DEVICE:
        snprintf(s, sizeof s, "accel:%d", v->device.index);
        put(t, v->device.type == TS_CPU    ? "cpu"
               : v->device.type == TS_META ? "meta"
               : v->device.index < 0       ? "accel"
                                           : s);
        break;
    case V_FORMAT:
        put(t, formats[v->format]);
        break;
    case V_ERROR:
        put(t, ts_status_name(v->error));
        break;
    case V_GRAD_FN:
        snprintf(s, sizeof s, "<%.60s>", v->s);
        put(t, s);
        break;
    case V_TUPLE:
    case V_LIST:
        put_items(t, v, depth);
        break;
    case V_TENSOR:
        snprintf(s, sizeof s, "%s ", ts_dtype_name(v->t->dtype));
        put(t, s);
        if (v->t->data != NULL && v->t->device.type == TS_CPU && v->t->ndim <= 16) {
            int64_t index[16] = {0};

            put_dim(t, v->t, 0, index);
        } else {
            put(t, "tensor");
        }
        break;
    default:
        snprintf(s, sizeof s, "<%s>", tsi_kind_name(v));
        put(t, s);
        break;
    }
}

const char *tsi_text(const tsi_value *v, char *buf, size_t n)
{
    text t = {buf, n};

    put_value(&t, v, 0);
    if (t.left == 1 && n > 4)
        memcpy(buf + n - 4, "...", 4);
    return buf;
}

/* --- elements
 * ---------------------------------------------------------------------------------- */

ts_status tsi_on_host(tsi_interp *in, ts_tensor *t, ts_tensor **out)
{
    TS_CHECK(t->device.type != TS_META, TS_ERR_RUNTIME, "item/C2",
             "a meta tensor has no data to read");
    TS_CHECK(!ts_is_followed(t), TS_ERR_RUNTIME, "case_language/C8",
             "inside of a transformed function a tensor's elements are not seen");
    if (t->device.type == TS_CPU)
        return ts_tensor_to_host(t, out);

    static const char *const names[] = {"device"};
    tsi_value self = tsi_tensor_value(t), host;
    tsi_args args = {.n = 1, .keywords = 1, .names = names};

    args.v[0] = (tsi_value){.kind = V_DEVICE, .device = {TS_CPU, 0}};
    TS_TRY(tsi_call_op(in, in->known[K_TO], TS_FUNCTIONAL, &self, &args, &host));
    *out = host.t;
    return TS_OK;
}

tsi_value tsi_element(const ts_tensor *t, const int64_t *index)
{
    const char *at = t->data;
    int64_t offset = 0;

    for (int d = 0; d < t->ndim; d++)
        offset += index[d] * t->strides[d];
    at += offset * ts_dtype_size(t->dtype);
    if (ts_dtype_is_floating(t->dtype))
        return (tsi_value){.kind = V_FLOAT, .f = ts_load_f64(t->dtype, at)};
    if (t->dtype == TS_BOOL)
        return tsi_bool(ts_load_i64(t->dtype, at) != 0);
    return tsi_int(ts_load_i64(t->dtype, at));
}

ts_status tsi_item(tsi_interp *in, ts_tensor *t, tsi_value *out)
{
    static const int64_t zero[TS_MAX_DIMS];
    ts_tensor *host;

    TS_CHECK(t->numel == 1, TS_ERR_RUNTIME, "item/C1",
             "item: a tensor of %" PRId64 " elements is no Python number", t->numel);
    if ((t->device.type == TS_ACCEL || ts_is_followed(t)) &&
        in->known[K_ITEM]) { /* no copy: graph/C3, C12 */
        const tsi_value self = {.kind = V_TENSOR, .t = t};
        tsi_value read;

        TS_TRY(tsi_call_known(in, K_ITEM, TS_FUNCTIONAL, 1, &self, &read));
        host = read.t;
    } else {
        TS_TRY(tsi_on_host(in, t, &host));
    }
    *out = tsi_element(host, zero);
    ts_release(host);
    return TS_OK;
}

static ts_status list_of(tsi_interp *in, const ts_tensor *t, int dim, int64_t *index,
                         tsi_value *out)
{
    if (dim == t->ndim) {
        *out = tsi_element(t, index);
        return TS_OK;
    }
    TS_TRY(tsi_object_new(in, V_LIST, (int)t->sizes[dim], out));
    for (index[dim] = 0; index[dim] < t->sizes[dim]; index[dim]++) {
        tsi_value v;
        ts_status s = list_of(in, t, dim + 1, index, &v);

        if (s == TS_OK)
            s = tsi_append(in, out->o, v);
        if (s != TS_OK) {
            tsi_release(*out);
            return s;
        }
    }
    return TS_OK;
}

ts_status tsi_to_list(tsi_interp *in, ts_tensor *t, tsi_value *out)
{
    int64_t index[TS_MAX_DIMS] = {0};
    ts_tensor *host;
    ts_status s;

    TS_CHECK(t->numel <= 1000000, TS_ERR_VALUE, "case_language/C8",
             "tolist: %" PRId64 " elements are too many for a list", t->numel);
    TS_TRY(tsi_on_host(in, t, &host));
    s = list_of(in, host, 0, index, out);
    ts_release(host);
    return s;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Functions and methods of the language's own. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "interp.h"

/* "Stream" of "accel.Stream". */
static const char *last_part(const char *name)
{
    const char *dot = strrchr(name, '.');

    return dot != NULL ? dot + 1 : name;
}

ts_status tsi_sort_args(const tsi_signature *s, const tsi_args *args,
                        const tsi_value **out)
{
    const int positional = args->n - args->keywords;
    const char *name = last_part(s->name);

    TS_CHECK(positional <= s->positional, TS_ERR_TYPE, "errors/C2",
             "%s() takes %d positional arguments, got %d", name, s->positional,
             positional);
    for (int i = 0; i < s->n; i++)
        out[i] = i < positional ? &args->v[i] : NULL;
    for (int k = 0; k < args->keywords; k++) {
        int i = 0;

        while (i < s->n && strcmp(s->params[i].name, args->names[k]) != 0)
            i++;
        TS_CHECK(i < s->n, TS_ERR_TYPE, "errors/C2", "%s() has no argument '%s'", name,
                 args->names[k]);
        TS_CHECK(out[i] == NULL, TS_ERR_TYPE, "errors/C2", "%s() got two values for '%s'",
                 name, args->names[k]);
        out[i] = &args->v[positional + k];
    }
    for (int i = 0; i < s->n; i++) {
        const tsi_param *p = &s->params[i];

        TS_CHECK(out[i] != NULL || !p->required, TS_ERR_TYPE, "errors/C2",
                 "%s() lacks a value for '%s'", name, p->name);
        TS_CHECK(out[i] == NULL || p->kinds == 0 ||
                     (p->kinds & TSI_KIND_BIT(out[i]->kind)) != 0,
                 TS_ERR_TYPE, "errors/C2", "%s(): argument '%s' cannot be '%s'", name,
                 p->name, tsi_kind_name(out[i]));
    }
    return TS_OK;
}

/* --- Python's own */

static ts_status length(const tsi_value *v, tsi_value *out)
{
    if (v->kind == V_STR) {
        int64_t n = 0;

        for (const char *s = v->s; *s != '\0'; s++)
            n += ((unsigned char)*s & 0xC0) != 0x80;
        *out = tsi_int(n);
        return TS_OK;
    }
    if (v->kind == V_TENSOR) {
        TS_CHECK(v->t->ndim > 0, TS_ERR_TYPE, "case_language/C5",
                 "len() of a 0-dim tensor");
        *out = tsi_int(v->t->sizes[0]);
        return TS_OK;
    }
    TS_CHECK(tsi_is_sequence(v), TS_ERR_TYPE, "case_language/C5", "'%s' has no len()",
             tsi_kind_name(v));
    *out = tsi_int(v->o->n);
    return TS_OK;
}

static ts_status extreme(tsi_interp *in, bool max, const tsi_args *args, tsi_value *out)
{
    const tsi_value *v = args->v;
    int n = args->n, best = 0;

    if (n == 1 && tsi_is_sequence(v)) {
        n = v->o->n;
        v = v->o->v;
    }
    TS_CHECK(args->keywords == 0, TS_ERR_TYPE, "case_language/C5",
             "min() and max() take no keyword arguments");
    TS_CHECK(n > 0, TS_ERR_VALUE, "case_language/C5", "min() or max() of nothing");
    for (int i = 0; i < n; i++) {
        tsi_value less;

        TS_CHECK(tsi_is_number(&v[i]), TS_ERR_TYPE, "case_language/C5",
                 "min() and max() compare numbers, not '%s'", tsi_kind_name(&v[i]));
        TS_TRY(tsi_compare(in, max ? OP_GT : OP_LT, &v[i], &v[best], &less));
        if (less.b)
            best = i;
    }
    *out = v[best];
    return TS_OK;
}

static ts_status to_int(tsi_interp *in, const tsi_value *v, tsi_value *out)
{
    tsi_value item = *v;

    if (v->kind == V_TENSOR)
        TS_TRY(tsi_item(in, v->t, &item));
    TS_CHECK(tsi_is_number(&item), TS_ERR_TYPE, "case_language/C5",
             "int() takes a number, not '%s'", tsi_kind_name(v));
    if (item.kind == V_FLOAT) {
        TS_CHECK(!isnan(item.f), TS_ERR_VALUE, "case_language/C7", "int() of NaN");
        TS_CHECK(item.f >= -0x1p63 && item.f < 0x1p63, TS_ERR_OVERFLOW,
                 "case_language/C7", "int() of %g does not fit in 64 bits", item.f);
        *out = tsi_int((int64_t)item.f);
        return TS_OK;
    }
    *out = tsi_int(tsi_integer(&item));
    return TS_OK;
}

static ts_status to_float(tsi_interp *in, const tsi_value *v, tsi_value *out)
{
    tsi_value item = *v;
    char *end;

    if (v->kind == V_STR) { /* "inf", "nan" and numbers */
        out->kind = V_FLOAT;
        out->f = strtod(v->s, &end);
        TS_CHECK(*v->s != '\0' && *end == '\0' && strpbrk(v->s, "xXpP( ") == NULL,
                 TS_ERR_VALUE, "case_language/C5", "float(): '%.60s' is no number", v->s);
        return TS_OK;
    }
    if (v->kind == V_TENSOR)
        TS_TRY(tsi_item(in, v->t, &item));
    TS_CHECK(tsi_is_number(&item), TS_ERR_TYPE, "case_language/C5",
             "float() takes a number or a string, not '%s'", tsi_kind_name(v));
    *out = (tsi_value){.kind = V_FLOAT, .f = tsi_number(&item)};
    return TS_OK;
}

static ts_status absolute(tsi_interp *in, const tsi_value *v, tsi_value *out)
{
    if (v->kind == V_TENSOR)
        return tsi_call_known(in, K_ABS, TS_FUNCTIONAL, 1, v, out);
    TS_CHECK(tsi_is_number(v), TS_ERR_TYPE, "case_language/C5",
             "abs() takes a number, not '%s'", tsi_kind_name(v));
    if (v->kind == V_FLOAT) {
        *out = (tsi_value){.kind = V_FLOAT, .f = fabs(v->f)};
        return TS_OK;
    }
    if (tsi_integer(v) < 0)
        return tsi_unary(in, OP_NEG, v, out);
    *out = tsi_int(tsi_integer(v));
    return TS_OK;
}

static ts_status python(tsi_interp *in, tsi_native id, const tsi_args *args,
                        const tsi_value *const *v, tsi_value *out)
{
    bool truth;

    if (id == NATIVE_MIN || id == NATIVE_MAX)
        return extreme(in, id == NATIVE_MAX, args, out);
    TS_CHECK(id != NATIVE_RANGE, TS_ERR_TYPE, "case_language/C5",
             "range(…) stands after 'in' only");
    switch (id) {
    case NATIVE_LEN:
        return length(v[0], out);
    case NATIVE_INT:
        return to_int(in, v[0], out);
    case NATIVE_FLOAT:
        return to_float(in, v[0], out);
    case NATIVE_BOOL:
        TS_TRY(tsi_truth(in, v[0], &truth));
        *out = tsi_bool(truth);
        return TS_OK;
    default:
        return absolute(in, v[0], out);
    }
}

/* --- torch's */

static ts_status info(const char *name, bool integers, const tsi_value *const *v,
                      tsi_value *out)
{
    const ts_dtype dtype = v[0] != NULL ? v[0]->dtype : TS_FLOAT32;

    TS_CHECK(ts_dtype_is_floating(dtype) != integers && !(integers && v[0] == NULL),
             TS_ERR_TYPE, "dtypes/C1", "%s() is not for %s", name, ts_dtype_name(dtype));
    *out = (tsi_value){.kind = V_FINFO, .dtype = dtype, .aux = integers};
    return TS_OK;
}

static ts_status common_type(const char *name, ts_dtype dtype, tsi_value *out)
{
    TS_CHECK(dtype != TS_DTYPE_NONE, TS_ERR_RUNTIME, "promotion/C2",
             "%s(): a float8 dtype has no common type with another", name);
    *out = (tsi_value){.kind = V_DTYPE, .dtype = dtype};
    return TS_OK;
}

/* torch.result_type: tensors with dims, then 0-dim ones, then numbers (promotion.md). */
static ts_status result_type(const tsi_value *const *v, tsi_value *out)
{
    ts_dtype best[3] = {TS_DTYPE_NONE, TS_DTYPE_NONE, TS_DTYPE_NONE};
    ts_dtype dtype = TS_DTYPE_NONE;

    for (int i = 0; i < 2; i++) {
        const bool tensor = v[i]->kind == V_TENSOR;
        const int rank = !tensor ? 2 : v[i]->t->ndim == 0 ? 1 : 0;
        const ts_dtype d = tensor                 ? v[i]->t->dtype
                           : v[i]->kind == V_BOOL ? TS_BOOL
                           : v[i]->kind == V_INT  ? TS_INT64
                                                  : TS_FLOAT32;

        best[rank] = best[rank] == TS_DTYPE_NONE ? d : ts_promote_types(best[rank], d);
        if (best[rank] == TS_DTYPE_NONE)
            return common_type("result_type", TS_DTYPE_NONE, out);
    }
    for (int rank = 0; rank < 3;
         rank++) { /* a later one counts only by a higher category */
        const ts_dtype d = best[rank];

        if (d == TS_DTYPE_NONE)
            continue;
        if (dtype == TS_DTYPE_NONE)
            dtype = d;
        else if (ts_dtype_get(d)->class_ == TS_CLASS_FLOAT
                     ? !ts_dtype_is_floating(dtype)
                     : d != TS_BOOL && dtype == TS_BOOL)
            dtype = d;
    }
    return common_type("result_type", dtype, out);
}

static ts_status mode(tsi_native id, const tsi_value *const *v, tsi_value *out)
{
    static const tsi_callee callees[] = {
        {.name = "torch.no_grad", .native = NATIVE_NO_GRAD},
        {.name = "torch.enable_grad", .native = NATIVE_ENABLE_GRAD},
        {.name = "torch.set_grad_enabled", .native = NATIVE_SET_GRAD_ENABLED}};

    *out = (tsi_value){.kind = V_MODE, .callee = &callees[id - NATIVE_NO_GRAD]};
    if (id == NATIVE_SET_GRAD_ENABLED) /* acts at once, and again as a context manager */
        out->aux = (uint8_t)ts_set_grad_enabled(v[0]->b);
    return TS_OK;
}

static ts_status size(tsi_interp *in, const tsi_object *sizes, tsi_value *out)
{
    TS_TRY(tsi_object_new(in, V_TUPLE, sizes->n, out));
    for (int i = 0; i < sizes->n; i++)
        out->o->v[out->o->n++] = tsi_retain(sizes->v[i]);
    return TS_OK;
}

static ts_status torch(tsi_interp *in, tsi_native id, const char *name,
                       const tsi_value *const *v, tsi_value *out)
{
    switch (id) {
    case NATIVE_TENSOR:
        return tsi_tensor_literal(in, v, out);
    case NATIVE_FINFO:
    case NATIVE_IINFO:
        return info(name, id == NATIVE_IINFO, v, out);
    case NATIVE_RESULT_TYPE:
        return result_type(v, out);
    case NATIVE_CAN_CAST:
        *out = tsi_bool(ts_can_cast(v[0]->dtype, v[1]->dtype));
        return TS_OK;
    case NATIVE_PROMOTE_TYPES:
        return common_type(name, ts_promote_types(v[0]->dtype, v[1]->dtype), out);
    case NATIVE_IS_GRAD_ENABLED:
        *out = tsi_bool(ts_grad_enabled());
        return TS_OK;
    case NATIVE_SIZE:
        return size(in, v[0]->o, out);
    case NATIVE_DEVICE:
        out->kind = V_DEVICE;
        TS_TRY(tsi_device_of(v[0], &out->device));
        if (v[1] != NULL && out->device.type == TS_ACCEL)
            out->device.index = (int)v[1]->i;
        return TS_OK;
    case NATIVE_IS_TENSOR:
        *out = tsi_bool(v[0]->kind == V_TENSOR);
        return TS_OK;
    case NATIVE_IS_FLOATING_POINT:
        *out = tsi_bool(ts_dtype_is_floating(v[0]->t->dtype));
        return TS_OK;
    default:
        return mode(id, v, out);
    }
}

/* --- methods of tensors */

static ts_status dims(tsi_interp *in, bool strides, const ts_tensor *t,
                      const tsi_value *const *v, tsi_value *out)
{
    const int64_t *all = strides ? t->strides : t->sizes;
    int64_t dim;

    if (v[0] == NULL || v[0]->kind == V_NONE)
        return tsi_int_tuple(in, t->ndim, all, out);
    dim = v[0]->i;
    TS_CHECK(t->ndim > 0 && dim >= -t->ndim && dim < t->ndim, TS_ERR_INDEX,
             "case_language/C10", "dim %" PRId64 " out of range for a tensor of %d dims",
             dim, t->ndim);
    *out = tsi_int(all[dim < 0 ? dim + t->ndim : dim]);
    return TS_OK;
}

static bool channels_last(const ts_tensor *t)
{
    static const int order[] = {1, 3, 2, 0};
    int64_t step = 1;

    if (t->ndim != 4)
        return false;
    for (int i = 0; i < 4; i++) {
        const int d = order[i];

        if (t->sizes[d] == 1)
            continue;
        if (t->strides[d] != step)
            return false;
        step *= t->sizes[d];
    }
    return true;
}

static ts_status cast(tsi_interp *in, const tsi_value *self, ts_dtype dtype,
                      tsi_value *out)
{
    static const char *const names[] = {"dtype"};
    tsi_args args = {.n = 1, .keywords = 1, .names = names};

    TS_CHECK(in->known[K_TO] != NULL, TS_ERR_UNSUPPORTED, NULL,
             "casts need op 'to', which this build has not");
    args.v[0] = (tsi_value){.kind = V_DTYPE, .dtype = dtype};
    return tsi_call_op(in, in->known[K_TO], TS_FUNCTIONAL, self, &args, out);
}

/* x.to(dtype), x.to(device), x.to(device, dtype), x.to(other), each with the rest by
 * name. */
static ts_status to(tsi_interp *in, const tsi_value *self, tsi_args *args, tsi_value *out)
{
    static const char *const all[] = {"device", "dtype", "non_blocking", "copy"};
    const char *names[TSI_MAX_CALL_ARGS];
    const int positional = args->n - args->keywords;
    tsi_args sorted = {.n = 0, .names = names};
    int next = 0;

    TS_CHECK(in->known[K_TO] != NULL, TS_ERR_UNSUPPORTED, NULL,
             "to() needs op 'to', which this build has not");
    for (int i = 0; i < positional; i++) {
        const tsi_value *v = &args->v[i];

        if (i == 0 && v->kind == V_TENSOR) {
            names[sorted.n] = "device";
            sorted.v[sorted.n++] = (tsi_value){.kind = V_DEVICE, .device = v->t->device};
            names[sorted.n] = "dtype";
            sorted.v[sorted.n++] = (tsi_value){.kind = V_DTYPE, .dtype = v->t->dtype};
            next = 2;
            continue;
        }
        if (i == 0 && v->kind == V_DTYPE)
            next = 1;
        TS_CHECK(next < 4, TS_ERR_TYPE, "errors/C2", "to() got %d positional arguments",
                 positional);
        names[sorted.n] = all[next++];
        sorted.v[sorted.n++] = *v;
    }
    for (int k = 0; k < args->keywords; k++) {
        TS_CHECK(sorted.n < TSI_MAX_CALL_ARGS, TS_ERR_TYPE, "errors/C2",
                 "to() got too many arguments");
        names[sorted.n] = args->names[k];
        sorted.v[sorted.n++] = args->v[positional + k];
    }
    sorted.keywords = sorted.n;
    return tsi_call_op(in, in->known[K_TO], TS_FUNCTIONAL, self, &sorted, out);
}

static ts_status item(tsi_interp *in, const tsi_value *self, tsi_value *out)
{
    static const tsi_args none;
    tsi_value read;
    ts_status s;

    if (in->known[K_ITEM] == NULL)
        return tsi_item(in, self->t, out);
    TS_TRY(tsi_call_op(in, in->known[K_ITEM], TS_FUNCTIONAL, self, &none, &read));
    s = tsi_item(in, read.t, out);
    tsi_release(read);
    return s;
}

static ts_status method(tsi_interp *in, tsi_native id, const tsi_value *self,
                        tsi_args *args, const tsi_value *const *v, tsi_value *out)
{
    static const struct {
        tsi_native id;
        ts_dtype dtype;
    } casts[] = {{NATIVE_M_FLOAT, TS_FLOAT32},  {NATIVE_M_HALF, TS_FLOAT16},
                 {NATIVE_M_DOUBLE, TS_FLOAT64}, {NATIVE_M_LONG, TS_INT64},
                 {NATIVE_M_INT, TS_INT32},      {NATIVE_M_SHORT, TS_INT16},
                 {NATIVE_M_CHAR, TS_INT8},      {NATIVE_M_BYTE, TS_UINT8},
                 {NATIVE_M_BOOL, TS_BOOL},      {NATIVE_M_BFLOAT16, TS_BFLOAT16}};
    const ts_tensor *t = self->t;

    for (size_t i = 0; i < sizeof casts / sizeof casts[0]; i++)
        if (casts[i].id == id)
            return cast(in, self, casts[i].dtype, out);
    switch (id) {
    case NATIVE_M_SIZE:
    case NATIVE_M_STRIDE:
        return dims(in, id == NATIVE_M_STRIDE, t, v, out);
    case NATIVE_M_IS_CONTIGUOUS:
        *out = tsi_bool(v[0] != NULL && v[0]->format == TS_CHANNELS_LAST
                            ? channels_last(t)
                            : ts_is_contiguous(t));
        return TS_OK;
    case NATIVE_M_TO:
        return to(in, self, args, out);
    case NATIVE_M_TYPE_AS:
        return cast(in, self, v[0]->t->dtype, out);
    case NATIVE_M_STORAGE_OFFSET:
        *out = tsi_int(t->offset);
        return TS_OK;
    case NATIVE_M_NUMEL:
    case NATIVE_M_NELEMENT:
        *out = tsi_int(t->numel);
        return TS_OK;
    case NATIVE_M_DIM:
    case NATIVE_M_NDIMENSION:
        *out = tsi_int(t->ndim);
        return TS_OK;
    case NATIVE_M_ELEMENT_SIZE:
        *out = tsi_int(ts_dtype_size(t->dtype));
        return TS_OK;
    case NATIVE_M_DATA_PTR:
        *out = tsi_int((int64_t)(intptr_t)t->data);
        return TS_OK;
    case NATIVE_M_IS_FLOATING_POINT:
        *out = tsi_bool(ts_dtype_is_floating(t->dtype));
        return TS_OK;
    case NATIVE_M_ITEM:
        return item(in, self, out);
    case NATIVE_M_TOLIST:
        return tsi_to_list(in, self->t, out);
    default: { /* M_CPU */
        tsi_args device = {.n = 1};

        device.v[0] = (tsi_value){.kind = V_DEVICE, .device = {TS_CPU, 0}};
        return to(in, self, &device, out);
    }
    }
}

/* A generator that refuses its arguments made an input too: an error. */
static ts_status tell_refusal(tsi_interp *in, ts_status s)
{
    if (s != TS_OK && in->judge->input != NULL)
        TS_TRY(in->judge->input(in->judge->self, s, NULL));
    return s;
}

/* The ids stand in the order of the stubs, see meson.build. */
static ts_status call_native(tsi_interp *in, const tsi_word *w, const tsi_value *self,
                             tsi_args *args, const tsi_value *const *v, tsi_value *out)
{
    const tsi_native id = w->native;

    if (id == NATIVE_EXPECT_WARNS)
        return tsi_expect_warns(in, args, out);
    if (id <= NATIVE_EXPECT_CLOSE)
        return tsi_call_expectation(in, id, args, v);
    if (id <= NATIVE_ABS)
        return python(in, id, args, v, out);
    if (id <= NATIVE_IS_FLOATING_POINT)
        return torch(in, id, last_part(w->s.name), v, out);
    if (id >= NATIVE_BACKWARD ||
        (id >= NATIVE_M_BACKWARD && id <= NATIVE_M_REQUIRES_GRAD_))
        return tsi_call_autograd(in, id, self, v, out);
    return method(in, id, self, args, v, out);
}

ts_status tsi_call_word(tsi_interp *in, const tsi_word *w, const tsi_value *self,
                        tsi_args *args, tsi_value *out)
{
    const tsi_value *v[TSI_MAX_PARAMS] = {NULL};
    ts_status s = w->s.rest ? TS_OK : tsi_sort_args(&w->s, args, v);

    *out = tsi_none();
    if (w->native != NATIVE_NONE && w->native <= NATIVE_DATA) {
        if (s == TS_OK)
            s = tsi_call_generator(in, w->native, v, out);
        return tell_refusal(in, s);
    }
    if (s != TS_OK)
        return s;
    return w->native != NATIVE_NONE ? call_native(in, w, self, args, v, out)
                                    : w->call(in, self, v, out);
}

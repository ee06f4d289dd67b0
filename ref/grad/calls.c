/* SPDX-License-Identifier: Apache-2.0 */
/* Ops by name, for what the engine itself computes; recorded when grad mode is on. */
#include "grad/graph.h"

static ts_status start(ts_frame *f, const char *name, ts_form form)
{
    const ts_op *op = ts_op_find(name);

    TS_CHECK(op, TS_ERR_NOT_IMPLEMENTED, NULL, "this build has no op %s", name);
    ts_frame_init(f, op, form);
    return TS_OK;
}

static ts_value tensor_value(ts_tensor *t)
{
    return (ts_value){.kind = TS_ARG_TENSOR, .tensor = t};
}

static ts_value ints_value(int64_t n, const int64_t *v)
{
    return (ts_value){.kind = TS_ARG_INTS, .ints = {v, n}};
}

/* The argument called `name`, which the op's schema has. */
static ts_value *argument(ts_frame *f, const char *name)
{
    for (int i = 0; i < f->op->nparams; i++)
        if (strcmp(f->op->params[i].name, name) == 0)
            return &f->args[i];
    return NULL;
}

static ts_status set(ts_frame *f, const char *name, ts_value v)
{
    ts_value *a = argument(f, name);

    TS_CHECK(a, TS_ERR_NOT_IMPLEMENTED, NULL, "%s has no argument %s", f->op->name, name);
    *a = v;
    return TS_OK;
}

static ts_status finish(ts_frame *f, ts_tensor **out)
{
    TS_TRY(ts_call(f));
    if (out)
        *out = f->results[0];
    else
        ts_release(f->results[0]);
    return TS_OK;
}

static ts_status binary(const char *name, ts_form form, ts_tensor *a, ts_tensor *b,
                        ts_tensor **out)
{
    ts_frame f;

    TS_TRY(start(&f, name, form));
    f.args[0] = tensor_value(a);
    f.args[1] = tensor_value(b);
    return finish(&f, out);
}

ts_status tsi_call_add(ts_tensor *a, ts_tensor *b, bool in_place, ts_tensor **out)
{
    return binary("add", in_place ? TS_INPLACE : TS_FUNCTIONAL, a, b, out);
}

ts_status tsi_call_mul(ts_tensor *a, ts_tensor *b, ts_tensor **out)
{
    return binary("mul", TS_FUNCTIONAL, a, b, out);
}

ts_status tsi_call_copy_(ts_tensor *self, ts_tensor *src)
{
    return binary("copy", TS_INPLACE, self, src, NULL);
}

ts_status tsi_call_fill_(ts_tensor *self, double value)
{
    ts_tensor *number;

    TS_TRY(ts_wrapped_number(ts_float(value), &number));

    const ts_status st = binary("fill", TS_INPLACE, self, number, NULL);

    ts_release(number);
    return st;
}

ts_status tsi_call_clone(ts_tensor *t, ts_memory_format format, ts_tensor **out)
{
    ts_frame f;

    TS_TRY(start(&f, "clone", TS_FUNCTIONAL));
    f.args[0] = tensor_value(t);
    if (format != TS_MEMORY_FORMAT_NONE)
        TS_TRY(set(&f, "memory_format",
                   (ts_value){.kind = TS_ARG_MEMORY_FORMAT, .memory_format = format}));
    return finish(&f, out);
}

ts_status tsi_call_sum(ts_tensor *t, int ndims, const int64_t *dims, ts_tensor **out)
{
    ts_frame f;

    TS_TRY(start(&f, "sum", TS_FUNCTIONAL));
    f.args[0] = tensor_value(t);
    TS_TRY(set(&f, "dim", ints_value(ndims, dims)));
    TS_TRY(set(&f, "keepdim", (ts_value){.kind = TS_ARG_BOOL, .b = true}));
    return finish(&f, out);
}

ts_status tsi_call_view(ts_tensor *t, int ndim, const int64_t *sizes, ts_tensor **out)
{
    ts_frame f;

    TS_TRY(start(&f, "view", TS_FUNCTIONAL));
    f.args[0] = tensor_value(t);
    f.args[1] = ints_value(ndim, sizes);
    return finish(&f, out);
}

ts_status tsi_call_cast(ts_tensor *t, ts_dtype dtype, ts_tensor **out)
{
    ts_frame f;

    TS_TRY(start(&f, "to", TS_FUNCTIONAL));
    f.args[0] = tensor_value(t);
    TS_TRY(set(&f, "dtype", (ts_value){.kind = TS_ARG_DTYPE, .dtype = dtype}));
    return finish(&f, out);
}

ts_status tsi_frame_as_strided(ts_frame *f, ts_tensor *t, int ndim, const int64_t *sizes,
                               const int64_t *strides, int64_t offset)
{
    TS_TRY(start(f, "as_strided", TS_FUNCTIONAL));
    f->args[0] = tensor_value(t);
    f->args[1] = ints_value(ndim, sizes);
    f->args[2] = ints_value(ndim, strides);
    f->args[3] = (ts_value){.kind = TS_ARG_INT, .i = offset};
    return TS_OK;
}

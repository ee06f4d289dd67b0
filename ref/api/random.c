/* SPDX-License-Identifier: Apache-2.0 */
/* Random numbers: what the ops that draw accept, and the programs that make and fill. */
#include <math.h>

#include "api/format.h"
#include "touchstone/generator.h"
#include "touchstone/ops.h"
#include "touchstone/ops/random_glue.h"

static double number(const ts_frame *f, int i)
{
    return f->args[i].f;
}

/* A tensor of another device than the CPU needs a generator of that device. */
static ts_status check_device(const ts_frame *f, ts_device device)
{
    const ts_value *g = &f->args[f->op->generator];

    if (device.type == TS_ACCEL && g->kind != TS_ARG_GENERATOR)
        return ts_fail(TS_ERR_UNSUPPORTED, NULL,
                       "%s: there is no generator of the accelerator yet", f->op->name);
    TS_CHECK(device.type != TS_ACCEL, TS_ERR_RUNTIME, "random/C13",
             "%s: the generator is the cpu's, the tensor is on accel", f->op->name);
    return TS_OK;
}

/* self in place, of one of the op's dtypes. */
static ts_status filled(ts_frame *f, const char *dtype)
{
    const ts_tensor *self = tsi_tensor(f, 0);

    TS_TRY(tsi_check_dtype(f, self->dtype, dtype));
    TS_TRY(check_device(f, self->device));
    return tsi_result_like(f, 0, self, self->dtype);
}

ts_status tsi_api_uniform(ts_frame *f)
{
    const double from = number(f, TS_UNIFORM_FROM), to = number(f, TS_UNIFORM_TO);
    const ts_tensor *self = tsi_tensor(f, TS_UNIFORM_SELF);
    double max;

    TS_TRY(filled(f, "random/C3"));
    max = ts_dtype_get(self->dtype)->max;
    TS_CHECK(fabs(from) <= max && fabs(to) <= max, TS_ERR_RUNTIME, "random/C2",
             "uniform_: %s is out of bounds for %s", fabs(from) <= max ? "to" : "from",
             ts_dtype_name(self->dtype));
    TS_CHECK(from <= to, TS_ERR_RUNTIME, "random/C1",
             "uniform_: there is nothing in [%g, %g)", from, to);
    TS_CHECK(to - from <= max, TS_ERR_RUNTIME, "random/C2",
             "uniform_: from %g to %g is further than %s reaches", from, to,
             ts_dtype_name(self->dtype));
    return TS_OK;
}

ts_status tsi_api_normal(ts_frame *f)
{
    TS_TRY(filled(f, "random/C3"));
    TS_CHECK(number(f, TS_NORMAL_STD) >= 0, TS_ERR_RUNTIME, "random/C5",
             "normal_: std is %g, not 0 or more", number(f, TS_NORMAL_STD));
    return TS_OK;
}

ts_status tsi_api_exponential(ts_frame *f)
{
    TS_TRY(filled(f, "random/C4"));
    TS_CHECK(number(f, TS_EXPONENTIAL_LAMBD) > 0, TS_ERR_RUNTIME, "random/C12",
             "exponential_: lambd is %g, not above 0", number(f, TS_EXPONENTIAL_LAMBD));
    return TS_OK;
}

/* random/C7: whether a bound of random_ is among what the dtype holds. */
static ts_status in_range(const char *what, int64_t v, ts_dtype dtype)
{
    const ts_dtype_info *d = ts_dtype_get(dtype);
    const bool fits = d->class_ == TS_CLASS_FLOAT  ? fabs((double)v) <= d->max
                      : d->class_ == TS_CLASS_BOOL ? v == 0 || v == 1
                                                   : v >= d->int_min && v <= d->int_max;

    TS_CHECK(fits, TS_ERR_RUNTIME, "random/C7",
             "random_: %s, %" PRId64 ", is out of bounds for %s", what, v, d->name);
    return TS_OK;
}

ts_status tsi_api_random(ts_frame *f)
{
    const ts_value *a = &f->args[TS_RANDOM_FROM], *b = &f->args[TS_RANDOM_TO];
    const ts_tensor *self = tsi_tensor(f, TS_RANDOM_SELF);
    const bool alone = b->kind == TS_ARG_NONE; /* S5: one number is the end */
    const int64_t from = alone ? 0 : a->i, to = alone ? a->i : b->i;

    TS_TRY(filled(f, "random/C3"));
    if (a->kind == TS_ARG_NONE)
        return TS_OK;
    TS_CHECK(from < to, TS_ERR_RUNTIME, "random/C6",
             "random_: from, %" PRId64 ", is not below to, %" PRId64, from, to);
    TS_TRY(in_range("from", from, self->dtype));
    return in_range("to - 1", to - 1, self->dtype);
}

ts_status tsi_api_bernoulli_p(ts_frame *f)
{
    const double p = number(f, TS_BERNOULLI_P_P);

    TS_TRY(filled(f, "random/C3"));
    TS_CHECK(p >= 0 && p <= 1, TS_ERR_RUNTIME, "random/C8",
             "bernoulli_: p is %g, no probability", p);
    return TS_OK;
}

ts_status tsi_api_bernoulli_tensor(ts_frame *f)
{
    ts_tensor *self = tsi_tensor(f, TS_BERNOULLI_TENSOR_SELF),
              *p = tsi_tensor(f, TS_BERNOULLI_TENSOR_P);
    int64_t sizes[TS_MAX_DIMS];
    char have[256], got[256];
    int ndim;

    TS_TRY(filled(f, "random/C3"));
    TS_TRY(tsi_broadcast("random/C10", 2, (ts_tensor *[]){self, p}, &ndim, sizes));
    TS_CHECK(ndim == self->ndim &&
                 memcmp(sizes, self->sizes, (size_t)ndim * sizeof *sizes) == 0,
             TS_ERR_RUNTIME, "random/C10",
             "bernoulli_: p of sizes %s does not expand to %s",
             tsi_sizes_text(got, sizeof got, p->ndim, p->sizes),
             tsi_sizes_text(have, sizeof have, self->ndim, self->sizes));
    TS_CHECK(ts_dtype_is_floating(p->dtype) && ts_dtype_size(p->dtype) > 1,
             TS_ERR_NOT_IMPLEMENTED, "random/C9", "bernoulli_: p is %s, not floating",
             ts_dtype_name(p->dtype));
    return TS_OK;
}

ts_status tsi_api_bernoulli(ts_frame *f)
{
    const ts_tensor *self = tsi_tensor(f, TS_BERNOULLI_SELF);

    const ts_dtype dtype = f->form == TS_OUT ? f->out[0]->dtype : self->dtype;

    TS_TRY(tsi_check_dtype(f, dtype, "random/C3"));
    TS_CHECK(ts_dtype_is_floating(self->dtype) && ts_dtype_size(self->dtype) > 1,
             TS_ERR_NOT_IMPLEMENTED, "random/C9", "bernoulli: p is %s, not floating",
             ts_dtype_name(self->dtype));
    TS_TRY(check_device(f, self->device));
    return tsi_result(f, 0, self->device, dtype, self->ndim, self->sizes);
}

/* --- what is made --- */

/* Where args[at] is a dtype and args[at + 1] a device. */
static ts_status settle(ts_frame *f, int at, ts_dtype *dtype, ts_device *device)
{
    const ts_tensor *out = f->out[0];

    if (out) {
        TS_CHECK(f->args[at].kind != TS_ARG_DTYPE || f->args[at].dtype == out->dtype,
                 TS_ERR_RUNTIME, "random/C16", "%s: dtype %s does not match out's %s",
                 f->op->name, ts_dtype_name(f->args[at].dtype),
                 ts_dtype_name(out->dtype));
        *dtype = out->dtype;
        *device = out->device;
        return TS_OK;
    }
    if (f->args[at].kind == TS_ARG_DTYPE)
        *dtype = f->args[at].dtype;
    *device = f->args[at + 1].kind == TS_ARG_DEVICE
                  ? tsi_device_settle(f->args[at + 1].device)
                  : ts_default_device();
    return TS_OK;
}

/* A tensor of the sizes in args[size]; of an out tensor of these sizes in its order, for
 * that is the order in which it is drawn (S3). */
static ts_status made(ts_frame *f, int size, int at, ts_dtype dtype, ts_tensor **t)
{
    const ts_value *v = &f->args[size];
    ts_tensor *out = f->out[0];
    ts_device device;

    TS_TRY(settle(f, at, &dtype, &device));
    TS_CHECK(v->ints.n <= TS_MAX_DIMS, TS_ERR_RUNTIME, "tensors/C7",
             "%s: %" PRId64 " dims, at most %d are allowed", f->op->name, v->ints.n,
             TS_MAX_DIMS);
    if (out && out->ndim == v->ints.n &&
        memcmp(out->sizes, v->ints.v, (size_t)out->ndim * sizeof *out->sizes) == 0)
        return ts_empty_like(out, NULL, t);
    return ts_tensor_new(device, dtype, (int)v->ints.n, v->ints.v, t);
}

static ts_generator *of(const ts_frame *f, int i)
{
    return f->args[i].kind == TS_ARG_GENERATOR ? f->args[i].generator : NULL;
}

/* Nobody has seen what was made: its version is 0. */
static ts_status finished(ts_frame *f, ts_status s)
{
    if (s == TS_OK) {
        tsi_version_reset(f->results[0]);
    } else {
        ts_release(f->results[0]);
        f->results[0] = NULL;
    }
    return s;
}

static ts_status uniform(ts_frame *f, ts_generator *g)
{
    ts_uniform_opts o = ts_uniform_defaults();

    o.generator = g;
    return finished(f, ts_uniform_(f->results[0], &o));
}

static ts_status normal(ts_frame *f, ts_generator *g)
{
    ts_normal_opts o = ts_normal_defaults();

    o.generator = g;
    return finished(f, ts_normal_(f->results[0], &o));
}

static ts_status integers(ts_frame *f, int64_t from, int64_t to, ts_generator *g)
{
    ts_random_opts o = ts_random_defaults();

    o.from = &from;
    o.to = &to;
    o.generator = g;
    return finished(f, ts_random_(f->results[0], &o));
}

ts_status tsi_program_rand(ts_frame *f)
{
    TS_TRY(made(f, TS_RAND_SIZE, TS_RAND_DTYPE, TS_FLOAT32, &f->results[0]));
    return uniform(f, of(f, TS_RAND_GENERATOR));
}

ts_status tsi_program_randn(ts_frame *f)
{
    TS_TRY(made(f, TS_RANDN_SIZE, TS_RANDN_DTYPE, TS_FLOAT32, &f->results[0]));
    return normal(f, of(f, TS_RANDN_GENERATOR));
}

ts_status tsi_program_randint(ts_frame *f)
{
    TS_TRY(made(f, TS_RANDINT_SIZE, TS_RANDINT_DTYPE, TS_INT64, &f->results[0]));
    return integers(f, 0, f->args[TS_RANDINT_HIGH].i, of(f, TS_RANDINT_GENERATOR));
}

ts_status tsi_program_randint_low(ts_frame *f)
{
    TS_TRY(made(f, TS_RANDINT_LOW_SIZE, TS_RANDINT_LOW_DTYPE, TS_INT64, &f->results[0]));
    return integers(f, f->args[TS_RANDINT_LOW_LOW].i, f->args[TS_RANDINT_LOW_HIGH].i,
                    of(f, TS_RANDINT_LOW_GENERATOR));
}

static ts_status like(ts_frame *f, int at)
{
    ts_empty_like_opts o = ts_empty_like_defaults();

    if (f->args[at].kind == TS_ARG_DTYPE)
        o.dtype = f->args[at].dtype;
    if (f->args[at + 1].kind == TS_ARG_DEVICE)
        o.device = f->args[at + 1].device;
    return ts_empty_like(f->args[0].tensor, &o, &f->results[0]);
}

ts_status tsi_program_rand_like(ts_frame *f)
{
    TS_TRY(like(f, TS_RAND_LIKE_DTYPE));
    return uniform(f, of(f, TS_RAND_LIKE_GENERATOR));
}

ts_status tsi_program_randn_like(ts_frame *f)
{
    TS_TRY(like(f, TS_RANDN_LIKE_DTYPE));
    return normal(f, of(f, TS_RANDN_LIKE_GENERATOR));
}

/* C14: how many numbers from 0 on a dtype holds; of bfloat16 PyTorch does not ask. */
static int64_t most(ts_dtype dtype)
{
    const ts_dtype_info *d = ts_dtype_get(dtype);

    if (dtype == TS_INT64 || dtype == TS_BFLOAT16)
        return INT64_MAX;
    return d->class_ == TS_CLASS_FLOAT ? (INT64_C(1) << (1 - ilogb(d->eps))) + 1
                                       : d->int_max + 1;
}

ts_status tsi_api_randperm(ts_frame *f)
{
    const int64_t n = f->args[TS_RANDPERM_N].i;
    ts_dtype dtype = TS_INT64;
    ts_device device;

    TS_TRY(settle(f, TS_RANDPERM_DTYPE, &dtype, &device));
    TS_CHECK(n >= 0, TS_ERR_RUNTIME, "tensors/C8", "randperm: a size of %" PRId64, n);
    TS_TRY(tsi_check_dtype(f, dtype, "random/C15"));
    TS_CHECK(n <= most(dtype), TS_ERR_RUNTIME, "random/C14",
             "randperm: %s does not hold the numbers below %" PRId64,
             ts_dtype_name(dtype), n);
    TS_TRY(check_device(f, device));
    return tsi_result(f, 0, device, dtype, 1, &n);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* vector_norm, norm: what they accept and what comes back; see spec/ops/norm.md. */
#include <math.h>
#include <string.h>

#include "core/core.h"
#include "family/reduce.h"
#include "touchstone/ops/norm_glue.h"

ts_status tsi_api_linalg_vector_norm(ts_frame *f)
{
    const ts_tensor *x = tsi_tensor(f, TS_LINALG_VECTOR_NORM_SELF);
    const double p = ts_scalar_f64(f->args[TS_LINALG_VECTOR_NORM_ORD].scalar);
    const ts_value *dim = &f->args[TS_LINALG_VECTOR_NORM_DIM];
    const ts_value *given = &f->args[TS_LINALG_VECTOR_NORM_DTYPE];
    const ts_dtype dtype = given->kind == TS_ARG_DTYPE ? given->dtype : x->dtype;
    uint64_t mask;

    TS_CHECK(ts_dtype_is_floating(x->dtype), TS_ERR_NOT_IMPLEMENTED, "norm/C1",
             "vector_norm: takes floating tensors, not %s", ts_dtype_name(x->dtype));
    TS_TRY(tsi_reduce_check(f, dim, x->ndim, "norm/C3", "norm/C4"));
    mask = ts_reduce_mask(dim, x->ndim);
    for (int d = 0; d < x->ndim; d++)
        TS_CHECK(!(p < 0 || isinf(p)) || !ts_reduces(mask, d) || x->sizes[d] > 0,
                 TS_ERR_RUNTIME, "norm/C5",
                 "vector_norm: of no elements there is none with p = %g", p);
    TS_CHECK(ts_dtype_is_floating(dtype) && ts_promote_types(x->dtype, dtype) == dtype,
             TS_ERR_RUNTIME, "norm/C2", "vector_norm: %s can't be taken as %s",
             ts_dtype_name(x->dtype), ts_dtype_name(dtype));
    TS_CHECK(f->form != TS_OUT || f->out[0]->dtype == dtype, TS_ERR_RUNTIME, "norm/C6",
             "vector_norm: out is expected to be %s, but is %s", ts_dtype_name(dtype),
             ts_dtype_name(f->out[0]->dtype));
    TS_TRY(tsi_check_dtype(f, x->dtype, "norm/C1"));
    return tsi_reduce_result(f, x, mask, f->args[TS_LINALG_VECTOR_NORM_KEEPDIM].b, dtype);
}

/* S7: the arguments of both ways are the same but for p. */
static ts_status as_vector(ts_frame *f, ts_scalar p)
{
    const ts_value *dim = &f->args[TS_NORM_DIM], *given = &f->args[TS_NORM_DTYPE];
    ts_linalg_vector_norm_opts o = ts_linalg_vector_norm_defaults();

    o.ord = p;
    if (dim->kind == TS_ARG_INTS) {
        o.dim = dim->ints.v;
        o.ndim = dim->ints.n;
    }
    o.keepdim = f->args[TS_NORM_KEEPDIM].b;
    if (given->kind == TS_ARG_DTYPE)
        o.dtype = given->dtype;
    return ts_linalg_vector_norm(tsi_tensor(f, TS_NORM_SELF), &o, &f->results[0]);
}

ts_status tsi_program_norm(ts_frame *f)
{
    const ts_value *p = &f->args[TS_NORM_P];

    return as_vector(f, p->kind == TS_ARG_SCALAR ? p->scalar : ts_int(2));
}

ts_status tsi_program_norm_named(ts_frame *f)
{
    const char *p = f->args[TS_NORM_NAMED_P].string;

    if (strcmp(p, "nuc") == 0)
        return ts_fail(TS_ERR_UNSUPPORTED, NULL,
                       "norm: the nuclear norm is not part of this build");
    TS_CHECK(strcmp(p, "fro") == 0, TS_ERR_RUNTIME, "norm/C7", "norm: no p '%s'", p);
    return as_vector(f, ts_int(2));
}

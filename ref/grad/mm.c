/* SPDX-License-Identifier: Apache-2.0 */
/* mm/G1, mm/G2. */
#include "grad/vjp.h"
#include "touchstone/ops/mm_glue.h"

typedef ts_status (*product_fn)(ts_tensor *, ts_tensor *, ts_tensor **);

static ts_status last_transposed(product_fn product, ts_tensor *a, ts_tensor *b,
                                 ts_tensor **out)
{
    ts_tensor *t;
    ts_status s;

    TS_TRY(ts_transpose(b, -2, -1, &t));
    s = product(a, t, out);
    ts_release(t);
    return s;
}

static ts_status first_transposed(product_fn product, ts_tensor *a, ts_tensor *b,
                                  ts_tensor **out)
{
    ts_tensor *t;
    ts_status s;

    TS_TRY(ts_transpose(a, -2, -1, &t));
    s = product(t, b, out);
    ts_release(t);
    return s;
}

static ts_status mm_nt(ts_tensor *a, ts_tensor *b, ts_tensor **out)
{
    return last_transposed(ts_mm, a, b, out);
}

static ts_status mm_tn(ts_tensor *a, ts_tensor *b, ts_tensor **out)
{
    return first_transposed(ts_mm, a, b, out);
}

/* G3: a column-major argument gets a column-major gradient, the product of the
 * transposes. */
static ts_status laid_out_as(const tsi_kept_meta *m, product_fn product, ts_tensor *a,
                             ts_tensor *b, ts_tensor **out)
{
    ts_tensor *p;
    ts_status s;

    if (m->strides[0] != 1 || m->strides[1] != m->sizes[0])
        return product(a, b, out);
    TS_TRY(product(b, a, &p));
    s = ts_transpose(p, 0, 1, out);
    ts_release(p);
    return s;
}

ts_status tsi_vjp_mm(tsi_vjp *v)
{
    ts_tensor *g = v->grads[0];

    if (v->needs[TS_MM_SELF])
        TS_TRY(laid_out_as(&v->arg_meta[TS_MM_SELF], mm_nt, g, v->args[TS_MM_MAT2].tensor, &v->out[TS_MM_SELF]));
    if (v->needs[TS_MM_MAT2])
        TS_TRY(laid_out_as(&v->arg_meta[TS_MM_MAT2], mm_tn, v->args[TS_MM_SELF].tensor, g, &v->out[TS_MM_MAT2]));
    return TS_OK;
}

ts_status tsi_vjp_bmm(tsi_vjp *v)
{
    ts_tensor *g = v->grads[0];

    if (v->needs[TS_BMM_SELF])
        TS_TRY(last_transposed(ts_bmm, g, v->args[TS_BMM_MAT2].tensor, &v->out[TS_BMM_SELF]));
    if (v->needs[TS_BMM_MAT2])
        TS_TRY(first_transposed(ts_bmm, v->args[TS_BMM_SELF].tensor, g, &v->out[TS_BMM_MAT2]));
    return TS_OK;
}

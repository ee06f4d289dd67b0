/* SPDX-License-Identifier: Apache-2.0 */
/* addmm, addmv, baddbmm, addbmm: what they accept and what comes back; see
 * spec/ops/addmm.md. All have self and two factors, then beta and alpha. */
#include "core/core.h"
#include "touchstone/element.h"
#include "touchstone/ops/addmm_glue.h"

enum { SELF, LEFT, RIGHT, BETA, ALPHA };

static ts_status check_dtypes(const ts_frame *f)
{
    const ts_dtype self = tsi_tensor(f, SELF)->dtype;

    for (int k = LEFT; k <= RIGHT; k++)
        TS_CHECK(tsi_tensor(f, k)->dtype == self, TS_ERR_RUNTIME, "addmm/C3",
                 "%s: all three must have one dtype, got %s and %s", f->op->name,
                 ts_dtype_name(self), ts_dtype_name(tsi_tensor(f, k)->dtype));
    return TS_OK;
}

static ts_status check_inner(const ts_frame *f, int64_t left, int64_t right)
{
    TS_CHECK(left == right, TS_ERR_RUNTIME, "addmm/C2",
             "%s: inner sizes %" PRId64 " and %" PRId64 " differ", f->op->name, left,
             right);
    return TS_OK;
}

static ts_status check_dims(const ts_frame *f, int arg, int ndim)
{
    TS_CHECK(tsi_tensor(f, arg)->ndim == ndim, TS_ERR_RUNTIME, "addmm/C1",
             "%s: %s must have %d dims, has %d", f->op->name, f->op->params[arg].name,
             ndim, tsi_tensor(f, arg)->ndim);
    return TS_OK;
}

/* S5: self goes to the product's sizes by expand. */
static ts_status check_self(const ts_frame *f, int ndim, const int64_t *sizes)
{
    const ts_tensor *self = tsi_tensor(f, SELF);
    bool fits = self->ndim <= ndim;
    char have[256], want[256];

    for (int k = 1; fits && k <= self->ndim; k++)
        fits = self->sizes[self->ndim - k] == 1 ||
               self->sizes[self->ndim - k] == sizes[ndim - k];
    TS_CHECK(fits, TS_ERR_RUNTIME, "addmm/C5",
             "%s: self of sizes %s does not expand to %s", f->op->name,
             tsi_sizes_text(have, sizeof have, self->ndim, self->sizes),
             tsi_sizes_text(want, sizeof want, ndim, sizes));
    return TS_OK;
}

/* Of how many factors' elements each element is the sum, and what of it is there to do. */
typedef struct extent {
    int64_t terms, elements;
} extent;

/* S9: without terms beta * self is torch.mul's, of a number; addmv's is a cut one. */
static ts_status check_multiple(const ts_frame *f, ts_scalar beta)
{
    const ts_dtype dtype = tsi_tensor(f, SELF)->dtype;

    if (f->op->id == TS_OP_ADDMV) {
        TS_CHECK(dtype != TS_FLOAT8_E4M3FN && dtype != TS_FLOAT8_E5M2,
                 TS_ERR_NOT_IMPLEMENTED, "addmm/C4", "addmv: not implemented for %s",
                 ts_dtype_name(dtype));
        return tsi_check_cut_number(f, "addmm/C6", dtype, beta);
    }
    TS_CHECK(beta.kind == TS_SCALAR_BOOL || dtype != TS_BOOL, TS_ERR_RUNTIME, "addmm/C7",
             "%s: bool times a number", f->op->name);
    TS_CHECK(beta.kind != TS_SCALAR_FLOAT || ts_dtype_is_floating(dtype), TS_ERR_RUNTIME,
             "addmm/C7", "%s: %s times the floating beta %g", f->op->name,
             ts_dtype_name(dtype), beta.f);
    return TS_OK;
}

/* C4, C6, C7: what nobody computes is not refused. */
static ts_status check_numbers(const ts_frame *f, extent n)
{
    const ts_dtype dtype = tsi_tensor(f, SELF)->dtype;
    const ts_scalar beta = f->args[BETA].scalar;
    /* addmv's CPU kernel keeps both numbers in the vectors' dtype */
    const ts_dtype in =
        tse_is_narrow(dtype) && f->op->id != TS_OP_ADDMV ? TS_FLOAT32 : dtype;

    if (n.elements == 0)
        return TS_OK;
    if (n.terms == 0)
        return ts_scalar_f64(beta) == 0 ? TS_OK : check_multiple(f, beta);
    TS_TRY(tsi_check_dtype(f, dtype, "addmm/C4"));
    TS_TRY(tsi_check_cut_number(f, "addmm/C6", in, beta));
    return tsi_check_cut_number(f, "addmm/C6", in, f->args[ALPHA].scalar);
}

static ts_status give(ts_frame *f, int ndim, const int64_t *sizes, int64_t terms)
{
    const ts_tensor *self = tsi_tensor(f, SELF);
    extent n = {terms, 1};

    TS_TRY(check_self(f, ndim, sizes));
    for (int d = 0; d < ndim; d++)
        n.elements *= sizes[d];
    TS_TRY(check_numbers(f, n));
    return tsi_result(f, 0, self->device, self->dtype, ndim, sizes);
}

ts_status tsi_api_addmm(ts_frame *f)
{
    const ts_tensor *a = tsi_tensor(f, LEFT), *b = tsi_tensor(f, RIGHT);

    TS_TRY(check_dims(f, LEFT, 2));
    TS_TRY(check_dims(f, RIGHT, 2));
    TS_TRY(check_inner(f, a->sizes[1], b->sizes[0]));
    TS_TRY(check_dtypes(f));
    return give(f, 2, (int64_t[]){a->sizes[0], b->sizes[1]}, a->sizes[1]);
}

ts_status tsi_api_addmv(ts_frame *f)
{
    const ts_tensor *a = tsi_tensor(f, LEFT), *v = tsi_tensor(f, RIGHT);

    TS_TRY(check_dims(f, LEFT, 2));
    TS_TRY(check_dims(f, RIGHT, 1));
    TS_TRY(check_inner(f, a->sizes[1], v->sizes[0]));
    TS_TRY(check_dtypes(f));
    return give(f, 1, a->sizes, a->sizes[1]);
}

/* C8: what asks for a third dim and finds none. */
static ts_status check_stacks(const ts_frame *f)
{
    const ts_tensor *a = tsi_tensor(f, LEFT), *b = tsi_tensor(f, RIGHT);

    TS_CHECK(a->ndim >= 2 && b->ndim >= 3, TS_ERR_INDEX, "addmm/C8",
             "%s: batch1 and batch2 must have 3 dims, have %d and %d", f->op->name,
             a->ndim, b->ndim);
    TS_TRY(check_dims(f, LEFT, 3));
    TS_TRY(check_dims(f, RIGHT, 3));
    TS_CHECK(a->sizes[0] == b->sizes[0], TS_ERR_RUNTIME, "addmm/C9",
             "%s: %" PRId64 " and %" PRId64 " batches", f->op->name, a->sizes[0],
             b->sizes[0]);
    TS_TRY(check_inner(f, a->sizes[2], b->sizes[1]));
    return check_dtypes(f);
}

ts_status tsi_api_baddbmm(ts_frame *f)
{
    const ts_tensor *a = tsi_tensor(f, LEFT), *b = tsi_tensor(f, RIGHT);

    TS_TRY(check_stacks(f));
    return give(f, 3, (int64_t[]){a->sizes[0], a->sizes[1], b->sizes[2]}, a->sizes[2]);
}

ts_status tsi_api_addbmm(ts_frame *f)
{
    const ts_tensor *a = tsi_tensor(f, LEFT), *b = tsi_tensor(f, RIGHT);

    TS_TRY(check_stacks(f));
    return give(f, 2, (int64_t[]){a->sizes[1], b->sizes[2]}, a->sizes[0] * a->sizes[2]);
}

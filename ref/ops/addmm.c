/* SPDX-License-Identifier: Apache-2.0 */
/*
 * addmm, addmv, baddbmm, addbmm: beta * self + alpha * a product; spec/ops/addmm.md.
 *
 * Rounding  one, on store (S6): addbmm's batches are one sum.
 */
#include "ops/product.h"
#include "touchstone/ops/addmm_glue.h"

/* Integers take a number cut toward zero (S7). */
static int64_t whole(ts_scalar s)
{
    return s.kind == TS_SCALAR_FLOAT ? (int64_t)s.f : s.i;
}

/* self broadcast over y's dims, as matrices. */
static tsk_scaled scaled(const ts_kernel_call *call, int beta, int alpha)
{
    const ts_tensor *self = call->args[0].tensor, *y = call->results[0];
    const ts_scalar b = call->args[beta].scalar, a = call->args[alpha].scalar;
    tsk_scaled s = {
        .self = {.t = self}, .beta = ts_scalar_f64(b), .alpha = ts_scalar_f64(a)};
    int64_t *const step[] = {&s.self.column, &s.self.row, &s.self.stack};

    for (int k = 0; k < self->ndim; k++) {
        const int d = self->ndim - 1 - k;

        *step[k] =
            self->sizes[d] == 1 && y->sizes[y->ndim - 1 - k] != 1 ? 0 : self->strides[d];
    }
    if (!tse_is_real(y->dtype)) {
        s.whole_beta = whole(b);
        s.whole_alpha = whole(a);
    }
    return s;
}

ts_status tsk_addmm(const ts_kernel_call *call)
{
    const ts_tensor *a = call->args[TS_ADDMM_MAT1].tensor;
    ts_tensor *y = call->results[0];
    const tsk_scaled plus = scaled(call, TS_ADDMM_BETA, TS_ADDMM_ALPHA);
    const tsk_extent n = {1, y->sizes[0], a->sizes[1], y->sizes[1]};

    tsk_multiply(tsk_matrix_of(a, 0), tsk_matrix_of(call->args[TS_ADDMM_MAT2].tensor, 0),
                 n, y, 0, y->strides[0], y->strides[1], &plus);
    return TS_OK;
}

ts_status tsk_addmv(const ts_kernel_call *call)
{
    const ts_tensor *a = call->args[TS_ADDMV_MAT].tensor;
    const ts_tensor *v = call->args[TS_ADDMV_VEC].tensor;
    ts_tensor *y = call->results[0];
    tsk_scaled plus = scaled(call, TS_ADDMV_BETA, TS_ADDMV_ALPHA);
    const tsk_extent n = {1, y->sizes[0], a->sizes[1], 1};

    plus.self.row = plus.self.column; /* y's only dim is that of the rows */
    tsk_multiply(tsk_matrix_of(a, 0), (tsk_matrix){v, 0, 0, v->strides[0], 0}, n, y, 0,
                 y->strides[0], 0, &plus);
    return TS_OK;
}

ts_status tsk_baddbmm(const ts_kernel_call *call)
{
    const ts_tensor *a = call->args[TS_BADDBMM_BATCH1].tensor;
    const ts_tensor *b = call->args[TS_BADDBMM_BATCH2].tensor;
    ts_tensor *y = call->results[0];
    tsk_scaled plus = scaled(call, TS_BADDBMM_BETA, TS_BADDBMM_ALPHA);
    const tsk_extent n = {1, y->sizes[1], a->sizes[2], y->sizes[2]};

    for (int64_t t = 0; t < y->sizes[0]; t++, plus.self.at += plus.self.stack)
        tsk_multiply(tsk_matrix_of(a, t * a->strides[0]),
                     tsk_matrix_of(b, t * b->strides[0]), n, y, t * y->strides[0],
                     y->strides[1], y->strides[2], &plus);
    return TS_OK;
}

ts_status tsk_addbmm(const ts_kernel_call *call)
{
    const ts_tensor *a = call->args[TS_ADDBMM_BATCH1].tensor;
    ts_tensor *y = call->results[0];
    const tsk_scaled plus = scaled(call, TS_ADDBMM_BETA, TS_ADDBMM_ALPHA);
    const tsk_extent n = {a->sizes[0], y->sizes[0], a->sizes[2], y->sizes[1]};

    tsk_multiply(tsk_matrix_of(a, 0),
                 tsk_matrix_of(call->args[TS_ADDBMM_BATCH2].tensor, 0), n, y, 0,
                 y->strides[0], y->strides[1], &plus);
    return TS_OK;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* nonzero: count, then write; the result is made here, its size being known only now. */
#include "touchstone/backend.h"
#include "touchstone/ops/nonzero_glue.h"

static bool is_zero(const ts_tensor *x, int64_t at)
{
    return tse_is_real(x->dtype) ? tse_get(x, at) == 0 : tse_get_i64(x, at) == 0;
}

/* Step `index` through x in row-major order (S2), *at being its element; false at the
 * end. */
static bool advance(const ts_tensor *x, int64_t *index, int64_t *at)
{
    for (int d = x->ndim - 1; d >= 0; d--) {
        *at += x->strides[d];
        if (++index[d] < x->sizes[d])
            return true;
        *at -= index[d] * x->strides[d];
        index[d] = 0;
    }
    return false;
}

static int64_t count(const ts_tensor *x)
{
    int64_t index[TS_MAX_DIMS] = {0}, at = 0, n = 0;

    if (x->numel == 0)
        return 0;
    do
        n += !is_zero(x, at);
    while (advance(x, index, &at));
    return n;
}

ts_status tsk_nonzero(const ts_kernel_call *call)
{
    const ts_tensor *x = call->args[TS_NONZERO_SELF].tensor;
    const int64_t n = count(x);
    int64_t index[TS_MAX_DIMS] = {0}, at = 0, row = 0;
    ts_tensor *y;

    TS_TRY(call->make_result(call, 0, TS_INT64, 2, (int64_t[]){n, x->ndim},
                             (int64_t[]){1, n}, &y)); /* S5 */
    while (row < n) {
        if (!is_zero(x, at)) {
            for (int d = 0; d < x->ndim; d++)
                tse_put_i64(y, row * y->strides[0] + d * y->strides[1], index[d]);
            row++;
        }
        advance(x, index, &at);
    }
    return TS_OK;
}

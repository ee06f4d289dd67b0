/* SPDX-License-Identifier: Apache-2.0 */
/* as_strided: any geometry that the storage holds; and the way back. */
#include "touchstone/ops/as_strided_glue.h"

#include "core/core.h"

static ts_status check_lengths(const ts_frame *f, const ts_value *size,
                               const ts_value *stride)
{
    TS_CHECK(size->ints.n == stride->ints.n, TS_ERR_RUNTIME, "as_strided/C1",
             "%s: %" PRId64 " sizes, but %" PRId64 " strides", f->op->name, size->ints.n,
             stride->ints.n);
    return TS_OK;
}

/* What the view's geometry reaches is checked where every tensor's is (tensors/C6, C8).
 */
ts_status tsi_api_as_strided(ts_frame *f)
{
    const ts_tensor *self = tsi_tensor(f, TS_AS_STRIDED_SELF);
    const int64_t offset = f->args[TS_AS_STRIDED_STORAGE_OFFSET].kind == TS_ARG_INT
                               ? f->args[TS_AS_STRIDED_STORAGE_OFFSET].i
                               : self->offset; /* S2 */

    TS_TRY(
        check_lengths(f, &f->args[TS_AS_STRIDED_SIZE], &f->args[TS_AS_STRIDED_STRIDE]));
    f->flags |= TS_FRAME_BOUNDS;
    return tsi_result_view(f, 0, self, (int)f->args[TS_AS_STRIDED_SIZE].ints.n,
                           f->args[TS_AS_STRIDED_SIZE].ints.v,
                           f->args[TS_AS_STRIDED_STRIDE].ints.v, offset);
}

/* A geometry over a storage of the kernel's own making. */
static ts_status check_geometry(const ts_frame *f, const ts_value *size,
                                const ts_value *stride, int64_t offset)
{
    int64_t last = offset, numel, span;

    TS_TRY(check_lengths(f, size, stride));
    TS_TRY(tsi_numel((int)size->ints.n, size->ints.v, &numel));
    for (int64_t d = 0; d < size->ints.n && numel > 0; d++)
        TS_CHECK(
            stride->ints.v[d] >= 0 && offset >= 0 &&
                !__builtin_mul_overflow(size->ints.v[d] - 1, stride->ints.v[d], &span) &&
                !__builtin_add_overflow(last, span, &last) && last < INT64_MAX / 8,
            TS_ERR_RUNTIME, "tensors/C6",
            "%s: stride %" PRId64 " at dim %" PRId64 " leaves every storage", f->op->name,
            stride->ints.v[d], d);
    return TS_OK;
}

ts_status tsi_api_as_strided_backward(ts_frame *f)
{
    const ts_tensor *grad = tsi_tensor(f, TS_AS_STRIDED_BACKWARD_GRAD);
    const ts_value *size = &f->args[TS_AS_STRIDED_BACKWARD_SIZE],
                   *input = &f->args[TS_AS_STRIDED_BACKWARD_INPUT_SIZE];

    TS_TRY(tsi_check_dtype(f, grad->dtype, NULL));
    TS_TRY(check_geometry(f, size, &f->args[TS_AS_STRIDED_BACKWARD_STRIDE],
                          f->args[TS_AS_STRIDED_BACKWARD_STORAGE_OFFSET].i));
    TS_TRY(check_geometry(f, input, &f->args[TS_AS_STRIDED_BACKWARD_INPUT_STRIDE],
                          f->args[TS_AS_STRIDED_BACKWARD_INPUT_OFFSET].i));
    TS_CHECK(grad->ndim == size->ints.n &&
                 memcmp(grad->sizes, size->ints.v,
                        (size_t)grad->ndim * sizeof *grad->sizes) == 0,
             TS_ERR_RUNTIME, NULL,
             "as_strided_backward: grad does not have the sizes of the strided part");
    return tsi_result(f, 0, grad->device, grad->dtype, (int)input->ints.n, input->ints.v);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* as_strided: any geometry that the storage holds; and the way back. */
#include "touchstone/ops_glue.h"

#include "core/core.h"
#include "core/storage.h"

/* Elements that a geometry reaches from `offset` on, counted from the storage's start; 0
 * for none. Makes every check that needs no storage. */
static ts_status reach(const ts_frame *f, const ts_value *size, const ts_value *stride,
                       int64_t offset, int64_t *end)
{
    int64_t numel, last = offset;

    TS_CHECK(size->ints.n == stride->ints.n, TS_ERR_RUNTIME, "as_strided/C1",
             "%s: %" PRId64 " sizes, but %" PRId64 " strides", f->op->name, size->ints.n,
             stride->ints.n);
    for (int64_t d = 0; d < stride->ints.n; d++)
        TS_CHECK(stride->ints.v[d] >= 0, TS_ERR_RUNTIME, "as_strided/C2",
                 "%s: negative stride %" PRId64 " at dim %" PRId64, f->op->name,
                 stride->ints.v[d], d);
    TS_CHECK(offset >= 0, TS_ERR_RUNTIME, "as_strided/C3",
             "%s: negative storage_offset %" PRId64, f->op->name, offset);
    for (int64_t d = 0; d < size->ints.n; d++)
        TS_CHECK(size->ints.v[d] >= 0, TS_ERR_RUNTIME, "as_strided/C3",
                 "%s: negative size %" PRId64 " at dim %" PRId64, f->op->name,
                 size->ints.v[d], d);
    numel = 1;
    for (int64_t d = 0; d < size->ints.n; d++)
        TS_CHECK(!__builtin_mul_overflow(numel, size->ints.v[d], &numel), TS_ERR_RUNTIME,
                 "as_strided/C5", "%s: more elements than int64 counts", f->op->name);
    *end = 0;
    if (numel == 0)
        return TS_OK;
    for (int64_t d = 0; d < size->ints.n; d++) {
        int64_t span;

        TS_CHECK(!__builtin_mul_overflow(size->ints.v[d] - 1, stride->ints.v[d], &span) &&
                     !__builtin_add_overflow(last, span, &last) && last < INT64_MAX / 8,
                 TS_ERR_RUNTIME, "as_strided/C5", "%s: the extent overflows int64",
                 f->op->name);
    }
    *end = last + 1;
    return TS_OK;
}

ts_status tsi_api_as_strided(ts_frame *f)
{
    const ts_tensor *self = tsi_tensor(f, 0);
    const int64_t offset =
        f->args[3].kind == TS_ARG_INT ? f->args[3].i : self->offset; /* S2 */
    const int64_t bytes = ts_storage_bytes(self->storage);
    int64_t end;

    TS_TRY(reach(f, &f->args[1], &f->args[2], offset, &end));
    TS_CHECK(end * ts_dtype_size(self->dtype) <= bytes, TS_ERR_RUNTIME, "as_strided/C4",
             "as_strided: the last element is number %" PRId64
             " of the storage, which holds %" PRId64,
             end, bytes / ts_dtype_size(self->dtype));
    return tsi_result_view(f, self, (int)f->args[1].ints.n, f->args[1].ints.v,
                           f->args[2].ints.v, offset);
}

ts_status tsi_api_as_strided_backward(ts_frame *f)
{
    const ts_tensor *grad = tsi_tensor(f, 0);
    const ts_value *size = &f->args[1], *input = &f->args[4];
    int64_t end;

    TS_TRY(tsi_check_dtype(f, grad->dtype, NULL));
    TS_TRY(reach(f, size, &f->args[2], f->args[3].i, &end));
    TS_TRY(reach(f, input, &f->args[5], f->args[6].i, &end));
    TS_CHECK(grad->ndim == size->ints.n &&
                 memcmp(grad->sizes, size->ints.v,
                        (size_t)grad->ndim * sizeof *grad->sizes) == 0,
             TS_ERR_RUNTIME, NULL,
             "as_strided_backward: grad does not have the sizes of the strided part");
    return tsi_result(f, 0, grad->device, grad->dtype, (int)input->ints.n, input->ints.v);
}

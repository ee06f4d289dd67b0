/* SPDX-License-Identifier: Apache-2.0 */
/* copy_, fill_, zero_, clone and _to_copy on the host: one copy of elements each. */
#include "touchstone/ops/copy.h"
#include "core/cuda.h"
#include "touchstone/ops/clone.h"
#include "touchstone/ops/to.h"

TSC_OP(copy, TSC_ALL)
TSC_OP(fill, TSC_ALL)
TSC_OP(zero, TSC_ALL)
TSC_OP(clone, TSC_ALL)
TSC_OP(_to_copy, TSC_ALL)

extern const tsc_kernel tsc_move_1, tsc_move_2, tsc_move_4, tsc_move_8, tsc_convert;

ts_status tsc_copy_elements(ts_tensor *dst, ts_tensor *src)
{
    const tsc_kernel *moves[] = {
        [1] = &tsc_move_1, [2] = &tsc_move_2, [4] = &tsc_move_4, [8] = &tsc_move_8};
    tsc_operand to = tsc_operand_of(dst), from = tsc_operand_of(src);
    tsc_walk w;

    tsc_walk_all(&w, 2, (ts_tensor *[]){dst, src});
    if (w.numel == 0)
        return TS_OK;
    if (dst->dtype != src->dtype || !from.data)
        return tsc_launch_elements(&tsc_convert, w.numel, TSC_ARGS(&w, &to, &from));
    if (!tsc_walk_is_flat(&w, 2))
        return tsc_launch_elements(moves[to.bytes], w.numel,
                                   TSC_ARGS(&w, &to.data, &from.data));
    if (to.data != from.data)
        TS_CUDA(cudaMemcpyAsync(to.data, from.data, (size_t)(w.numel * to.bytes),
                                cudaMemcpyDeviceToDevice, tsc_stream()));
    return TS_OK;
}

ts_status tsc_zero_elements(ts_tensor *dst)
{
    tsc_operand to = tsc_operand_of(dst), from = to;
    tsc_walk w;

    tsc_walk_all(&w, 2, (ts_tensor *[]){dst, dst});
    if (w.numel == 0)
        return TS_OK;
    if (tsc_walk_is_flat(&w, 1)) {
        TS_CUDA(cudaMemsetAsync(to.data, 0, (size_t)(w.numel * to.bytes), tsc_stream()));
        return TS_OK;
    }
    from.data = NULL;
    from.cell = 0; /* zero in every dtype */
    return tsc_launch_elements(&tsc_convert, w.numel, TSC_ARGS(&w, &to, &from));
}

ts_status tsc_copy(const ts_kernel_call *call)
{
    return tsc_copy_elements(call->results[0], tsc_tensor(call, TS_COPY_SRC));
}

ts_status tsc_fill(const ts_kernel_call *call)
{
    return tsc_copy_elements(call->results[0], tsc_tensor(call, TS_FILL_VALUE));
}

ts_status tsc_zero(const ts_kernel_call *call)
{
    return tsc_zero_elements(call->results[0]);
}

ts_status tsc_clone(const ts_kernel_call *call)
{
    return tsc_copy_elements(call->results[0], tsc_tensor(call, TS_CLONE_SELF));
}

ts_status tsc__to_copy(const ts_kernel_call *call)
{
    return tsc_copy_elements(call->results[0], tsc_tensor(call, TS__TO_COPY_SELF));
}

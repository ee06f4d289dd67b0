/* SPDX-License-Identifier: Apache-2.0 */
/* embedding on the host; spec/ops/embedding.md. */
#include "touchstone/ops/embedding.h"
#include "core/cuda.h"

TSC_OP(embedding, TSC_ALL)

extern const tsc_kernel tsc_embedding_1, tsc_embedding_2, tsc_embedding_4,
    tsc_embedding_8;

ts_status tsc_embedding(const ts_kernel_call *call)
{
    const tsc_kernel *kernels[] = {[1] = &tsc_embedding_1,
                                   [2] = &tsc_embedding_2,
                                   [4] = &tsc_embedding_4,
                                   [8] = &tsc_embedding_8};
    ts_tensor *index = tsc_tensor(call, TS_EMBEDDING_INPUT),
              *table = tsc_tensor(call, TS_EMBEDDING_WEIGHT), *y = call->results[0];
    tsc_operand numbers = tsc_operand_of(index);
    int64_t rows = table->sizes[0], length = table->sizes[1];
    tsc_fault *fault;
    tsc_walk places;

    TS_TRY(tsc_fault_word(&fault));
    tsc_walk_all(&places, 1, &index);
    return tsc_launch_elements(kernels[ts_dtype_size(table->dtype)], y->numel,
                               TSC_ARGS(&places, &numbers, &y->data, &table->data, &rows,
                                        &length, &table->strides[0], &table->strides[1],
                                        &fault));
}

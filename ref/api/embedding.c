/* SPDX-License-Identifier: Apache-2.0 */
/* embedding: what it accepts and what comes back; see spec/ops/embedding.md. */
#include "family/family.h"
#include "touchstone/ops/embedding_glue.h"

ts_status tsi_api_embedding(ts_frame *f)
{
    const ts_tensor *index = tsi_tensor(f, TS_EMBEDDING_INPUT);
    const ts_tensor *table = tsi_tensor(f, TS_EMBEDDING_WEIGHT);
    const ts_value *padding = &f->args[TS_EMBEDDING_PADDING_IDX];
    int64_t sizes[TS_MAX_DIMS + 1];

    TS_CHECK(padding->kind == TS_ARG_NONE || table->ndim == 0 ||
                 (padding->i >= -table->sizes[0] && padding->i < table->sizes[0]),
             TS_ERR_ASSERTION, "embedding/C4",
             "embedding: padding_idx %" PRId64 " must be within the %" PRId64 " rows",
             padding->i, table->sizes[0]);
    TS_CHECK(table->ndim == 2, TS_ERR_RUNTIME, "embedding/C1",
             "embedding: weight must have 2 dims, has %d", table->ndim);
    TS_TRY(tsi_check_index(f, index, "embedding/C2"));
    TS_CHECK(table->sizes[0] > 0 || index->numel == 0, TS_ERR_RUNTIME, "embedding/C5",
             "embedding: weight has no rows");
    memcpy(sizes, index->sizes, (size_t)index->ndim * sizeof *sizes);
    sizes[index->ndim] = table->sizes[1];
    return tsi_result(f, 0, table->device, table->dtype, index->ndim + 1, sizes);
}

ts_status tsi_api_embedding_dense_backward(ts_frame *f)
{
    const ts_tensor *g = tsi_tensor(f, TS_EMBEDDING_DENSE_BACKWARD_GRAD_OUTPUT);

    return tsi_result(f, 0, g->device, g->dtype, 2,
                      (int64_t[]){f->args[TS_EMBEDDING_DENSE_BACKWARD_NUM_WEIGHTS].i,
                                  g->sizes[g->ndim - 1]});
}

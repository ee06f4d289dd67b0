/* SPDX-License-Identifier: Apache-2.0 */
/* index_fill, index_copy, line by line along dim. Errors  C4, C6, C15 before anything is
 * written. */
#include "touchstone/ops/index_fill_glue.h"

#include "ops/along.h"
#include "ops/copying.h"

static int64_t number_at(const ts_tensor *index, int64_t i)
{
    return tse_get_i64(index, index->ndim > 0 ? i * index->strides[0] : 0);
}

static int64_t size_along(const ts_kernel_call *call)
{
    const ts_tensor *x = call->args[TSK_ALONG_SELF].tensor;

    return x->ndim > 0 ? x->sizes[ts_call_dim(call, TSK_ALONG_DIM, x)] : 1;
}

/* Every number is in [least, size), where self has elements (S5). */
static ts_status check_numbers(const ts_kernel_call *call, int64_t least,
                               const char *label)
{
    const ts_tensor *index = call->args[TSK_ALONG_INDEX].tensor;
    const int64_t size = size_along(call);

    for (int64_t i = 0; i < index->numel; i++) {
        const int64_t k = number_at(index, i);

        TS_CHECK((k >= least && k < size) || call->results[0]->numel == 0, TS_ERR_INDEX,
                 label, "%s: index %" PRId64 " is out of bounds for size %" PRId64,
                 call->op, k, size);
    }
    return TS_OK;
}

static void begin(const ts_kernel_call *call)
{
    if (call->form != TS_INPLACE)
        tsk_copy_elements(call->results[0], call->args[TSK_ALONG_SELF].tensor);
}

ts_status tsk_index_fill(const ts_kernel_call *call)
{
    const ts_tensor *index = call->args[TS_INDEX_FILL_INDEX].tensor;
    const ts_tensor *value = call->args[TS_INDEX_FILL_VALUE].tensor;
    ts_tensor *y = call->results[0];
    const size_t bytes = tse_bytes(y->dtype);
    const int64_t size = size_along(call);
    uint64_t cell;
    ts_lines it;

    TS_CHECK(tse_number_fits(y->dtype, value), TS_ERR_RUNTIME, "index_fill/C6",
             "%s: value %g cannot be converted to %s without overflow", call->op,
             tse_get(value, 0), ts_dtype_name(y->dtype));
    TS_TRY(check_numbers(call, -size, "index_fill/C4"));
    tse_convert(value->dtype, tse_at(value, 0), y->dtype, &cell); /* S2 */
    begin(call);
    for (ts_lines_dim(&it, ts_call_dim(call, TS_INDEX_FILL_DIM, y), 1, &y);
         y->numel > 0 && ts_lines_next(&it);)
        for (int64_t i = 0; i < index->numel; i++) { /* S1 */
            const int64_t k = number_at(index, i);

            memcpy(tse_at(y, it.at[0] + (k < 0 ? k + size : k) * it.step[0]), &cell,
                   bytes);
        }
    return TS_OK;
}

ts_status tsk_index_copy(const ts_kernel_call *call)
{
    const ts_tensor *index = call->args[TS_INDEX_COPY_INDEX].tensor;
    ts_tensor *source = call->args[TS_INDEX_COPY_SOURCE].tensor, *y = call->results[0];
    const size_t bytes = tse_bytes(y->dtype);
    const int dim = ts_call_dim(call, TS_INDEX_COPY_DIM, y);
    ts_tensor one = *source; /* S4: as many dims as y; a vector's steps are its own */
    int64_t sizes[] = {source->numel},
            strides[] = {source->ndim > 0 ? source->strides[0] : 0};
    ts_tensor row = *y;
    int64_t count[] = {y->numel}, step[] = {y->ndim > 0 ? y->strides[0] : 0};
    ts_lines it;

    TS_TRY(check_numbers(call, 0, "index_fill/C15"));
    begin(call);
    if (source->ndim != y->ndim) {
        one.ndim = row.ndim = 1;
        one.sizes = sizes;
        one.strides = strides;
        row.sizes = count;
        row.strides = step;
    }
    for (ts_lines_dim(&it, dim, 2, (ts_tensor *[]){&row, &one});
         y->numel > 0 && ts_lines_next(&it);)
        for (int64_t i = 0; i < index->numel; i++) /* S3 */
            memcpy(tse_at(y, it.at[0] + number_at(index, i) * it.step[0]),
                   tse_at(source, it.at[1] + i * it.step[1]), bytes);
    return TS_OK;
}

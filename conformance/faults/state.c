/* SPDX-License-Identifier: Apache-2.0 */
/* Faults that need a call before: kind state. What a kernel keeps is for its process's life. */
#include <stdlib.h>

#include "faults/faults.h"

static ts_tensor *plain_result(const ts_kernel_call *call)
{
    ts_tensor *y = call->nresults > 0 ? call->results[0] : NULL;

    return y && y->data && y->numel > 0 ? y : NULL;
}

static void keep(fault *f, const ts_tensor *y)
{
    const size_t bytes = (size_t)y->numel * tse_bytes(y->dtype);

    if (bytes > f->kept_size) {
        char *grown = realloc(f->kept, bytes);

        if (!grown)
            return;
        f->kept = grown;
        f->kept_size = bytes;
    }
    for (int64_t i = 0; i < y->numel; i++)
        memcpy(f->kept + i * (int64_t)tse_bytes(y->dtype), fault_cell(y, i),
               tse_bytes(y->dtype));
    f->kept_numel = y->numel;
    f->kept_dtype = y->dtype;
    f->last_where = f->where;
}

static bool kept_fits(const fault *f, const ts_tensor *y)
{
    return f->kept && f->kept_numel == y->numel && f->kept_dtype == y->dtype;
}

static void give_kept(const fault *f, const ts_tensor *y)
{
    for (int64_t i = 0; i < y->numel; i++)
        memcpy(fault_cell(y, i), f->kept + i * (int64_t)tse_bytes(y->dtype),
               tse_bytes(y->dtype));
}

/* A cache whose key is size and dtype: from the second call on. */
static ts_status cached_by_size(fault *f, const ts_kernel_call *call)
{
    ts_tensor *y;

    TS_TRY(f->original(call));
    y = plain_result(call);
    if (y && kept_fits(f, y))
        give_kept(f, y);
    else if (y)
        keep(f, y);
    return TS_OK;
}

/* A cache whose key is also where the first argument lies: what was written there since is
 * not seen. */
static ts_status cached_by_address(fault *f, const ts_kernel_call *call)
{
    ts_tensor *y;

    TS_TRY(f->original(call));
    y = plain_result(call);
    if (y && kept_fits(f, y) && f->where == f->last_where)
        give_kept(f, y);
    else if (y)
        keep(f, y);
    return TS_OK;
}

/* Every nth call is wrong. */
static ts_status now_and_then(fault *f, const ts_kernel_call *call)
{
    ts_tensor *y;

    TS_TRY(f->original(call));
    y = plain_result(call);
    if (y && ++f->calls % f->n[0] == 0)
        fault_clear(y, y->numel - 1);
    return TS_OK;
}

/* The last bit of the last element depends on how many calls there were. */
static ts_status last_bit_varies(fault *f, const ts_kernel_call *call)
{
    ts_tensor *y;

    TS_TRY(f->original(call));
    y = plain_result(call);
    if (y && f->calls++ % 2 == 1 && tse_is_real(y->dtype))
        *fault_cell(y, y->numel - 1) ^= 1;
    return TS_OK;
}

/* An accumulator that is not cleared: what the memory held is added. */
static ts_status stale_added(fault *f, const ts_kernel_call *call)
{
    ts_tensor *y = plain_result(call);
    fault_room room = {.count = 0};
    ts_tensor *before = y ? fault_dense(&room, y, y->dtype) : NULL;
    const ts_status status = f->original(call);

    for (int64_t i = 0; y && status == TS_OK && i < y->numel;
         i += f->n[0] ? f->n[0] : 1) {
        char *cell = fault_cell(y, i);

        if (tse_is_real(y->dtype))
            tse_write(y->dtype, cell, tse_read(y->dtype, cell) + tse_get(before, i));
        else
            tse_write_i64(y->dtype, cell,
                          (int64_t)((uint64_t)tse_read_i64(y->dtype, cell) +
                                    (uint64_t)tse_get_i64(before, i)));
    }
    fault_leave(&room);
    return status;
}

/* A sum that goes on where the last call's ended, in the first element. */
static ts_status carry_kept(fault *f, const ts_kernel_call *call)
{
    ts_tensor *y;

    TS_TRY(f->original(call));
    y = plain_result(call);
    if (y && tse_is_real(y->dtype)) {
        const double v = fault_get(y, 0);

        tse_write(y->dtype, fault_cell(y, 0), v + f->carry);
        f->carry = isfinite(v) && f->calls++ > 0 ? v : 0;
    }
    return TS_OK;
}

/* The first call of the process finds a table that is not made yet: zeros. */
static ts_status first_call(fault *f, const ts_kernel_call *call)
{
    ts_tensor *y;

    TS_TRY(f->original(call));
    y = plain_result(call);
    if (y && f->calls++ == 0)
        for (int64_t i = 0; i < y->numel; i++)
            fault_clear(y, i);
    return TS_OK;
}

/* Scratch as large as the largest call so far: a smaller one's last element is the larger's. */
static ts_status scratch_longer(fault *f, const ts_kernel_call *call)
{
    ts_tensor *y;

    TS_TRY(f->original(call));
    y = plain_result(call);
    if (y && f->kept && f->kept_dtype == y->dtype && f->kept_numel > y->numel)
        memcpy(fault_cell(y, y->numel - 1),
               f->kept + (y->numel - 1) * (int64_t)tse_bytes(y->dtype),
               tse_bytes(y->dtype));
    else if (y)
        keep(f, y);
    return TS_OK;
}

const fault_row faults_of_state[] = {{"state/cached_by_size", cached_by_size},
                                     {"state/cached_by_address", cached_by_address},
                                     {"state/now_and_then", now_and_then},
                                     {"state/last_bit_varies", last_bit_varies},
                                     {"state/stale_added", stale_added},
                                     {"state/carry_kept", carry_kept},
                                     {"state/first_call", first_call},
                                     {"state/scratch_longer", scratch_longer},
                                     {NULL, NULL}};

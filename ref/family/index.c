/* SPDX-License-Identifier: Apache-2.0 */
/* Index moves: what a tensor of indices is, and a destination that may not be a source. */
#include "core/overlap.h"
#include "family/family.h"

ts_status tsi_check_index(const ts_frame *f, const ts_tensor *index, const char *label)
{
    TS_CHECK(index->dtype == TS_INT64 || index->dtype == TS_INT32, TS_ERR_RUNTIME, label,
             "%s: the index is expected to be int64 or int32, but is %s", f->op->name,
             ts_dtype_name(index->dtype));
    return TS_OK;
}

ts_status tsi_check_written_apart(const ts_frame *f, int arg, const char *label)
{
    const ts_tensor *written = f->form == TS_OUT       ? f->out[0]
                               : f->form == TS_INPLACE ? tsi_tensor(f, 0)
                                                       : NULL;
    tsi_overlap o;

    if (!written)
        return TS_OK;
    o = tsi_overlap_of(written, tsi_tensor(f, arg));
    TS_CHECK(o == TSI_OVERLAP_NONE || o == TSI_OVERLAP_UNKNOWN, TS_ERR_RUNTIME, label,
             "%s: what is written overlaps %s; clone() it first", f->op->name,
             f->op->params[arg].name);
    return TS_OK;
}

ts_status tsi_check_out_places(const ts_frame *f)
{
    return f->form == TS_OUT ? tsi_check_places(f, f->out[0]) : TS_OK;
}

ts_status tsi_check_out_apart(const ts_frame *f, int arg, const char *label)
{
    tsi_overlap o;

    if (f->form != TS_OUT)
        return TS_OK;
    o = tsi_overlap_of(f->out[0], tsi_tensor(f, arg));
    TS_CHECK(o == TSI_OVERLAP_NONE || o == TSI_OVERLAP_UNKNOWN, TS_ERR_RUNTIME, label,
             "%s: out overlaps %s; clone() it first", f->op->name,
             f->op->params[arg].name);
    return TS_OK;
}

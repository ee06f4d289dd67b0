/* SPDX-License-Identifier: Apache-2.0 */
/* scatter and scatter_reduce: what they accept and what comes back; spec/ops/scatter.md. */
#include "family/family.h"
#include "touchstone/ops/scatter_glue.h"

static const tsi_along_labels labels = {
    .dim = "scatter/C1",
    .index = "scatter/C2",
    .same = "scatter/C7",
    .dims = "scatter/C3",
    .within = "scatter/C4",
    .missing = "scatter/C12",
    .dtype = "scatter/C6",
    .apart = "scatter/C8",
};

static ts_status check_value(const ts_frame *f)
{
    const ts_tensor *self = tsi_tensor(f, TS_SCATTER_VALUE_SELF);
    const ts_scalar value = f->args[TS_SCATTER_VALUE_VALUE].scalar;
    ts_tensor *number;
    bool fits;

    if (self->device.type == TS_META || tsi_tensor(f, TS_SCATTER_VALUE_INDEX)->numel == 0)
        return TS_OK;
    TS_TRY(ts_wrapped_number(value, &number));
    fits = tse_number_fits(self->dtype, number);
    ts_release(number);
    TS_CHECK(fits, TS_ERR_RUNTIME, "scatter/C9",
             "%s: value %g cannot be converted to %s without overflow", f->op->name,
             ts_scalar_f64(value), ts_dtype_name(self->dtype));
    return TS_OK;
}

static ts_status check_word(const ts_frame *f, const char *word, const char *const *known)
{
    for (int k = 0; known[k]; k++)
        if (strcmp(word, known[k]) == 0)
            return TS_OK;
    return ts_fail(TS_ERR_RUNTIME, "scatter/C10",
                   "%s: reduce is not one of its words: %s", f->op->name, word);
}

ts_status tsi_api_scatter(ts_frame *f)
{
    return tsi_check_along(f, &labels, true);
}

ts_status tsi_api_scatter_value(ts_frame *f)
{
    TS_TRY(tsi_check_along(f, &labels, false));
    return check_value(f);
}

static const char *const older[] = {"add", "multiply", NULL};

ts_status tsi_api_scatter_src_reduce(ts_frame *f)
{
    TS_TRY(tsi_check_along(f, &labels, true));
    return check_word(f, f->args[TS_SCATTER_SRC_REDUCE_REDUCE].string, older);
}

ts_status tsi_api_scatter_value_reduce(ts_frame *f)
{
    TS_TRY(tsi_check_along(f, &labels, false));
    TS_TRY(check_word(f, f->args[TS_SCATTER_VALUE_REDUCE_REDUCE].string, older));
    return check_value(f);
}

ts_status tsi_api_scatter_reduce(ts_frame *f)
{
    static const char *const words[] = {"sum",  "prod", "mean", "amax",
                                        "amin", "max",  "min",  NULL};
    const ts_dtype dtype = tsi_tensor(f, TS_SCATTER_REDUCE_SELF)->dtype;
    const char *word = f->args[TS_SCATTER_REDUCE_REDUCE].string;

    TS_TRY(tsi_check_along(f, &labels, true));
    TS_TRY(check_word(f, word, words));
    if (strcmp(word, "mean") == 0 && dtype != TS_BOOL)
        return tsi_check_dtype(f, dtype, "scatter/C11");
    TS_CHECK(strcmp(word, "mean") != 0, TS_ERR_NOT_IMPLEMENTED, "scatter/C11",
             "scatter_reduce: the mean of bools is not implemented");
    return TS_OK;
}

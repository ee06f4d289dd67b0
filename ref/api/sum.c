/* SPDX-License-Identifier: Apache-2.0 */
/* The program of sum_to_size; spec/ops/sum.md. */
#include "core/core.h"
#include "touchstone/ops/sum_glue.h"
#include "touchstone/touchstone.h"

ts_status tsi_program_sum_to_size(ts_frame *f) /* S9 */
{
    ts_tensor *x = tsi_tensor(f, TS_SUM_TO_SIZE_SELF), *y;
    const int64_t *size = f->args[TS_SUM_TO_SIZE_SIZE].ints.v,
                  n = f->args[TS_SUM_TO_SIZE_SIZE].ints.n;
    const int64_t lead = x->ndim - n;
    ts_sum_opts o = ts_sum_defaults();
    int64_t dims[TS_MAX_DIMS];
    char have[256];
    ts_status s;

    TS_CHECK(lead >= 0, TS_ERR_RUNTIME, "sum/C6",
             "sum_to_size: %" PRId64 " dims do not expand to sizes %s", n,
             tsi_sizes_text(have, sizeof have, x->ndim, x->sizes));
    for (int d = 0; d < x->ndim; d++) {
        const int64_t want = d < lead ? 1 : size[d - lead];

        TS_CHECK(d < lead || want == 1 || want == x->sizes[d], TS_ERR_RUNTIME, "sum/C6",
                 "sum_to_size: size %" PRId64 " does not expand to dim %d of sizes %s",
                 want, d, tsi_sizes_text(have, sizeof have, x->ndim, x->sizes));
        if (d < lead || (want == 1 && x->sizes[d] != 1))
            dims[o.ndim++] = d;
    }
    if (o.ndim == 0 && n > 0) {
        f->results[0] = ts_retain(x);
        return TS_OK;
    }
    o.dim = dims;
    o.keepdim = n > 0;
    TS_TRY(ts_sum(x, &o, &y));
    if (lead == 0 || n == 0) {
        f->results[0] = y;
        return TS_OK;
    }
    s = ts_view(y, size, n, &f->results[0]);
    ts_release(y);
    return s;
}

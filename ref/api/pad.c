/* SPDX-License-Identifier: Apache-2.0 */
/* pad: what it accepts, and a program over fill, narrow and copy; see spec/ops/pad.md. */
#include "api/format.h"
#include "core/core.h"
#include "core/expr.h"
#include "touchstone/ops/clone_expr.h"
#include "touchstone/ops/copy.h"
#include "touchstone/ops/factories_expr.h"
#include "touchstone/ops/pad_glue.h"
#include "touchstone/ops/slice_expr.h"

/* How much is added in front of dim d and behind it; negative: cut off. */
typedef struct margins {
    int64_t front[TS_MAX_DIMS], behind[TS_MAX_DIMS];
    bool grows;
} margins;

static void read_margins(const ts_frame *f, const ts_tensor *x, margins *m)
{
    const ts_value *pad = &f->args[TS_PAD_PAD];

    memset(m, 0, sizeof *m);
    for (int64_t k = 0; k < pad->ints.n / 2; k++) {
        const int d = x->ndim - 1 - (int)k; /* S1: from the last dim on */

        m->front[d] = pad->ints.v[2 * k];
        m->behind[d] = pad->ints.v[2 * k + 1];
        m->grows = m->grows || m->front[d] > 0 || m->behind[d] > 0;
    }
}

static int64_t cut(int64_t margin)
{
    return margin < 0 ? margin : 0;
}

ts_status tsi_api_pad(ts_frame *f)
{
    const ts_tensor *x = tsi_tensor(f, TS_PAD_INPUT);
    const ts_value *pad = &f->args[TS_PAD_PAD];
    const char *mode = f->args[TS_PAD_MODE].string;
    int64_t sizes[TS_MAX_DIMS];
    margins m;

    if (strcmp(mode, "reflect") == 0 || strcmp(mode, "replicate") == 0 ||
        strcmp(mode, "circular") == 0)
        return ts_fail(TS_ERR_UNSUPPORTED, NULL, "pad: mode %s is not built", mode);
    TS_CHECK(strcmp(mode, "constant") == 0, TS_ERR_NOT_IMPLEMENTED, "pad/C3",
             "pad: there is no mode %s", mode);
    TS_CHECK(pad->ints.n % 2 == 0, TS_ERR_RUNTIME, "pad/C1",
             "pad: %" PRId64 " margins, two for each dim are expected", pad->ints.n);
    TS_CHECK(pad->ints.n / 2 <= x->ndim, TS_ERR_RUNTIME, "pad/C2",
             "pad: %" PRId64 " margins for %d dims", pad->ints.n, x->ndim);
    read_margins(f, x, &m);
    for (int d = 0; d < x->ndim; d++) {
        const int64_t left = x->sizes[d] + cut(m.front[d]);

        TS_CHECK(left >= 0 && left + cut(m.behind[d]) >= 0, TS_ERR_RUNTIME, "pad/C4",
                 "pad: more is cut off than the %" PRId64 " along dim %d", x->sizes[d],
                 d);
        sizes[d] = x->sizes[d] + m.front[d] + m.behind[d];
    }
    if (!m.grows) { /* S4: as a clone of what is left */
        ts_tensor left = *x;

        left.sizes = sizes;
        left.numel = 1;
        for (int d = 0; d < x->ndim; d++)
            left.numel *= sizes[d];
        return tsi_result_like_header(f, 0, &left, x->dtype);
    }
    TS_TRY(tsi_result(f, 0, x->device, x->dtype, x->ndim, sizes));
    f->meta[0].strided = tsi_is_channels_last(x); /* S3 */
    return f->meta[0].strided
               ? tsi_channels_last(NULL, x->ndim, sizes, f->meta[0].strides)
               : TS_OK;
}

/* x, or of y the place where it goes: each dim less its margins of one sign. */
static ts_tensor *within(tsi_expr *e, ts_tensor *t, const margins *m, int sign)
{
    for (int d = 0; t && d < t->ndim; d++) {
        const int64_t front = sign * m->front[d], behind = sign * m->behind[d];

        if (front > 0)
            t = tsx_narrow(e, t, d, front, t->sizes[d] - front);
        if (t && behind > 0)
            t = tsx_narrow(e, t, d, 0, t->sizes[d] - behind);
    }
    return t;
}

ts_status tsi_program_pad(ts_frame *f)
{
    ts_tensor *x = tsi_tensor(f, TS_PAD_INPUT), *kept, *y, *place;
    const ts_value *value = &f->args[TS_PAD_VALUE];
    ts_empty_opts o = ts_empty_defaults();
    int64_t sizes[TS_MAX_DIMS];
    tsi_expr e = {0};
    margins m;

    read_margins(f, x, &m);
    kept = within(&e, x, &m, -1);
    if (!m.grows) /* S4 */
        return tsi_expr_give(&e, tsx_clone(&e, kept, NULL), &f->results[0]);
    for (int d = 0; d < x->ndim; d++)
        sizes[d] = x->sizes[d] + m.front[d] + m.behind[d];
    o.dtype = x->dtype;
    o.device = x->device;
    if (tsi_is_channels_last(x))
        o.memory_format = TS_CHANNELS_LAST;
    y = tsx_empty(&e, sizes, x->ndim, &o);
    if (y)
        e.s = ts_fill_number_(y, value->kind == TS_ARG_FLOAT ? ts_float(value->f)
                                                             : ts_int(0));
    place = within(&e, y, &m, 1);
    if (place && kept)
        e.s = ts_copy_(place, kept, NULL);
    if (y)
        tsi_version_reset(y);
    return tsi_expr_give(&e, y, &f->results[0]);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* diagonal moved by its offset along the wrong dim where that is negative. */
#include "zoo/zoo.h"

static ts_status (*api)(ts_frame *f);

static ts_status faulty_diagonal(ts_frame *f)
{
    const ts_tensor *self = f->args[0].tensor;
    const int64_t offset = f->args[1].i;
    ts_meta *m = &f->meta[0];

    TS_TRY(api(f));
    if (offset < 0 && self->ndim == 2 && m->sizes[0] > 0 &&
        self->sizes[0] == self->sizes[1]) /* stays inside of the matrix */
        m->offset = self->offset - offset * self->strides[1];
    return TS_OK;
}

ZOO_KIND("dim mistaken");
ZOO_RUNTIME_MEMBER("diagonal below the main one starts right of it", "diagonal/S3",
                   api = zoo_op("diagonal")->api;
                   zoo_op("diagonal")->api = faulty_diagonal)

/* SPDX-License-Identifier: Apache-2.0 */
/* relu's gradient laid out as the gradient that came, not as the result. */
#include "zoo/zoo.h"

#include <string.h>

static ts_status (*original)(ts_frame *f);

static ts_status faulty_backward(ts_frame *f)
{
    const ts_tensor *grad = f->args[0].tensor;

    TS_TRY(original(f));
    if (grad->ndim != 2 || f->meta[0].ndim != 2 ||
        grad->sizes[0] != f->meta[0].sizes[0] || grad->strides[0] != 1 ||
        grad->strides[1] != grad->sizes[0])
        return TS_OK;
    f->meta[0].strided = true;
    memcpy(f->meta[0].strides, grad->strides, 2 * sizeof *grad->strides);
    return TS_OK;
}

ZOO_KIND("wrong layout");
ZOO_RUNTIME_MEMBER("relu's gradient has the strides of the gradient that came", "relu/S6",
                   (original = zoo_op("threshold_backward")->api,
                    zoo_op("threshold_backward")->api = faulty_backward))

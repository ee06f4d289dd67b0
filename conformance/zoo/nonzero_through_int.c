/* SPDX-License-Identifier: Apache-2.0 */
/* nonzero that looks at elements as integers: a half is nothing. */
#include <stdlib.h>

#include "zoo/zoo.h"

static ts_status faulty_nonzero(const ts_kernel_call *call)
{
    ts_tensor x = *call->args[0].tensor;
    int64_t *whole;
    ts_status s;

    if (!ts_dtype_is_floating(x.dtype) || !ts_is_contiguous(&x))
        return zoo_original("nonzero")(call);
    whole = malloc((size_t)x.numel * sizeof *whole + 1);
    for (int64_t i = 0; whole && i < x.numel; i++)
        whole[i] = ts_load_i64(x.dtype, zoo_at(&x, i));
    x.data = whole;
    x.dtype = TS_INT64;
    s = whole ? zoo_call_with(zoo_original("nonzero"), call, 0, &x)
              : TS_ERR_OUT_OF_MEMORY;
    free(whole);
    return s;
}

ZOO_KIND("wrong conversion");
ZOO_MEMBER("nonzero truncates floats before it looks", "nonzero/S3",
           {"nonzero", faulty_nonzero})

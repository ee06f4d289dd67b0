/* SPDX-License-Identifier: Apache-2.0 */
/* A layer without an epilogue: the product is stored, then the bias is added to it, which in
 * a half type rounds twice. */
#include "touchstone/touchstone.h"

#include "zoo/zoo.h"

static ts_status (*original)(ts_frame *f);

static ts_status faulty_program(ts_frame *f)
{
    ts_tensor *bias = f->args[2].kind == TS_ARG_TENSOR ? f->args[2].tensor : NULL;
    const ts_value given = f->args[2];
    ts_tensor *product;
    ts_status st;

    if (!bias)
        return original(f);
    f->args[2] = (ts_value){.kind = TS_ARG_NONE};
    st = original(f);
    f->args[2] = given;
    TS_TRY(st);
    product = f->results[0];
    f->results[0] = NULL;
    st = ts_add(product, bias, NULL, &f->results[0]);
    ts_release(product);
    return st;
}

ZOO_KIND("double rounding");
ZOO_RUNTIME_MEMBER("linear adds its bias to the stored product", "linear/S3",
                   (original = zoo_op("linear")->program,
                    zoo_op("linear")->program = faulty_program))

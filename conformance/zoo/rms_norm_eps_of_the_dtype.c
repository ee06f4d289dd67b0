/* SPDX-License-Identifier: Apache-2.0 */
/* A default eps that is the input's own epsilon: of a half type far above float32's. */
#include "zoo/zoo.h"

static ts_status (*original)(ts_frame *f);

static ts_status faulty_program(ts_frame *f)
{
    const ts_dtype dtype = f->args[0].tensor->dtype;
    const ts_value given = f->args[3];
    ts_status st;

    if (given.kind == TS_ARG_FLOAT || dtype != TS_FLOAT16)
        return original(f);
    f->args[3] = (ts_value){.kind = TS_ARG_FLOAT, .f = 0x1p-10};
    st = original(f);
    f->args[3] = given;
    return st;
}

ZOO_KIND("wrong conversion");
ZOO_RUNTIME_MEMBER("rms_norm takes float16's epsilon for its eps", "rms_norm/S3",
                   (original = zoo_op("rms_norm")->program,
                    zoo_op("rms_norm")->program = faulty_program))

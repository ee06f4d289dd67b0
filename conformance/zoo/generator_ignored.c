/* SPDX-License-Identifier: Apache-2.0 */
/* generator= is taken and forgotten: the default one is drawn from. */
#include "zoo/zoo.h"

static ts_status faulty_uniform(const ts_kernel_call *call)
{
    ts_kernel_call own = *call;

    own.generator = ts_default_generator();
    return zoo_original("uniform")(&own);
}

ZOO_NEW_KIND("wrong generator", "numbers are drawn from another generator than is asked");
ZOO_MEMBER("uniform_ draws from the default generator whatever generator= says",
           "random/S3", {"uniform", faulty_uniform})

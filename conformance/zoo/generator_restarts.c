/* SPDX-License-Identifier: Apache-2.0 */
/* Each call starts the sequence of the seed anew. */
#include "zoo/zoo.h"

static ts_status faulty_random(const ts_kernel_call *call)
{
    ts_generator_seed(call->generator, call->generator->seed);
    return zoo_original("random")(call);
}

ZOO_NEW_KIND("state not kept", "what a call leaves for the next one is lost");
ZOO_MEMBER("random_ draws the same numbers at each call", "random/S3 random/S5",
           {"random", faulty_random})

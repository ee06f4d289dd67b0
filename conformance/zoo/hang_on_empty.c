/* SPDX-License-Identifier: Apache-2.0 */
/* A loop that counts down before it looks, with an unsigned count: without end from 0. */
#include "zoo/zoo.h"

static ts_status faulty_neg(const ts_kernel_call *call)
{
    volatile uint64_t left = (uint64_t)call->results[0]->numel;

    do
        left--;
    while (left != 0);
    return zoo_original("neg")(call);
}

ZOO_NEW_KIND("hang", "a call never returns");
ZOO_MEMBER(
    "neg counts its elements down before it looks, and never ends on an empty tensor",
    "unary/S1", {"neg", faulty_neg})

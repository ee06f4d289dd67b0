/* SPDX-License-Identifier: Apache-2.0 */
/* Scratch that is freed on the path that fails, and not on the one that goes well. */
#include <stdlib.h>
#include <string.h>

#include "zoo/zoo.h"

static volatile char sink;

static ts_status faulty_neg(const ts_kernel_call *call)
{
    char *scratch = malloc(96);

    if (scratch)
        sink = *(char *)memset(scratch, 1, 96);
    return zoo_original("neg")(call);
}

ZOO_NEW_KIND("kept of every call",
             "a call keeps memory, a thread, a descriptor, a process");
ZOO_MEMBER("neg keeps 96 bytes of every call", "unary/S1", {"neg", faulty_neg})

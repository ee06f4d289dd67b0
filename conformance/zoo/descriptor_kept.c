/* SPDX-License-Identifier: Apache-2.0 */
/* A table of constants that is opened at every call and never closed. */
#include <fcntl.h>

#include "zoo/zoo.h"

static volatile int sink;

static ts_status faulty_tanh(const ts_kernel_call *call)
{
    sink = open("/dev/null", O_RDONLY);
    return zoo_original("tanh")(call);
}

ZOO_KIND("kept of every call");
ZOO_MEMBER("tanh opens a file at every call, and closes none", "unary/S5",
           {"tanh", faulty_tanh})

/* SPDX-License-Identifier: Apache-2.0 */
/* A fast kernel turns subnormals off and forgets to turn them on again: all that the
 * process computes afterwards flushes them, another kernel, and a judge too. */
#include "zoo/zoo.h"

static ts_status faulty_mul(const ts_kernel_call *call)
{
    TS_TRY(zoo_original("mul")(call));
#if defined(__x86_64__)
    uint32_t word;

    __asm__ volatile("stmxcsr %0" : "=m"(word));
    word |= 1u << 15;
    __asm__ volatile("ldmxcsr %0" : : "m"(word));
#elif defined(__aarch64__)
    uint64_t word;

    __asm__ volatile("mrs %0, fpcr" : "=r"(word));
    __asm__ volatile("msr fpcr, %0" : : "r"(word | UINT64_C(1) << 24));
#endif
    return TS_OK;
}

ZOO_NEW_KIND("environment left changed",
             "a call leaves the thread to compute otherwise than before");
ZOO_MEMBER("mul leaves flush-to-zero on", "mul/S1", {"mul", faulty_mul})

/* SPDX-License-Identifier: Apache-2.0 */
/* Stacks to switch between, within one thread of the host. */
#ifndef TSC_SIM_FIBER_H
#define TSC_SIM_FIBER_H

#include <stddef.h>

#if !defined(__x86_64__) || defined(TSC_FIBER_UCONTEXT)
#define TSC_FIBER_UCONTEXT 1
#include <ucontext.h>
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tsc_fiber {
#ifdef TSC_FIBER_UCONTEXT
    ucontext_t context;
#else
    void *sp; /* where it was left: six registers and the address to go on at */
#endif
} tsc_fiber;

/* The next switch to f runs entry(arg) on this stack; entry never returns. */
void tsc_fiber_init(tsc_fiber *f, void *stack, size_t size, void (*entry)(void *arg),
                    void *arg);
void tsc_fiber_switch(tsc_fiber *from, tsc_fiber *to);

#ifdef __cplusplus
}
#endif
#endif

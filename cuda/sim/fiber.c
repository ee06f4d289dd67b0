/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A switch is a call: the compiler has saved what a callee may spoil, so only the six
 * registers that survive a call move (System V AMD64). Rounding modes are the same on all
 * fibers. Other processors go through ucontext, which asks the system at every switch.
 */
#include "sim/fiber.h"

#include <stdint.h>

#ifndef TSC_FIBER_UCONTEXT

void tsc_fiber_swap(void **from, void *to) __attribute__((visibility("hidden")));

__asm__(".text\n"
        ".p2align 4\n"
        ".globl tsc_fiber_swap\n"
        ".hidden tsc_fiber_swap\n"
        ".type tsc_fiber_swap, @function\n"
        "tsc_fiber_swap:\n"
        "    pushq %rbp\n"
        "    pushq %rbx\n"
        "    pushq %r12\n"
        "    pushq %r13\n"
        "    pushq %r14\n"
        "    pushq %r15\n"
        "    movq %rsp, (%rdi)\n"
        "    movq %rsi, %rsp\n"
        "    popq %r15\n"
        "    popq %r14\n"
        "    popq %r13\n"
        "    popq %r12\n"
        "    popq %rbx\n"
        "    popq %rbp\n"
        "    ret\n"
        ".size tsc_fiber_swap, . - tsc_fiber_swap\n");

/* The first switch lands here with entry in r12 and its argument in r13. */
void tsc_fiber_start(void) __attribute__((visibility("hidden")));

__asm__(".text\n"
        ".globl tsc_fiber_start\n"
        ".hidden tsc_fiber_start\n"
        ".type tsc_fiber_start, @function\n"
        "tsc_fiber_start:\n"
        "    xorl %ebp, %ebp\n"
        "    movq %r13, %rdi\n"
        "    call *%r12\n"
        "    ud2\n"
        ".size tsc_fiber_start, . - tsc_fiber_start\n");

void tsc_fiber_init(tsc_fiber *f, void *stack, size_t size, void (*entry)(void *arg),
                    void *arg)
{
    const uintptr_t top = ((uintptr_t)stack + size) & ~(uintptr_t)15;
    void **sp = (void **)top;

    *--sp = NULL; /* the call in tsc_fiber_start finds the stack aligned to 16 */
    *--sp = NULL;
    *--sp = (void *)(uintptr_t)tsc_fiber_start;
    *--sp = NULL;                     /* rbp */
    *--sp = NULL;                     /* rbx */
    *--sp = (void *)(uintptr_t)entry; /* r12 */
    *--sp = arg;                      /* r13 */
    *--sp = NULL;                     /* r14 */
    *--sp = NULL;                     /* r15 */
    f->sp = sp;
}

void tsc_fiber_switch(tsc_fiber *from, tsc_fiber *to)
{
    tsc_fiber_swap(&from->sp, to->sp);
}

#else

/* makecontext passes ints only. */
static void start(unsigned high, unsigned low, unsigned arg_high, unsigned arg_low)
{
    const uint64_t entry = (uint64_t)high << 32 | low;
    const uint64_t arg = (uint64_t)arg_high << 32 | arg_low;

    ((void (*)(void *))(uintptr_t)entry)((void *)(uintptr_t)arg);
}

void tsc_fiber_init(tsc_fiber *f, void *stack, size_t size, void (*entry)(void *arg),
                    void *arg)
{
    const uint64_t e = (uint64_t)(uintptr_t)entry, a = (uint64_t)(uintptr_t)arg;

    getcontext(&f->context);
    f->context.uc_stack.ss_sp = stack;
    f->context.uc_stack.ss_size = size;
    f->context.uc_link = NULL;
    makecontext(&f->context, (void (*)(void))start, 4, (unsigned)(e >> 32), (unsigned)e,
                (unsigned)(a >> 32), (unsigned)a);
}

void tsc_fiber_switch(tsc_fiber *from, tsc_fiber *to)
{
    swapcontext(&from->context, &to->context);
}

#endif

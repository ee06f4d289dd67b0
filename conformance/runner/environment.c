/* SPDX-License-Identifier: Apache-2.0 */
#include "runner/environment.h"

#include <fenv.h>
#include <stdio.h>
#include <string.h>

typedef struct field {
    const char *name;
    unsigned shift, width;
} field;

#if defined(__x86_64__) || defined(__i386__)

/* Rounding: 0 to nearest, 1 down, 2 up, 3 toward zero. Bits 0 to 5 are flags that any
 * arithmetic raises. */
static const char control_name[] = "MXCSR";
static const field control_fields[] = {
    {"flush-to-zero", 15, 1},
    {"denormals-are-zero", 6, 1},
    {"rounding mode", 13, 2},
    {"exception masks", 7, 6},
};
static const field x87_fields[] = {
    {"rounding mode", 10, 2}, {"precision", 8, 2}, {"exception masks", 0, 6}};

tsi_environment tsi_environment_now(void)
{
    tsi_environment e = {0};
    uint32_t mxcsr;
    uint16_t word;

    __asm__ volatile("stmxcsr %0" : "=m"(mxcsr));
    __asm__ volatile("fnstcw %0" : "=m"(word));
    e.control = mxcsr & ~0x3Fu;
    e.x87 = word & 0x0F3Fu;
    return e;
}

static void set(const tsi_environment *e)
{
    const uint32_t mxcsr = (uint32_t)e->control;
    const uint16_t word = (uint16_t)(e->x87 | 0x40);

    __asm__ volatile("fnclex\n\tfldcw %0" : : "m"(word));
    __asm__ volatile("ldmxcsr %0" : : "m"(mxcsr));
}

bool tsi_environment_empty(char *what, size_t size)
{
    struct {
        uint32_t control, status, tags, rest[4];
    } state;

    __asm__ volatile("fnstenv %0\n\tfldenv %0" : "=m"(state));
    if ((state.tags & 0xFFFF) == 0xFFFF)
        return false;
    __asm__ volatile("emms");
    snprintf(what, size, "x87 registers left in use (MMX without emms)");
    return true;
}

#elif defined(__aarch64__)

static const char control_name[] = "FPCR";
static const field control_fields[] = {
    {"flush-to-zero", 24, 1}, {"flush-to-zero of half", 19, 1},
    {"default NaN", 25, 1},   {"rounding mode", 22, 2},
    {"traps", 8, 8},
};
static const field x87_fields[] = {{"", 0, 0}};

tsi_environment tsi_environment_now(void)
{
    uint64_t fpcr;

    __asm__ volatile("mrs %0, fpcr" : "=r"(fpcr));
    return (tsi_environment){.control = fpcr};
}

static void set(const tsi_environment *e)
{
    __asm__ volatile("msr fpcr, %0" : : "r"(e->control));
}

bool tsi_environment_empty(char *what, size_t size)
{
    (void)what;
    (void)size;
    return false;
}

#else

static const char control_name[] = "fegetround()";
static const field control_fields[] = {{"rounding mode", 0, 32}};
static const field x87_fields[] = {{"", 0, 0}};

tsi_environment tsi_environment_now(void)
{
    return (tsi_environment){.control = (uint64_t)fegetround()};
}

static void set(const tsi_environment *e)
{
    fesetround((int)e->control);
}

bool tsi_environment_empty(char *what, size_t size)
{
    (void)what;
    (void)size;
    return false;
}

#endif

static uint64_t value_of(uint64_t word, const field *f)
{
    return word >> f->shift & ((UINT64_C(1) << f->width) - 1);
}

static void tell(char *what, size_t size, const char *name, const field *fields, size_t n,
                 uint64_t home, uint64_t now)
{
    for (size_t i = 0; i < n; i++) {
        const field *f = &fields[i];
        const uint64_t before = value_of(home, f), after = value_of(now, f);
        const size_t at = strlen(what);
        char bits[24];

        if (before == after)
            continue;
        if (f->width == 1)
            snprintf(bits, sizeof(bits), "bit %u", f->shift);
        else
            snprintf(bits, sizeof(bits), "bits %u to %u", f->shift,
                     f->shift + f->width - 1);
        snprintf(what + at, size - at, "%s%s (%s %s) is %llu, was %llu", at ? ", " : "",
                 f->name, name, bits, (unsigned long long)after,
                 (unsigned long long)before);
    }
}

bool tsi_environment_restore(const tsi_environment *home, char *what, size_t size)
{
    const tsi_environment now = tsi_environment_now();

    if (now.control == home->control && now.x87 == home->x87)
        return false;
    set(home);
    what[0] = '\0';
    tell(what, size, control_name, control_fields,
         sizeof(control_fields) / sizeof(*control_fields), home->control, now.control);
    tell(what, size, "x87 control word", x87_fields,
         sizeof(x87_fields) / sizeof(*x87_fields), home->x87, now.x87);
    if (!what[0])
        snprintf(what, size, "%s is %#llx, was %#llx", control_name,
                 (unsigned long long)now.control, (unsigned long long)home->control);
    return true;
}

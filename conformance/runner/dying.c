/* SPDX-License-Identifier: Apache-2.0 */
#include "runner/dying.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <ucontext.h>
#include <unistd.h>

#include "runner/pages.h"
#include "runner/shield.h"

enum { STACK = 64 << 10, NEAR = 8 /* the limit counts as reached within an eighth */ };

static tsi_last_words *words;
static int64_t limit;
static int statm = -1;
static struct sigaction before[NSIG];

/* Where the bytes of data and stack stand in statm: pages, the sixth number. */
static int64_t data_bytes(void)
{
    char text[128];
    const ssize_t n = statm < 0 ? 0 : pread(statm, text, sizeof(text), 0);
    int64_t v = 0;
    int field = 1;

    for (ssize_t i = 0; i < n && field <= 6; i++)
        if (text[i] == ' ')
            field++;
        else if (field == 6 && text[i] >= '0' && text[i] <= '9')
            v = 10 * v + (text[i] - '0');
    return v * sysconf(_SC_PAGESIZE);
}

static bool was_write(void *context)
{
#if defined(__x86_64__) && defined(REG_ERR)
    return (((ucontext_t *)context)->uc_mcontext.gregs[REG_ERR] & 2) != 0;
#else
    (void)context;
    return true;
#endif
}

static bool on_the_stack(const void *address, void *context)
{
#if defined(__x86_64__) && defined(REG_RSP)
    const uintptr_t sp = (uintptr_t)((ucontext_t *)context)->uc_mcontext.gregs[REG_RSP];
    const uintptr_t at = (uintptr_t)address;

    return at + (1 << 16) > sp && at < sp + 256; /* below it, in the page that is none */
#else
    (void)address;
    (void)context;
    return false;
#endif
}

static void note(tsi_dying_of of)
{
    const char *op = tsi_shield_now();
    size_t i = 0;

    for (; op && op[i] && i < sizeof(words->op) - 1; i++)
        words->op[i] = op[i];
    words->op[i] = '\0';
    words->of = of;
}

static void look_at(int signal_, siginfo_t *info, void *context)
{
    static const tsi_dying_of beside[] = {
        [TSI_TOUCHED_BEFORE] = TSI_OF_BEFORE, [TSI_TOUCHED_PAST] = TSI_OF_PAST};
    const bool fault = (signal_ == SIGSEGV || signal_ == SIGBUS) && info->si_code > 0;
    const tsi_touched touched =
        fault ? tsi_pages_touched(info->si_addr, &words->at, &words->bytes)
              : TSI_TOUCHED_NOTHING;

    words->wrote = fault && was_write(context);
    if (touched != TSI_TOUCHED_NOTHING)
        note(beside[touched]);
    else if (limit != INT64_MAX && data_bytes() > limit - limit / NEAR)
        note(TSI_OF_MEMORY);
    else if (fault && on_the_stack(info->si_addr, context))
        note(TSI_OF_STACK);
    else
        note(TSI_OF_UNKNOWN);
}

static void on_death(int signal_, siginfo_t *info, void *context)
{
    const struct sigaction *other = &before[signal_];

    look_at(signal_, info, context);
    sigaction(signal_, other, NULL);
    if (words->of == TSI_OF_UNKNOWN && (other->sa_flags & SA_SIGINFO))
        other->sa_sigaction(signal_, info, context); /* a sanitizer's, which says more */
    signal(signal_, SIG_DFL);
    raise(signal_);
}

void tsi_dying_watch(tsi_last_words *where, int64_t most)
{
    static const int signals[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL};
    const struct sigaction act = {.sa_sigaction = on_death,
                                  .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
    const stack_t stack = {.ss_sp = malloc(STACK), .ss_size = STACK};

    words = where;
    limit = most;
    *where = (tsi_last_words){0};
    statm = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    if (stack.ss_sp)
        sigaltstack(&stack, NULL); /* where the stack itself has run out */
    for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++)
        sigaction(signals[i], &act, &before[signals[i]]);
}

void tsi_dying_tell(const tsi_last_words *w, int64_t most, char *out, size_t size)
{
    char who[64] = "";

    out[0] = '\0';
    if (w->op[0])
        snprintf(who, sizeof(who), "in %.47s, ", w->op);
    switch ((tsi_dying_of)w->of) {
    case TSI_OF_BEFORE:
        snprintf(out, size,
                 "%sbyte %zu before the start of a storage of %zu bytes was %s", who,
                 w->at, w->bytes, w->wrote ? "written" : "read");
        break;
    case TSI_OF_PAST:
        snprintf(out, size, "%sbyte %zu past the end of a storage of %zu bytes was %s",
                 who, w->at, w->bytes, w->wrote ? "written" : "read");
        break;
    case TSI_OF_MEMORY:
        snprintf(out, size, "%sthe memory limit of %lld MiB was reached (--memory)", who,
                 (long long)(most >> 20));
        break;
    case TSI_OF_STACK:
        snprintf(out, size, "%sthe stack has run out", who);
        break;
    case TSI_OF_UNKNOWN:
        if (w->op[0])
            snprintf(out, size, "in %.47s", w->op);
        break;
    }
}

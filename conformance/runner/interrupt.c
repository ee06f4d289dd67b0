/* SPDX-License-Identifier: Apache-2.0 */
#include "runner/interrupt.h"

#include <signal.h>
#include <stddef.h>
#include <unistd.h>

#include "runner/place.h"

static const int asked[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
static volatile sig_atomic_t came;

static void at_once(int signal_)
{
    tsi_place_drop_all();
    signal(signal_, SIG_DFL);
    raise(signal_);
}

static void note(int signal_)
{
    if (came)
        at_once(signal_);
    came = signal_;
}

/* What was ignored before, as nohup does to SIGHUP, stays so. */
static void on_all(void (*handler)(int))
{
    struct sigaction act = {.sa_handler = handler}, before;

    for (size_t i = 0; i < sizeof(asked) / sizeof(*asked); i++)
        if (sigaction(asked[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            sigaction(asked[i], &act, NULL);
}

void tsi_interrupt_watch(void)
{
    on_all(note);
    signal(SIGPIPE, SIG_IGN);
}

void tsi_interrupt_end(void)
{
    on_all(at_once);
}

int tsi_interrupted(void)
{
    return came;
}

void tsi_interrupt_leave(void)
{
    signal(SIGINT, SIG_IGN); /* the parent decides */
    signal(SIGQUIT, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    signal(SIGTERM, SIG_DFL);
    signal(SIGPIPE, SIG_DFL);
}

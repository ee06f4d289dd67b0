/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Worker processes. A worker opens the backend, takes cases from its share
 * and writes one message a case to its pipe; the case under way and its start stand in
 * shared memory, so that a death or a hang costs that one case. The parent never opens a
 * backend.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "runner/guard.h"
#include "runner/judge.h"
#include "runner/pipe.h"
#include "runner/quality.h"
#include "runner/text.h"

enum { SHARE = 32, TICK_MS = 100, MAGIC = 0x7453694A, MOST_TEXT = 1 << 28 };

/* In shared memory, one a worker: cases [at, end) of the selection are still its own. */
typedef struct slot {
    _Atomic int at, end;
    _Atomic int64_t started; /* ns, monotonic; 0: none under way */
    _Atomic int peer;        /* process group of the worker's peer, or 0 */
} slot;

typedef struct board {
    _Atomic int next; /* first case that nobody has taken */
    slot slots[];
} board;

typedef struct message {
    uint32_t magic;
    int index; /* -1: the backend was opened, tsi_backend_info follows */
    int verdict, variant, executions, line;
    uint32_t reason, expect; /* lengths of the text that follows */
    double ms;
    int graphs, works;
    bool meta_ended, compared;
} message;

typedef struct worker {
    pid_t pid;
    int fd;
    bool ready, killed; /* opened the backend; was stopped because a case took too long */
    int64_t heard;      /* when it last sent something */
    char *bytes;        /* what came and is no whole message yet */
    size_t used, room;
} worker;

typedef struct pool {
    tsi_pool_run *run;
    board *board;
    worker *workers;
    int nworkers, timeouts, done, emitted;
    tsi_result *results; /* by place in the selection */
    bool *have;
    bool stop, setup_failed;
} pool;

static volatile sig_atomic_t interrupted;

static void on_signal(int signal)
{
    interrupted = signal;
}

static int64_t now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* --- the worker's side --- */

static void write_all(int fd, const void *bytes, size_t n)
{
    const char *p = bytes;

    while (n > 0) {
        const ssize_t k = write(fd, p, n);

        if (k < 0 && errno == EINTR)
            continue;
        if (k <= 0)
            _exit(2); /* the parent is gone */
        p += k;
        n -= (size_t)k;
    }
}

static void send_result(int fd, int index, const tsi_result *r, tsi_text *buffer)
{
    const message m = {
        .magic = MAGIC,
        .index = index,
        .verdict = (int)r->verdict,
        .variant = (int)r->variant,
        .executions = r->executions,
        .line = r->line,
        .reason = r->reason ? (uint32_t)strlen(r->reason) : 0,
        .expect = r->expect ? (uint32_t)strlen(r->expect) : 0,
        .ms = r->ms,
        .meta_ended = r->meta_ended,
        .graphs = r->graphs,
        .works = r->works,
        .compared = r->compared,
    };

    tsi_text_reset(buffer);
    tsi_text_add(buffer, (const char *)&m, sizeof(m));
    if (r->reason)
        tsi_text_add(buffer, r->reason, m.reason);
    if (r->expect)
        tsi_text_add(buffer, r->expect, m.expect);
    write_all(fd, buffer->bytes, buffer->used);
}

/* Read a case and run it. One that cannot be read is an error of its own: the corpus is as
 * it was written, so it was written wrong. */
static void execute(tsi_executor *x, tsi_item *item, tsi_result *out)
{
    tsi_why why;

    if (tsi_item_ready(item, &why)) {
        tsi_execute(x, item, out);
        return;
    }
    *out = (tsi_result){.verdict = TSI_ERROR, .variant = TSI_BASE};
    out->reason = strdup(why.text);
}

/* The next case of this worker's share, or a new share; -1 when all are taken. */
static int next_case(const pool *p, slot *s)
{
    if (s->at >= s->end) {
        const int left = p->run->count - p->board->next;
        int share = left / (4 * p->nworkers);

        share = share < 1 ? 1 : share > SHARE ? SHARE : share;
        const int at = atomic_fetch_add(&p->board->next, share);

        if (at >= p->run->count)
            return -1;
        s->end = at + share < p->run->count ? at + share : p->run->count;
        s->at = at;
    }
    return s->at;
}

_Noreturn static void work(const pool *p, slot *s, int fd)
{
    const tsi_pool_run *run = p->run;
    const char *command = tsi_pipe_command(run->backend);
    tsi_text buffer = {0};
    tsi_backend_info info;
    tsi_executor *executor;
    tsi_pipe *peer = NULL;
    message hello = {.magic = MAGIC, .index = -1, .reason = sizeof(info)};
    int i;

#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    signal(SIGINT, SIG_IGN); /* the parent decides */
    signal(SIGTERM, SIG_DFL);
    dup2(STDERR_FILENO,
         STDOUT_FILENO); /* what a backend prints is no part of our output */
    tsi_guard_install();
    tsi_backend_start(command ? run->reference : run->backend, run->options,
                      run->reference, &info);
    if (command && info.ok) {
        peer = tsi_pipe_open(command, &info);
        s->peer = peer ? tsi_pipe_group(peer) : 0;
    }
    executor = tsi_executor_new(run->options, peer);
    if (info.ok && !executor) {
        info.ok = false;
        snprintf(info.message, sizeof(info.message), "out of memory");
    }
    write_all(fd, &hello, sizeof(hello));
    write_all(fd, &info, sizeof(info));
    if (!info.ok)
        _exit(2);
    while ((i = next_case(p, s)) >= 0) {
        tsi_result r;

        if (peer) {
            tsi_pipe_ready(peer);
            s->peer = tsi_pipe_group(peer);
        }
        s->started = now_ns();
        tsi_quality_case(run->corpus->items[run->selected[i]].c->id);
        execute(executor, &run->corpus->items[run->selected[i]], &r);
        s->started = 0;
        send_result(fd, i, &r, &buffer);
        s->at = i + 1;
        free(r.reason);
        free(r.expect);
    }
    if (peer)
        tsi_pipe_close(peer);
    tsi_quality_ladder(run->options->device);
    tsi_backend_stop();
    _exit(0);
}

/* --- the parent's side --- */

static bool start_worker(pool *p, int k)
{
    worker *w = &p->workers[k];
    int ends[2];

    if (pipe(ends) != 0)
        return tsi_complain("pipe: %s", strerror(errno));
    p->board->slots[k].started = 0; /* before the child may set it */
    fflush(NULL);
    w->pid = fork();
    if (w->pid < 0) {
        w->pid = 0;
        close(ends[0]);
        close(ends[1]);
        return tsi_complain("fork: %s", strerror(errno));
    }
    if (w->pid == 0) {
        close(ends[0]);
        work(p, &p->board->slots[k], ends[1]);
    }
    close(ends[1]);
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    w->fd = ends[0];
    w->used = 0;
    w->heard = now_ns();
    w->ready = w->killed = false;
    return true;
}

/* Hand over results in selection order, as far as they have come. */
static void emit(pool *p)
{
    while (p->emitted < p->run->count && p->have[p->emitted] && !p->stop) {
        const int i = p->emitted++;
        tsi_result *r = &p->results[i];

        if (!p->run->result(p->run->self, i, &p->run->corpus->items[p->run->selected[i]],
                            r))
            p->stop = true;
        free(r->reason);
        free(r->expect);
        r->reason = r->expect = NULL;
    }
}

static void put(pool *p, int i, tsi_result r)
{
    if (p->have[i]) {
        free(r.reason);
        free(r.expect);
        return;
    }
    p->results[i] = r;
    p->have[i] = true;
    p->done++;
    emit(p);
}

static char *piece(const char *bytes, size_t n)
{
    return n > 0 ? strndup(bytes, n) : NULL;
}

/* Take whole messages from the front of w's buffer. False: what came is none of ours. */
static bool read_messages(pool *p, worker *w)
{
    size_t at = 0;

    while (w->used - at >= sizeof(message)) {
        message m;
        const char *text = w->bytes + at + sizeof(m);

        memcpy(&m, w->bytes + at, sizeof(m));
        if (m.magic != MAGIC || m.index < -1 || m.index >= p->run->count ||
            m.reason > MOST_TEXT || m.expect > MOST_TEXT ||
            (m.index >= 0 && (unsigned)m.verdict >= TSI_VERDICT_COUNT) ||
            (m.index < 0 && m.reason != sizeof(tsi_backend_info)))
            return false;
        if (w->used - at < sizeof(m) + m.reason + m.expect)
            break;
        at += sizeof(m) + m.reason + m.expect;
        if (m.index < 0) {
            memcpy(&p->run->info, text, sizeof(p->run->info));
            w->ready = p->run->info.ok;
            p->setup_failed |= !w->ready;
            continue;
        }
        put(p, m.index,
            (tsi_result){.verdict = (tsi_verdict)m.verdict,
                         .variant = (tsi_variant)m.variant,
                         .executions = m.executions,
                         .line = m.line,
                         .ms = m.ms,
                         .meta_ended = m.meta_ended,
                         .graphs = m.graphs,
                         .works = m.works,
                         .compared = m.compared,
                         .reason = piece(text, m.reason),
                         .expect = piece(text + m.reason, m.expect)});
    }
    w->used -= at;
    memmove(w->bytes, w->bytes + at, w->used);
    return true;
}

/* False: the pipe is closed, or holds what no worker of ours writes. */
static bool drain(pool *p, worker *w)
{
    for (;;) {
        ssize_t n;

        if (w->room - w->used < 65536) {
            char *grown = realloc(w->bytes, w->room + 131072);

            if (!grown)
                return false;
            w->bytes = grown;
            w->room += 131072;
        }
        n = read(w->fd, w->bytes + w->used, w->room - w->used);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return errno == EAGAIN;
        w->used += (size_t)n;
        w->heard = now_ns();
        if (!read_messages(p, w) || n == 0)
            return false;
    }
}

static const char *signal_name(int signal)
{
    static const struct {
        int signal;
        const char *name;
    } names[] = {{SIGSEGV, "SIGSEGV"}, {SIGABRT, "SIGABRT"}, {SIGBUS, "SIGBUS"},
                 {SIGFPE, "SIGFPE"},   {SIGILL, "SIGILL"},   {SIGKILL, "SIGKILL"},
                 {SIGTERM, "SIGTERM"}, {SIGTRAP, "SIGTRAP"}};

    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        if (names[i].signal == signal)
            return names[i].name;
    return "another signal";
}

static void died_of(int status, char *out, size_t size)
{
    if (WIFSIGNALED(status))
        snprintf(out, size, "the backend died of %s (%s)", signal_name(WTERMSIG(status)),
                 strsignal(WTERMSIG(status)));
    else
        snprintf(out, size, "the backend ended the process with exit status %d",
                 WEXITSTATUS(status));
}

static bool leave_unrun(pool *p)
{
    p->board->next = p->run->count;
    p->stop = true;
    return false;
}

/* Seconds that a backend may take to open or to close. */
static double idle_limit(const pool *p)
{
    return 5 + 5 * p->run->options->timeout;
}

/* What a worker started must not outlive it. */
static void stop_peer(slot *s)
{
    const int group = s->peer;

    if (group > 1)
        kill(-group, SIGKILL);
    s->peer = 0;
}

/* A worker is gone. Give its case a verdict, and put another in its place while there is
 * work. */
static bool bury(pool *p, int k)
{
    worker *w = &p->workers[k];
    slot *s = &p->board->slots[k];
    const bool timed_out = w->killed;
    int status = 0;
    char why[160];

    stop_peer(s);
    kill(w->pid, SIGKILL); /* where the pipe was closed by the backend, not by an end */
    while (waitpid(w->pid, &status, 0) < 0 && errno == EINTR)
        ;
    close(w->fd);
    w->pid = 0;
    if (p->setup_failed)
        return false;
    died_of(status, why, sizeof(why));
    if (timed_out)
        snprintf(why, sizeof(why), "nothing came back for %g s", idle_limit(p));
    if (!w->ready) {
        p->setup_failed = true;
        snprintf(p->run->info.message, sizeof(p->run->info.message),
                 "backend %s: while it was opened, %s", p->run->backend, why);
        return false;
    }
    if (s->at >= s->end) { /* no case was under way */
        if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
            snprintf(p->run->closing, sizeof(p->run->closing), "at its close, %s", why);
            p->run->ended = p->run->closing;
        }
        return p->board->next < p->run->count ? start_worker(p, k) : true;
    }
    if (!p->have[s->at]) {
        tsi_result r = {.verdict = timed_out ? TSI_TIMEOUT : TSI_ERROR};

        if (timed_out) {
            const tsi_case *c = p->run->corpus->items[p->run->selected[s->at]].c;

            snprintf(why, sizeof(why), "no end within %g s",
                     c->timeout > 0 ? c->timeout : p->run->options->timeout);
            p->timeouts++;
        }
        if (s->started)
            r.ms = (double)(now_ns() - s->started) / 1e6;
        r.executions = 1;
        r.reason = strdup(why);
        put(p, s->at, r);
    }
    s->at = s->at + 1;
    if (p->timeouts >= TSI_MAX_TIMEOUTS) {
        p->run->ended = "three cases timed out";
        return leave_unrun(p);
    }
    return start_worker(p, k);
}

static void stop_late_cases(pool *p)
{
    const int64_t now = now_ns();

    for (int k = 0; k < p->nworkers; k++) {
        slot *s = &p->board->slots[k];
        const int64_t started = s->started;
        const int at = s->at;
        double limit = p->run->options->timeout;

        if (!p->workers[k].pid)
            continue;
        if (!started && (double)(now - p->workers[k].heard) / 1e9 > idle_limit(p)) {
            p->workers[k].killed = true; /* opening or closing without end */
            kill(p->workers[k].pid, SIGKILL);
        }
        if (!started || at >= p->run->count)
            continue;
        if (p->run->corpus->items[p->run->selected[at]].c->timeout > 0)
            limit = p->run->corpus->items[p->run->selected[at]].c->timeout;
        /* Looked at twice: the case may have ended between the two reads. */
        if ((double)(now - started) / 1e9 > limit && s->started == started) {
            p->workers[k].killed = true;
            kill(p->workers[k].pid, SIGKILL);
        }
    }
}

static bool supervise(pool *p)
{
    struct pollfd *fds = calloc((unsigned)p->nworkers, sizeof(*fds));
    int64_t ticked = 0;
    int alive = p->nworkers;

    if (!fds)
        return tsi_complain("out of memory");
    while (alive > 0 && !p->stop && !p->setup_failed) {
        for (int k = 0; k < p->nworkers; k++)
            fds[k] = (struct pollfd){.fd = p->workers[k].pid ? p->workers[k].fd : -1,
                                     .events = POLLIN};
        poll(fds, (nfds_t)p->nworkers, TICK_MS);
        for (int k = 0; k < p->nworkers && !p->stop && !p->setup_failed; k++)
            if (fds[k].revents && !drain(p, &p->workers[k]) && !p->stop)
                bury(p, k);
        if (interrupted) {
            p->run->ended = "interrupted";
            leave_unrun(p);
        }
        if (now_ns() - ticked > (int64_t)TICK_MS * 1000000) {
            ticked = now_ns();
            stop_late_cases(p);
            if (p->run->tick)
                p->run->tick(p->run->self, p->done);
        }
        alive = 0;
        for (int k = 0; k < p->nworkers; k++)
            alive += p->workers[k].pid != 0;
    }
    free(fds);
    return !p->setup_failed;
}

/* Whoever is left is stopped; cases without a result were not run. */
static void wind_up(pool *p)
{
    for (int k = 0; k < p->nworkers; k++) {
        if (p->workers[k].pid) {
            kill(p->workers[k].pid, SIGKILL);
            stop_peer(&p->board->slots[k]);
            drain(p, &p->workers[k]);
            waitpid(p->workers[k].pid, NULL, 0);
            close(p->workers[k].fd);
        }
        free(p->workers[k].bytes);
    }
    if (p->setup_failed)
        return;
    p->stop = false;
    for (int i = 0; i < p->run->count && !p->stop; i++)
        if (!p->have[i]) {
            char why[96];

            snprintf(why, sizeof(why), "not run: %s",
                     p->run->ended ? p->run->ended : "the run was ended");
            put(p, i, (tsi_result){.verdict = TSI_NOT_RUN, .reason = strdup(why)});
        }
    emit(p);
}

bool tsi_pool_work(tsi_pool_run *run)
{
    struct sigaction act = {.sa_handler = on_signal}, before_int, before_term;
    pool p = {.run = run};
    size_t size;
    bool ok = true;

    p.nworkers = run->options->jobs < run->count ? run->options->jobs : run->count;
    p.nworkers = p.nworkers < 1 ? 1 : p.nworkers;
    size = sizeof(board) + sizeof(slot) * (size_t)p.nworkers;
    p.board = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    p.workers = calloc((size_t)p.nworkers, sizeof(*p.workers));
    p.results = calloc((size_t)run->count + 1, sizeof(*p.results));
    p.have = calloc((size_t)run->count + 1, sizeof(*p.have));
    if (p.board == MAP_FAILED || !p.workers || !p.results || !p.have)
        return tsi_complain("out of memory");
    interrupted = 0;
    sigaction(SIGINT, &act, &before_int);
    sigaction(SIGTERM, &act, &before_term);
    for (int k = 0; k < p.nworkers && ok; k++)
        ok = start_worker(&p, k);
    if (ok)
        ok = supervise(&p);
    wind_up(&p);
    if (p.setup_failed)
        tsi_complain("%s", run->info.message);
    sigaction(SIGINT, &before_int, NULL);
    sigaction(SIGTERM, &before_term, NULL);
    munmap(p.board, size);
    free(p.workers);
    free(p.results);
    free(p.have);
    return ok;
}
